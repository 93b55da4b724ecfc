"""The exact planner against brute force on small random worlds, and its certificates on real ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations
from typing import Any

import msgspec
import pytest

from planbench_xl.blocking import BlockingConfig, BlockPlan, ExactPlanner, Planner, PlanStatus, check_plan
from planbench_xl.errors import SettingError
from planbench_xl.world import Kind, World
from tests.blocking.worlds import ToolSet, all_paths, executes, random_world

SEEDS = range(200)


def config(**changes: Any) -> BlockingConfig:
    return msgspec.structs.replace(BlockingConfig(enabled=True, max_extra=20), **changes)


@cache
def worlds(nulls: bool = False) -> list[World]:
    found = [world for seed in SEEDS if (world := random_world(seed, nulls=nulls)) is not None]
    assert len(found) > 60
    return found


def plan_of(world: World, seed: int = 42, **changes: Any) -> BlockPlan:
    return ExactPlanner(world).plan("task", config(**changes), seed)


PATHS: dict[tuple[int, ToolSet], list[ToolSet]] = {}
CHOICES: dict[int, list[tuple[ToolSet, list[ToolSet]]]] = {}


def paths_of(world: World, blocked: Iterable[str] = ()) -> list[ToolSet]:
    """All paths by brute force, remembered per world (those of `worlds` live as long as the tests)."""
    without = frozenset(blocked)
    if (id(world), without) not in PATHS:
        PATHS[id(world), without] = all_paths(world, without)
    return PATHS[id(world), without]


def choices(world: World) -> list[tuple[ToolSet, list[ToolSet]]]:
    """Every choice of tools to block that leaves an executing path, smallest first, with the paths it leaves."""
    if id(world) in CHOICES:
        return CHOICES[id(world)]
    paths = paths_of(world)
    tools = sorted({tool for path in paths for tool in path})
    found = []
    for size in range(len(tools) + 1):
        for blocked in map(frozenset, combinations(tools, size)):
            left = [path for path in paths if not path & blocked]
            if any(executes(world, path) for path in left):
                found.append((blocked, left))
    CHOICES[id(world)] = found
    return found


@pytest.mark.parametrize("length", ["any", "shortest", "longest", "random"])
@pytest.mark.parametrize("nulls", [False, True])
def test_one_path_is_left_by_the_fewest_tools(length: str, nulls: bool) -> None:
    blocked_somewhere = 0
    for world in worlds(nulls):
        paths = [path for path in paths_of(world) if executes(world, path)]
        plan = plan_of(world, length=length)
        if not paths:
            assert plan.status is PlanStatus.UNRESOLVED and plan.reason
            continue
        kept = frozenset(plan.kept_path)
        assert paths_of(world, plan.blocked) == [kept]
        assert kept in paths
        sizes = [len(path) for path in paths]
        assert length not in ("shortest", "longest") or len(kept) == {"shortest": min, "longest": max}[length](sizes)
        fewest = min(len(blocked) for blocked, left in choices(world) if left == [kept])
        assert plan.certificate is not None
        assert plan.certificate.fewest and len(plan.blocked) == fewest
        assert (plan.status is PlanStatus.SUCCESS) == bool(plan.blocked)
        assert check_plan(world, plan) == []
        blocked_somewhere += bool(plan.blocked)
    assert blocked_somewhere > 20


@pytest.mark.parametrize("ratio", [0.2, 0.5, 0.8])
def test_a_share_is_met_as_nearly_as_any_choice_does(ratio: float) -> None:
    for world in worlds():
        total = len(paths_of(world))
        plan = plan_of(world, aim="disabled_ratio", disabled_ratio=ratio)
        wanted = max(1, round(total * (1 - ratio)))
        possible = choices(world)
        nearest = min(abs(len(left) - wanted) for _, left in possible)
        assert plan.certificate is not None
        assert plan.remaining == len(paths_of(world, plan.blocked))
        assert plan.certificate.miss == abs(plan.remaining - wanted) == nearest
        assert plan.certificate.nearest
        fewest = min(len(blocked) for blocked, left in possible if abs(len(left) - wanted) == nearest)
        assert len(plan.blocked) == fewest
        assert check_plan(world, plan) == []


@pytest.mark.parametrize("number", [2, 3])
def test_a_number_of_paths(number: int) -> None:
    met = 0
    for world in worlds():
        plan = plan_of(world, remaining_paths=number)
        left = paths_of(world, plan.blocked)
        assert plan.certificate is not None
        assert plan.remaining == len(left)
        assert plan.certificate.miss == abs(len(left) - number)
        if plan.certificate.nearest and plan.certificate.miss:
            assert all(len(other) != number for _, other in choices(world))
        met += plan.certificate.miss == 0
        assert check_plan(world, plan) == []
    assert met > 10


@pytest.mark.parametrize("number", [1, 2])
def test_a_number_of_blocked_paths_and_tools(number: int) -> None:
    for world in worlds():
        paths = paths_of(world)
        plan = plan_of(world, aim="blocked_paths", blocked_paths=number)
        wanted = max(1, len(paths) - number)
        assert plan.certificate is not None
        assert plan.certificate.miss == min(abs(len(left) - wanted) for _, left in choices(world))
        assert check_plan(world, plan) == []
        plan = plan_of(world, aim="blocked_tools", blocked_tools=number)
        possible = max(len(blocked) for blocked, _ in choices(world))
        assert len(plan.blocked) == min(number, possible)
        assert check_plan(world, plan) == []


def test_a_longer_shortest_path() -> None:
    raised = 0
    for world in worlds():
        paths = paths_of(world)
        before = min(map(len, paths))
        plan = plan_of(world, aim="raise_shortest", raise_shortest=1)
        if any(len(path) == before + 1 for path in paths):
            left = paths_of(world, plan.blocked)
            assert min(map(len, left)) == len(plan.kept_path) == before + 1
            assert check_plan(world, plan) == []
            raised += 1
        else:
            assert plan.status is PlanStatus.UNRESOLVED and "tools" in plan.reason
    assert raised > 15


def test_a_length_beyond_the_bound_says_so() -> None:
    world = worlds()[0]
    assert "max_extra" in plan_of(world, aim="raise_shortest", raise_shortest=3, max_extra=2).reason


def test_every_path_can_be_kept() -> None:
    for world in worlds()[:25]:
        paths = set(paths_of(world))
        kept = {frozenset(plan_of(world, seed).kept_path) for seed in range(40 * len(paths))}
        assert kept == paths


def test_plans_depend_on_seed_and_task_only(mini: World) -> None:
    once, again = ExactPlanner(mini), ExactPlanner(mini)
    plans = [once.plan(task.task_id, config(), 1) for task in mini.tasks]
    assert plans == [again.plan(task.task_id, config(), 1) for task in reversed(mini.tasks)][::-1]
    assert any(plans != [once.plan(task.task_id, config(), seed) for task in mini.tasks] for seed in range(2, 8))


def test_kinds(mini: World) -> None:
    plan = ExactPlanner(mini).plan(mini.tasks[0].task_id, config(kinds=(Kind.IMPLICIT,)), 1)
    assert set(plan.blocked.values()) == {(Kind.IMPLICIT,)}


def test_the_reference_planner_refuses_aims_it_lacks(mini: World) -> None:
    with pytest.raises(SettingError, match="exact planner"):
        Planner(mini, config(planner="reference", aim="blocked_tools"), 42)


def damaged(world: World, plan: BlockPlan) -> list[tuple[str, BlockPlan]]:
    claims = plan.certificate
    assert claims is not None
    change = msgspec.structs.replace
    fewer = dict(list(plan.blocked.items())[1:])
    return [
        ("no task", change(plan, task_id="nope")),
        ("another path survives", change(plan, blocked=fewer)),
        ("which is blocked", change(plan, blocked={**plan.blocked, plan.kept_path[0]: (Kind.EXPLICIT,)})),
        ("no executable tool", change(plan, blocked={**plan.blocked, "nope": (Kind.EXPLICIT,)})),
        ("no kind of block alternative", change(plan, blocked=dict.fromkeys(plan.blocked, (Kind.STALE,)))),
        ("nothing replaces it", change(plan, blocked=dict.fromkeys(plan.blocked, ()))),
        ("before its inputs", change(plan, kept_path=plan.kept_path[::-1])),
        ("no minimal tool set", change(plan, kept_path=plan.kept_path[:-1])),
        ("which is no tool", change(plan, kept_path=("nope",))),
        ("before blocking", change(plan, certificate=change(claims, shortest_before=99))),
        ("after blocking", change(plan, certificate=change(claims, shortest_after=99))),
        ("paths remain", change(plan, remaining=2)),
        ("missed by", change(plan, certificate=change(claims, miss=3))),
        ("no certificate", change(plan, certificate=None)),
        ("the status is", change(plan, status=PlanStatus.NOT_BLOCKABLE)),
        ("an unresolved plan", change(plan, status=PlanStatus.UNRESOLVED)),
    ]


def test_the_checker_finds_every_false_claim(mini: World) -> None:
    planner = ExactPlanner(mini)
    plan = next(p for task in mini.tasks if len((p := planner.plan(task.task_id, config(), 1)).blocked) > 1)
    assert check_plan(mini, plan) == []
    for expected, false in damaged(mini, plan):
        assert any(expected in problem for problem in check_plan(mini, false)), expected


def test_the_checker_wants_a_path_that_executes() -> None:
    for world in worlds(nulls=True):
        silent = [path for path in paths_of(world) if not executes(world, path)]
        if silent:
            full = msgspec.structs.replace(world, records=random_world_records(world))
            plans = [ExactPlanner(full).plan("task", config(), seed) for seed in range(30)]
            plan = next((p for p in plans if frozenset(p.kept_path) in silent), None)
            if plan is not None:
                assert any("answers on record" in problem for problem in check_plan(world, plan))
                return
    raise AssertionError("no world had a path that doesn't execute")


def random_world_records(world: World) -> tuple[Any, ...]:
    record = world.records[0]
    values = {name: f"value of {name}" for name in record.values}
    return (msgspec.structs.replace(record, values=values),)


@pytest.mark.parametrize("length", ["any", "shortest", "longest"])
def test_one_path_on_every_task_of_the_release(release: World, length: str) -> None:
    planner = ExactPlanner(release)
    cfg = msgspec.structs.replace(BlockingConfig(enabled=True), length=length)
    plans = [planner.plan(task.task_id, cfg, 42) for task in release.tasks]
    assert all(plan.resolved and plan.remaining == 1 for plan in plans)
    sample = plans if length == "any" else plans[::10]
    assert [problem for plan in sample for problem in check_plan(release, plan)] == []
