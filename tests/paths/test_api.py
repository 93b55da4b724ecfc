"""Edges of the interface: errors, limits, honest bounds, and tool sets far larger than the release."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

import planbench_xl.paths as paths
from planbench_xl.paths import (
    PathError,
    ToolGraph,
    count_minimal,
    count_orders,
    is_minimal_solution,
    legal_orders,
    longest,
    minimal_tool_sets,
    reachable,
    reachable_within,
    shortest,
    some_minimal_set,
    summarise,
    survives,
    useful,
)
from planbench_xl.paths.deadline import Deadline
from planbench_xl.paths.problem import Problem
from planbench_xl.paths.table import CountTable


def chain(length: int) -> ToolGraph:
    return ToolGraph((f"t{i}", [f"d{i}"], [f"d{i + 1}"]) for i in range(length))


def ladder(rungs: int, ways: int = 2) -> ToolGraph:
    """Every step in `ways` variants: ways ** rungs minimal sets."""
    return ToolGraph((f"t{i}_{w}", [f"d{i}"], [f"d{i + 1}"]) for i in range(rungs) for w in range(ways))


def grid(side: int) -> ToolGraph:
    """Every datatype leads to its four neighbours: minimal sets are paths that never cross themselves."""
    tools = []
    for x, y in itertools.product(range(side), repeat=2):
        for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if 0 <= x + dx < side and 0 <= y + dy < side:
                tools.append((f"{x},{y}>{x + dx},{y + dy}", [f"{x},{y}"], [f"{x + dx},{y + dy}"]))
    return ToolGraph(tools)


def exchange(count: int) -> ToolGraph:
    """Two-output tools in two variants: every listing has to weed out repeats."""
    return ToolGraph((f"t{i}{v}", [f"a{i}", f"b{i}"], [f"a{i + 1}", f"b{i + 1}"]) for i in range(count) for v in "xy")


def test_public_names_are_sorted_and_there() -> None:
    assert all(hasattr(paths, name) for name in paths.__all__)
    assert len(set(paths.__all__)) == len(paths.__all__)


def test_engine_does_not_import_the_world() -> None:
    code = "import sys, planbench_xl.paths; print([m for m in sys.modules if m.startswith('planbench_xl.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    modules = [m for m in loaded.strip("[]\n").replace("'", "").split(", ") if m]
    assert all(m == "planbench_xl.errors" or m.startswith("planbench_xl.paths") for m in modules)


def test_errors_name_the_tool() -> None:
    with pytest.raises(PathError, match="'a' is given twice"):
        ToolGraph([("a", ["x"], ["y"]), ("a", ["y"], ["z"])])
    with pytest.raises(PathError, match="'a': inputs and outputs must be collections"):
        ToolGraph([("a", "xy", ["z"])])
    graph = chain(2)
    for call in (
        lambda: graph.restrict(["nope"]),
        lambda: graph.without(["nope"]),
        lambda: graph.inputs("nope"),
        lambda: reachable(graph, ["d0"], without=["nope"]),
        lambda: survives(graph, ["d0"], ["d1"], ["nope"]),
        lambda: is_minimal_solution(graph, ["d0"], ["d1"], ["nope"]),
        lambda: count_orders(graph, ["d0"], ["nope"]),
        lambda: legal_orders(graph, ["d0"], ["nope"]),
    ):
        with pytest.raises(PathError, match="unknown tool 'nope'"):
            call()
    with pytest.raises(PathError, match="collection of tool names"):
        reachable(graph, ["d0"], without="t0")


def test_graph_reads_back() -> None:
    graph = ToolGraph([("b", ["x", "y"], ["z"]), ("a", [], ["x"])])
    assert graph.tools == tuple(graph) == ("b", "a") and len(graph) == 2
    assert graph.datatypes == ("x", "y", "z")
    assert graph.inputs("b") == {"x", "y"} and graph.outputs("b") == {"z"} and not graph.inputs("a")
    assert "a" in graph and "c" not in graph and repr(graph) == "ToolGraph(2 tools, 3 datatypes)"
    assert graph.restrict(["a"]).tools == ("a",) and graph.without(["a"]).tools == ("b",)


def test_target_in_the_start_needs_no_tools() -> None:
    summary = summarise(chain(3), ["d0", "unknown"], ["unknown", "d0"])
    assert summary.count.value == 1 and summary.count.by_size == {0: 1}
    assert summary.shortest.size == summary.longest.size == 0
    assert summary.useful.tools == frozenset() and summary.useful.datatypes == {"d0", "unknown"}
    assert list(minimal_tool_sets(chain(3), ["d0"], ["d0"])) == [frozenset()]
    assert list(legal_orders(chain(3), ["d0"], [])) == [()] and count_orders(chain(3), ["d0"], []) == 1


@pytest.mark.parametrize("target", ["d0", "unknown"])
def test_target_out_of_reach(target: str) -> None:
    graph = chain(3)
    summary = summarise(graph, ["d1"], [target])
    assert summary.count.value == 0 and summary.count.exact
    assert summary.shortest.size is None and summary.shortest.exact
    assert summary.longest.size is None and summary.useful.exact and not summary.useful.datatypes
    assert some_minimal_set(graph, ["d1"], [target]) is None
    assert list(minimal_tool_sets(graph, ["d1"], [target])) == []


def test_limit_tells_whether_there_are_more() -> None:
    graph = ladder(3)
    exactly = minimal_tool_sets(graph, ["d0"], ["d3"], limit=8)
    assert len(list(exactly)) == 8 and exactly.complete and exactly.stopped is None
    fewer = minimal_tool_sets(graph, ["d0"], ["d3"], limit=7)
    assert len(list(fewer)) == 7 and not fewer.complete and fewer.stopped == "limit"
    assert fewer.complete_to == 2


def test_counts_far_beyond_listing() -> None:
    summary = summarise(ladder(200), ["d0"], ["d200"])
    assert summary.count.exact and summary.count.value == 2**200 and str(summary.count).startswith("1,606,")
    assert summary.shortest.size == summary.longest.size == 200
    assert len(summary.useful.tools) == 400 and len(summary.useful.datatypes) == 201


def test_grid_counts_are_the_known_ones() -> None:
    # Self-avoiding paths between opposite corners of a square of cells.
    for cells, known in ((1, 2), (2, 12), (3, 184), (4, 8512)):
        count = count_minimal(grid(cells + 1), ["0,0"], [f"{cells},{cells}"])
        assert count.exact and count.value == known


def test_bounded_counts_are_the_counts_cut_off() -> None:
    graph, start, targets = grid(4), ["0,0"], ["3,2"]
    full = count_minimal(graph, start, targets)
    for most in range(16):
        bounded = count_minimal(graph, start, targets, max_tools=most)
        assert bounded.exact and bounded.by_size == {k: n for k, n in full.by_size.items() if k <= most}


def test_a_tool_may_come_too_late_for_what_it_gives() -> None:
    # `late` gives p, but in the long set p is needed before: p has another producer there.
    graph = ToolGraph(
        [
            ("late", ["r"], ["a", "p"]),
            ("w1", ["s"], ["m1"]),
            ("w2", ["m1"], ["m2"]),
            ("w3", ["m2"], ["p"]),
            ("v", ["p"], ["r"]),
            ("x", ["s"], ["r"]),
        ]
    )
    found = list(minimal_tool_sets(graph, ["s"], ["a", "p"]))
    assert found == [{"x", "late"}, {"w1", "w2", "w3", "v", "late"}]


def test_listing_of_several_outputs_has_no_repeats() -> None:
    graph = exchange(5)
    found = list(minimal_tool_sets(graph, ["a0", "b0"], ["a5", "b5"]))
    assert len(found) == len(set(found)) == 32
    assert count_minimal(graph, ["a0", "b0"], ["a5", "b5"], cap=10).value == 11
    assert not count_minimal(graph, ["a0", "b0"], ["a5", "b5"], cap=10).exact
    assert count_minimal(graph, ["a0", "b0"], ["a5", "b5"], cap=32).exact


def test_time_limits_end_in_honest_bounds() -> None:
    graph, start, targets = grid(13), ["0,0"], ["12,12"]
    count = count_minimal(graph, start, targets, time_limit=0.1)
    assert not count.exact and str(count).startswith("at least ")
    top = longest(graph, start, targets, time_limit=0.1)
    assert not top.exact and top.tool_set is not None and top.size == len(top.tool_set)
    assert is_minimal_solution(graph, start, targets, top.tool_set)
    listing = minimal_tool_sets(graph, start, targets, time_limit=0.1)
    assert list(listing) and listing.stopped == "time limit" and not listing.complete
    some = useful(graph, start, targets, time_limit=0.3)
    assert some.exact == (not some.undecided) and not some.tools & some.undecided
    none = summarise(graph, start, targets, time_limit=0.0)
    assert not none.count.exact and none.count.value >= 1 and none.longest.size is not None


def test_partial_counts_are_lower_bounds() -> None:
    problem = Problem(grid(5), ["0,0"], ["4,4"])
    full = CountTable(problem).by_size()
    assert sum(full.values()) == 8512
    for states in (1, 20, 100, 400):
        part = CountTable(problem, None, Deadline(None), states)
        assert not part.complete
        assert all(count <= full[size] for size, count in part.by_size().items())


def test_shortest_bounds_enclose_the_answer() -> None:
    # Sixteen targets that share nothing but choices: hard enough to run into the limit.
    tools = [
        (f"{kind}{i}", [f"m{(i * 7 + shift) % 23}", f"m{(i * 5 + 3 * shift) % 23}"], [f"y{i}"])
        for i in range(16)
        for shift, kind in enumerate("abcd")
    ]
    tools += [(f"m{j}{v}", ["s"], [f"m{j}"]) for j in range(23) for v in "xy"]
    graph, targets = ToolGraph(tools), [f"y{i}" for i in range(16)]
    best = shortest(graph, ["s"], targets, time_limit=0.2)
    assert best.size is not None and best.tool_set is not None
    assert best.lower <= best.size == len(best.tool_set) and best.exact == (best.lower == best.size)
    assert is_minimal_solution(graph, ["s"], targets, best.tool_set)


def test_long_chains_need_no_recursion() -> None:
    graph = chain(1_100)
    start, targets = ["d0"], ["d1100"]
    summary = summarise(graph, start, targets)
    assert summary.count.value == 1 and summary.shortest.size == 1_100 and summary.useful.exact
    assert [len(tools) for tools in minimal_tool_sets(graph, start, targets)] == [1_100]
    assert count_orders(graph, start, graph.tools) == 1
    assert next(legal_orders(graph, start, graph.tools)) == graph.tools


def test_orders_of_a_wide_set() -> None:
    graph = ToolGraph([*((f"t{i}", ["s"], [f"m{i}"]) for i in range(10)), ("end", [f"m{i}" for i in range(10)], ["y"])])
    assert count_orders(graph, ["s"], graph.tools) == 3_628_800
    assert len(set(itertools.islice(legal_orders(graph, ["s"], graph.tools), 100))) == 100
    # A tool that gives nothing new is no legal step, and all tools of the set must be called.
    twice = ToolGraph([("a", ["s"], ["y"]), ("b", ["s"], ["y"])])
    assert list(legal_orders(twice, ["s"], ["a", "b"])) == [] and count_orders(twice, ["s"], ["a", "b"]) == 0


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from planbench_xl.paths import *\n"
        "g = ToolGraph((f't{i}', {f'd{i % 5}', f'd{i * 3 % 7}'}, {f'd{i * 2 % 7}', f'd{i % 4}'}) for i in range(14))\n"
        "sets = minimal_tool_sets(g, {'d0', 'd1'}, {'d6', 'd5', 'd4'})\n"
        "print([sorted(s) for s in sets], sorted(shortest(g, {'d0', 'd1'}, {'d6', 'd4'}).tool_set or ()))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_reach_in_a_number_of_rounds() -> None:
    graph = ToolGraph([("a", ["x"], ["y"]), ("b", ["x"], ["z"]), ("c", ["y", "z"], ["w"]), ("d", ["w"], ["v"])])
    assert reachable_within(graph, ["x"], 0) == {"x"}
    assert reachable_within(graph, ["x"], 1) == {"x", "y", "z"}
    assert reachable_within(graph, ["x", "unused"], 2) == {"x", "y", "z", "w", "unused"}
    assert reachable_within(graph, ["x"], 9) == reachable(graph, ["x"])
