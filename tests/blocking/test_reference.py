from __future__ import annotations

from itertools import combinations
from random import Random

import msgspec
import pytest

from planbench_xl.blocking import BlockingConfig, all_resolved, plan_reference, replace_blocked
from planbench_xl.world import BLOCK_KINDS, Kind, World

PATHS = (("a", "b"), ("a", "c"), ("d", "e", "f"), ("d", "b"), ("g",))


def config(**changes: object) -> BlockingConfig:
    return msgspec.structs.replace(BlockingConfig(enabled=True), **changes)


def remaining(blocked: set[str], paths: tuple[tuple[str, ...], ...] = PATHS) -> int:
    return sum(not blocked & set(path) for path in paths)


def distances(target: int, least: int = 1) -> dict[int, list[tuple[str, ...]]]:
    """All plans of at most four tools by distance from a number of remaining paths, by brute force."""
    found: dict[int, list[tuple[str, ...]]] = {}
    tools = sorted({tool for path in PATHS for tool in path})
    for size in range(5):
        for plan in combinations(tools, size):
            left = remaining(set(plan))
            if left >= least:
                found.setdefault(abs(left - target), []).append(plan)
    return found


@pytest.mark.parametrize("target", [1, 2, 3, 4])
def test_a_nearest_plan_is_chosen(target: int) -> None:
    possible = distances(target)
    for seed in range(40):
        plan = plan_reference("t", PATHS, config(remaining_paths=target), seed)
        assert plan.resolved
        assert tuple(plan.blocked) in possible[min(possible)]
        assert plan.remaining == remaining(set(plan.blocked))


def test_every_nearest_plan_can_be_chosen() -> None:
    possible = set(distances(1)[0])
    chosen = {tuple(plan_reference("t", PATHS, config(), seed).blocked) for seed in range(2000)}
    assert chosen == possible


def test_plans_depend_on_task_and_seed_only() -> None:
    assert plan_reference("t", PATHS, config(), 1) == plan_reference("t", PATHS, config(), 1)
    many = {tuple(plan_reference(f"t{i}", PATHS, config(), 1).blocked) for i in range(50)}
    assert len(many) > 3


def test_a_share_of_the_paths() -> None:
    for ratio, left in ((0.0, 5), (0.2, 4), (0.4, 3), (0.6, 2), (0.8, 1), (1.0, 1)):
        plan = plan_reference("t", PATHS, config(aim="disabled_ratio", disabled_ratio=ratio), 3)
        assert plan.remaining == left


def test_an_exact_number_of_blocked_paths() -> None:
    for number in range(1, 5):
        plan = plan_reference("t", PATHS, config(aim="blocked_paths", blocked_paths=number), 0)
        assert plan.resolved
        assert plan.remaining == 5 - number
    unresolved = plan_reference("t", PATHS, config(aim="blocked_paths", blocked_paths=5), 0)
    assert (unresolved.resolved, unresolved.blocked, unresolved.remaining) == (False, {}, 5)


def test_length_of_the_remaining_path() -> None:
    for length, expected in (("shortest", 1), ("longest", 3)):
        plan = plan_reference("t", PATHS, config(length=length), 0)
        (path,) = [path for path in PATHS if not set(plan.blocked) & set(path)]
        assert len(path) == expected
    lengths = set()
    for seed in range(60):
        plan = plan_reference("t", PATHS, config(length="random"), seed)
        lengths.update(len(path) for path in PATHS if not set(plan.blocked) & set(path))
    assert lengths == {1, 2, 3}


def test_fewest_tools() -> None:
    fewest = min(map(len, distances(1)[0]))
    for seed in range(20):
        assert len(plan_reference("t", PATHS, config(fewest_tools=True), seed).blocked) == fewest


def test_a_plan_out_of_reach_is_unresolved() -> None:
    paths = tuple((f"tool{i}",) for i in range(9))
    assert not plan_reference("t", paths, config(), 0).resolved
    assert not plan_reference("t", (), config(), 0).resolved


def test_kinds_of_alternatives() -> None:
    plan = plan_reference("t", PATHS, config(kinds=(Kind.IMPLICIT,)), 0)
    assert set(plan.blocked.values()) == {(Kind.IMPLICIT,)}
    drawn = [plan_reference("t", PATHS, config(alternatives="random_one"), seed) for seed in range(30)]
    assert {kinds for p in drawn for kinds in p.blocked.values()} == {(kind,) for kind in BLOCK_KINDS}
    several = plan_reference("t", PATHS, config(alternatives="random_several", kinds_drawn=2), 0)
    assert all(len(set(kinds)) == 2 for kinds in several.blocked.values())


def test_replacement_in_place(mini: World) -> None:
    tools = list(mini.executable[:3])
    blocked = {tools[1].name: (Kind.MISLEADING, Kind.EXPLICIT)}
    shown = replace_blocked(tools, blocked, mini.alternatives)
    assert [t.kind for t in shown] == [None, Kind.EXPLICIT, Kind.MISLEADING, None]
    assert [t.name for t in (shown[0], shown[-1])] == [tools[0].name, tools[2].name]
    assert {t.source for t in shown[1:3]} == {tools[1].name}


def test_against_brute_force_on_random_catalogues() -> None:
    rng = Random(1)
    for number in range(60):
        tools = [f"t{i}" for i in range(rng.randrange(2, 8))]
        paths = tuple(
            {tuple(sorted(rng.sample(tools, rng.randrange(1, len(tools))))): 0 for _ in range(rng.randrange(1, 7))}
        )
        target = rng.randrange(1, 4)
        plan = plan_reference(f"task{number}", paths, config(remaining_paths=target), 5)
        wanted = min(target, len(paths))
        used = sorted({tool for path in paths for tool in path})
        reachable = [
            left
            for size in range(5)
            for candidate in combinations(used, size)
            if (left := remaining(set(candidate), paths)) >= 1
        ]
        nearest = min(abs(left - wanted) for left in reachable)
        assert plan.resolved == (nearest <= 1)
        if plan.resolved:
            assert plan.remaining == remaining(set(plan.blocked), paths)
            assert abs(plan.remaining - wanted) == nearest


@pytest.mark.parametrize("most", [7, 40, 20_000])
def test_all_resolved_says_what_plans_come_out(most: int) -> None:
    rng = Random(2)
    seen = set()
    for _ in range(60):
        tools = [f"t{i}" for i in range(rng.randrange(2, 9))]
        paths = [rng.sample(tools, rng.randrange(1, len(tools))) for _ in range(rng.randrange(0, 8))]
        aims = [
            config(tolerance=0, max_candidates=most),
            config(aim="disabled_ratio", disabled_ratio=0.6, max_candidates=most),
            config(aim="blocked_paths", blocked_paths=2, max_candidates=most),
        ]
        plans = [plan_reference("t", paths, aim, 0).resolved for aim in aims]
        assert [all_resolved(paths, [aim]) for aim in aims] == plans
        assert all_resolved(paths, aims) == all(plans)
        seen.add(tuple(plans))
    assert {True, False} == {all(plans) for plans in seen}
