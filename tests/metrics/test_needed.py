"""What a path needs, datatype by datatype, against the tools on all minimal sets."""

from __future__ import annotations

import random

import pytest

from planbench_xl.metrics.facts import Facts
from planbench_xl.metrics.needed import OpenPaths, closure
from planbench_xl.world import World, load_world


def compare(world: World, seed: int, tasks: int, steps: int = 5) -> tuple[int, int]:
    """Walk at random and compare every datatype that could come next; return how many are needed, and of how many."""
    rng = random.Random(seed)
    facts = Facts(world)
    tools = list(world.executable)
    needed = asked = 0
    for task in (rng.choice(world.tasks) for _ in range(tasks)):
        blocked = frozenset(t.name for t in rng.sample(tools, rng.choice((0, 0, 3, len(tools) // 8))))
        paths = facts.open_paths(task.task_id, blocked)
        have = set(task.inputs)
        for _ in range(steps):
            truth = facts.needed(task.task_id, frozenset(have), blocked)
            callable_now = [
                t
                for t in tools
                if t.name not in blocked and have.issuperset(t.inputs) and not have.issuperset(t.output_datatypes)
            ]
            for datatype in {d for t in callable_now for d in t.output_datatypes if d not in have}:
                found = paths.needs(facts.mask(have), facts.mask([datatype]))
                assert found == (datatype in truth.datatypes), (task.task_id, sorted(have), datatype)
                asked += 1
                needed += found
            if not callable_now:
                break
            have.update(rng.choice(callable_now).output_datatypes)
        assert paths.exact and truth.exact
    return needed, asked


@pytest.mark.parametrize("name", ["mini", "retail"])
def test_as_all_minimal_sets_say(name: str) -> None:
    needed, asked = compare(load_world(name), 3, 20)
    assert 0 < needed < asked


@pytest.mark.slow
def test_as_all_minimal_sets_say_on_the_release(release: World) -> None:
    needed, asked = compare(release, 4, 60)
    assert 0 < needed < asked


def ask_nobody(obtained: int) -> tuple[int, bool]:
    raise AssertionError("the search over chains should have answered")


A, B, C, D, E = (1 << place for place in range(5))


def test_a_side_input_that_must_be_derived_first() -> None:
    """From a: b, c; b and c give d (the target). Once b is there, c is needed, and the other way round."""
    paths = OpenPaths(((A, B), (A, C), (B | C, D)), A, D, ask_nobody)
    assert paths.needs(A, B) and paths.needs(A, C) and paths.needs(A | B, C) and paths.needs(A | B | C, D)
    assert not paths.needs(A | B, B) and not paths.needs(A, E)


def test_a_side_input_that_makes_the_chain_pointless() -> None:
    """Tool b+c → d needs c, and c alone gives d's only taker: b is on no minimal set."""
    edges = ((A, B), (A, C), (C, E), (B | E, D))
    paths = OpenPaths(edges, A, E, ask_nobody)
    assert not paths.needs(A, B) and paths.needs(A, C)
    around = OpenPaths(((A, B), (A, C), (B | D, C), (C, D)), A, D, ask_nobody)
    assert not around.needs(A, B)  # its only use needs the target first


def test_targets_out_of_reach_need_nothing() -> None:
    paths = OpenPaths(((A, B), (C, D)), A, D, ask_nobody)
    assert not paths.solvable and not paths.needs(A, B)


def test_a_search_given_up_asks_for_all_paths() -> None:
    asked = []

    def ask(obtained: int) -> tuple[int, bool]:
        asked.append(obtained)
        return B, False

    paths = OpenPaths(((A, B | C), (B, D), (C, D)), A, D, ask)
    assert not paths.single
    assert paths.needs(A, B) and paths.exact
    assert not paths.needs(A, C) and not paths.exact
    assert asked == [A, A]


def test_closure_avoids() -> None:
    edges = ((A, B), (B, C), (A, C | D))
    assert closure(edges, A, 0) == A | B | C | D
    assert closure(edges, A, B | D) == A | C


def test_a_tool_that_also_gives_what_the_task_gives() -> None:
    """From a: b; b gives the target d, and a again."""
    paths = OpenPaths(((A, B), (B, A | D)), A, D, ask_nobody)
    assert paths.solvable and paths.needs(A, B) and paths.needs(A | B, D)


def test_nothing_on_a_chain_through_what_is_there_already() -> None:
    """From a: b, then c from b, then the target; with c obtained, b is of no use any more."""
    paths = OpenPaths(((A, B), (B, C), (C, D)), A, D, ask_nobody)
    assert paths.needs(A, B) and not paths.needs(A | C, B) and paths.needs(A | C, D)
