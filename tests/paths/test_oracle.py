"""Every question to the engine, answered by brute force as well, on thousands of small random tool sets."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planbench_xl.paths import (
    ToolGraph,
    between,
    count_minimal,
    count_orders,
    few_minimal_sets,
    is_minimal_solution,
    legal_orders,
    longest,
    minimal_tool_sets,
    reachable,
    shortest,
    some_minimal_set,
    summarise,
    survives,
    survivors,
    useful,
)
from planbench_xl.paths.deadline import Deadline
from planbench_xl.paths.problem import Problem
from planbench_xl.paths.usefulness import set_through, tool_by_tool

from .oracle import Case, random_case


def check_sets(case: Case, graph: ToolGraph, expected: set[frozenset[str]]) -> None:
    sets = minimal_tool_sets(graph, case.start, case.targets)
    listed = list(sets)
    assert len(listed) == len(set(listed)) == sets.listed
    assert set(listed) == expected
    assert [len(s) for s in listed] == sorted(len(s) for s in listed)
    assert sets.complete and sets.stopped is None
    assert all(is_minimal_solution(graph, case.start, case.targets, s) for s in listed)
    bound = len(graph) // 2
    bounded = minimal_tool_sets(graph, case.start, case.targets, max_tools=bound)
    assert set(bounded) == {s for s in expected if len(s) <= bound}
    assert bounded.complete and bounded.complete_to == bound
    few = few_minimal_sets(graph, case.start, case.targets, len(expected))
    assert few is not None and len(few) == len(expected) and set(few) == expected
    assert not expected or few_minimal_sets(graph, case.start, case.targets, len(expected) - 1) is None
    part = between(graph, case.start, case.targets)
    assert set(minimal_tool_sets(part, case.start, case.targets)) == expected


def check_figures(case: Case, graph: ToolGraph, expected: set[frozenset[str]]) -> None:
    sizes = Counter(len(s) for s in expected)
    count = count_minimal(graph, case.start, case.targets)
    assert count.exact and count.value == len(expected) and count.by_size == sizes
    bound = len(graph) // 2
    few = count_minimal(graph, case.start, case.targets, max_tools=bound)
    assert few.exact and few.by_size == {k: n for k, n in sizes.items() if k <= bound}
    assert count.up_to(bound) == few.value

    best = shortest(graph, case.start, case.targets)
    assert best.exact and best.size == min(sizes, default=None)
    assert best.tool_set in expected if expected else best.tool_set is None
    top = longest(graph, case.start, case.targets)
    assert top.exact and top.size == max(sizes, default=None)
    assert top.tool_set in expected if expected else top.tool_set is None
    short_top = longest(graph, case.start, case.targets, max_tools=bound)
    assert short_top.exact and short_top.size == max((k for k in sizes if k <= bound), default=None)


def check_useful(case: Case, graph: ToolGraph, expected: set[frozenset[str]]) -> None:
    tools = frozenset().union(*expected)
    inputs = {name: needs for name, needs, _ in case.tools}
    datatypes = frozenset(case.targets if expected else ()).union(*(inputs[tool] for tool in tools))
    answer = useful(graph, case.start, case.targets)
    assert (answer.tools, answer.datatypes, answer.exact) == (tools, datatypes, True)
    problem = Problem(graph, case.start, case.targets)
    if problem.solvable and problem.goals:
        searched = tool_by_tool(problem, frozenset(case.targets), 0, Deadline(None))
        assert searched == answer
        for tool in range(problem.tool_count):
            found = set_through(problem, tool, Deadline(None), None)
            name = problem.tool_names(1 << tool)
            assert found is not None and bool(found) == (name <= tools)
            assert not found or (name <= problem.tool_names(found) in expected)
    summary = summarise(graph, case.start, case.targets)
    assert summary.useful == answer
    assert summary.count == count_minimal(graph, case.start, case.targets)
    assert summary.shortest.size == min(map(len, expected), default=None)
    assert summary.longest.size == max(map(len, expected), default=None)


def check_removal(case: Case, graph: ToolGraph, expected: set[frozenset[str]], rng: random.Random) -> None:
    removed = {name for name in graph if rng.random() < 0.3}
    left = {s for s in expected if not s & removed}
    assert set(survivors(graph, case.start, case.targets, removed)) == left
    assert set(minimal_tool_sets(graph.without(removed), case.start, case.targets)) == left
    assert survives(graph, case.start, case.targets, removed) == bool(left)
    found = some_minimal_set(graph, case.start, case.targets, without=removed)
    assert found in left if left else found is None
    kept = frozenset(graph) - removed
    assert reachable(graph, case.start, without=removed) == case.closure(kept)
    assert reachable(graph.restrict(kept), case.start) == case.closure(kept)


def check_orders(case: Case, graph: ToolGraph, names: frozenset[str]) -> None:
    expected = case.orders(names)
    orders = list(legal_orders(graph, case.start, names))
    assert len(orders) == len(set(orders))
    assert set(orders) == expected
    assert count_orders(graph, case.start, names) == len(expected)


def check(case: Case, rng: random.Random) -> None:
    graph = ToolGraph(case.tools)
    expected = case.minimal_sets()
    check_sets(case, graph, expected)
    check_figures(case, graph, expected)
    check_useful(case, graph, expected)
    check_removal(case, graph, expected, rng)
    for names in sorted(expected, key=sorted)[:2]:
        check_orders(case, graph, names)
    check_orders(case, graph, frozenset(rng.sample(graph.tools, min(4, len(graph)))))
    some = frozenset(name for name in graph if rng.random() < 0.5)
    assert is_minimal_solution(graph, case.start, case.targets, some) == (some in expected)


@pytest.mark.parametrize("seed", range(20))
def test_random_tool_sets(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        check(random_case(rng), rng)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_larger_random_tool_sets(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        check(random_case(rng, most_tools=12), rng)


DATATYPES = st.sampled_from([f"d{i}" for i in range(6)])
TOOLS = st.lists(
    st.tuples(st.lists(DATATYPES, max_size=3), st.lists(DATATYPES, min_size=1, max_size=3)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TOOLS, st.lists(DATATYPES, max_size=2), st.lists(DATATYPES, min_size=1, max_size=3), st.integers(0, 99))
def test_any_tool_set(
    tools: list[tuple[list[str], list[str]]], start: list[str], targets: list[str], seed: int
) -> None:
    specs = tuple((f"t{i}", tuple(needs), tuple(gives)) for i, (needs, gives) in enumerate(tools))
    check(Case(specs, tuple(start), tuple(targets)), random.Random(seed))
