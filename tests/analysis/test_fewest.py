"""Regret and the first wrong turn."""

from __future__ import annotations

import random

import pytest

from planbench_xl.analysis import analyse_episode
from planbench_xl.analysis.fewest import Horizon
from planbench_xl.metrics.facts import facts_of
from planbench_xl.paths import ToolGraph, shortest
from planbench_xl.world import Task, World, load_world
from tests.analysis.turns import CHARGE, COST, JOB, LOAN, LOAN_STALE, READY, REPORT, call, rejected, search
from tests.metrics.conftest import Make, answered

PATH = (call(LOAN, "L1"), call(REPORT, "D1"), call(JOB, "W1"), call(COST, 57.2))
ALL = (LOAN, REPORT, JOB, COST)
RIGHT = answered("57.2")


def test_a_perfect_episode(mini: World, make: Make) -> None:
    searches = [search(name) for name in ALL]
    turns = [turn for pair in zip(searches, PATH, strict=True) for turn in pair]
    found = analyse_episode(mini, make(*turns, RIGHT, success=True))
    assert (found.turns, found.regret, found.first_wrong_turn) == (9, 0, None)


def test_one_retrieval_for_several_tools(mini: World, make: Make) -> None:
    found = analyse_episode(mini, make(search(*ALL), *PATH, RIGHT, success=True))
    assert (found.turns, found.regret, found.first_wrong_turn) == (6, 0, None)
    # Tool by tool first, then all at once: the last retrieval alone would have done.
    late = analyse_episode(mini, make(*(search(name) for name in ALL), search(*ALL), *PATH, RIGHT, success=True))
    assert (late.turns, late.regret, late.first_wrong_turn) == (10, 4, 5)


def test_regret_looks_at_the_tools_shown_alone(mini: World, make: Make) -> None:
    assert analyse_episode(mini, make(search(LOAN, REPORT, JOB))).regret is None
    wrong = [call(LOAN_STALE, "x")] * 6
    assert analyse_episode(mini, make(search(LOAN_STALE, *ALL), *wrong, answered("9"))).regret == 8 - 6
    # It gave up before a perfect player would have been done.
    assert analyse_episode(mini, make(search(LOAN_STALE, *ALL), *wrong[:2], answered("9"))).regret is None


def test_regret_where_all_tools_are_shown(mini: World, make: Make) -> None:
    found = analyse_episode(mini, make(*PATH, RIGHT, success=True))
    assert (found.turns, found.regret, found.first_wrong_turn) == (5, 0, None)
    detour = analyse_episode(mini, make(PATH[0], call(CHARGE, "C"), *PATH[1:], RIGHT, success=True))
    assert (detour.regret, detour.first_wrong_turn) == (1, 2)


@pytest.mark.parametrize(
    ("wrong", "number"),
    [
        (search(), 3),
        (search(LOAN), 3),
        (search(READY), 3),
        (search(CHARGE), 3),
        (call(LOAN_STALE, "x"), 3),
        (rejected(JOB), 3),
        (call(LOAN, "L1"), 3),
        (answered("57.2"), 3),
        (answered("57.2", continued=True), 3),
        (search(COST), None),
    ],
)
def test_the_first_wrong_turn(mini: World, make: Make, wrong: object, number: int | None) -> None:
    found = analyse_episode(mini, make(search(LOAN), PATH[0], wrong))
    assert found.first_wrong_turn == number


def test_a_wrong_answer_at_the_end_is_a_wrong_turn(mini: World, make: Make) -> None:
    assert analyse_episode(mini, make(search(*ALL), *PATH, answered("58.1"))).first_wrong_turn == 6


def with_retrievals(horizon: Horizon, facts: object, retrievals: list[int]) -> int | None:
    """Return the fewest turns by asking the path engine about every choice of retrievals."""
    best = None
    for choice in range(1 << len(retrievals)):
        chosen = [mask for number, mask in enumerate(retrievals) if choice >> number & 1]
        shown = 0
        for mask in chosen:
            shown |= mask
        edges = [edge for place, edge in enumerate(horizon._edges) if shown >> place & 1]
        graph = ToolGraph((f"t{n}", _bits(needs), _bits(gives)) for n, (needs, gives) in enumerate(edges))
        found = shortest(graph, _bits(horizon._paths.start), _bits(horizon._paths.targets)).size
        if found is not None and (best is None or found + len(chosen) + 1 < best):
            best = found + len(chosen) + 1
    return best


def _bits(mask: int) -> list[str]:
    return [str(place) for place in range(mask.bit_length()) if mask >> place & 1]


def _horizon(world: World, task: Task, blocked: frozenset[str]) -> Horizon:
    facts = facts_of(world)
    return Horizon(facts, facts.open_paths(task.task_id, blocked))


@pytest.mark.parametrize("name", ["mini", "retail"])
def test_both_are_the_fewest(name: str) -> None:
    """Against the path engine: retrieval by retrieval, and with a pseudo-tool for each tool that isn't seen."""
    world = load_world(name)
    facts = facts_of(world)
    rng = random.Random(7)
    names = [tool.name for tool in world.executable]
    compared = 0
    for task in (rng.choice(world.tasks) for _ in range(20)):
        blocked = frozenset(rng.sample(names, rng.choice((0, 0, 2))))
        horizon = _horizon(world, task, blocked)
        seen = horizon.shown(rng.sample(names, rng.randrange(len(names))))
        rest = horizon.rest(horizon.start, seen)
        if rest is not None:
            assert rest == 1 + horizon._search(horizon.start, horizon._one_by_one(seen, horizon.everything))
        groups = [world.tool[step].output_datatypes for step in task.solution][:6]
        retrievals = [horizon.shown(t.name for t in world.executable if t.output_datatypes == g) for g in groups]
        retrievals.append(retrievals[0] | retrievals[-1])
        fewest = horizon.fewest(retrievals)
        assert fewest == with_retrievals(horizon, facts, retrievals)
        compared += fewest is not None
    assert compared > 5
