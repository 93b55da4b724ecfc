"""The engine on the published release, against counts made by another search and the release's catalogue."""

from __future__ import annotations

import pytest

from planbench_xl.paths import (
    PathSummary,
    ToolGraph,
    count_minimal,
    count_orders,
    is_minimal_solution,
    legal_orders,
    longest,
    minimal_tool_sets,
    shortest,
    survives,
    survivors,
    useful,
)

from .conftest import Task

Golden = dict[str, dict[str, int | None]]
LISTED = 20_000  # the golden counts stop here: null means more


def test_golden_counts(golden: Golden, summaries: dict[str, PathSummary]) -> None:
    assert len(golden) == 164
    for name, facts in golden.items():
        summary = summaries[name]
        assert summary.count.exact and summary.longest.exact and summary.shortest.exact
        assert summary.count.up_to(9) == facts["count_up_to_9_tools"], name
        assert summary.shortest.size == facts["shortest"], name
        if facts["count"] is None:
            assert summary.count.value > LISTED, name
        else:
            assert summary.count.value == facts["count"], name
            assert summary.longest.size == facts["longest"], name


def test_golden_listing(
    golden: Golden, release_graph: ToolGraph, release_tasks: dict[str, Task], summaries: dict[str, PathSummary]
) -> None:
    for name, facts in golden.items():
        if facts["count"] is None:
            continue
        task = release_tasks[name]
        sets = minimal_tool_sets(release_graph, task.start, task.targets, limit=LISTED)
        listed = list(sets)
        assert sets.complete and len(listed) == len(set(listed)) == facts["count"], name
        sizes = [len(tools) for tools in listed]
        assert sizes == sorted(sizes) and (sizes[0], sizes[-1]) == (facts["shortest"], facts["longest"])
        assert frozenset().union(*listed) == summaries[name].useful.tools


@pytest.mark.slow
def test_golden_listing_of_many(golden: Golden, release_graph: ToolGraph, release_tasks: dict[str, Task]) -> None:
    for name, facts in golden.items():
        if facts["count"] is None:
            task = release_tasks[name]
            sets = minimal_tool_sets(release_graph, task.start, task.targets, limit=LISTED)
            assert len(set(sets)) == sets.listed == LISTED, name
            assert sets.stopped == "limit" and not sets.complete


def test_golden_listing_up_to_nine(golden: Golden, release_graph: ToolGraph, release_tasks: dict[str, Task]) -> None:
    for name, facts in golden.items():
        task = release_tasks[name]
        sets = minimal_tool_sets(release_graph, task.start, task.targets, max_tools=9)
        listed = list(sets)
        assert sets.complete and len(set(listed)) == len(listed) == facts["count_up_to_9_tools"], name
        first = shortest(release_graph, task.start, task.targets)
        assert first.exact and first.size == facts["shortest"] and first.tool_set in listed
        for tools in listed[:: max(1, len(listed) // 3)]:
            assert is_minimal_solution(release_graph, task.start, task.targets, tools)
            order = next(legal_orders(release_graph, task.start, tools))
            assert frozenset(order) == tools
            assert count_orders(release_graph, task.start, tools) >= 1


def test_every_catalogue_path_is_found(
    release_graph: ToolGraph,
    release_tasks: dict[str, Task],
    catalogue: dict[str, list[frozenset[str]]],
    summaries: dict[str, PathSummary],
) -> None:
    entries = complete = shorter = 0
    for name, paths in catalogue.items():
        task = release_tasks[name]
        most = max(map(len, paths))
        found = set(minimal_tool_sets(release_graph, task.start, task.targets, max_tools=most))
        for tools in paths:
            # All entries of this release are minimal; one that is not would have to be left out here.
            assert is_minimal_solution(release_graph, task.start, task.targets, tools)
            assert tools in found, name
        entries += len(set(paths))
        summary = summaries[name]
        complete += summary.count.value == len(set(paths))
        assert summary.shortest.size is not None
        shorter += summary.shortest.size < min(map(len, paths))
    # 72 complete tasks and 15 with a shorter solution: the known weaknesses of the release.
    assert (entries, complete, shorter) == (4313, 72, 15)


def test_parts_agree_with_the_summary(
    release_graph: ToolGraph, release_tasks: dict[str, Task], summaries: dict[str, PathSummary]
) -> None:
    for name in list(release_tasks)[::40]:
        task, summary = release_tasks[name], summaries[name]
        assert count_minimal(release_graph, task.start, task.targets) == summary.count
        assert longest(release_graph, task.start, task.targets) == summary.longest
        assert useful(release_graph, task.start, task.targets) == summary.useful
        assert summary.shortest.tool_set is not None
        assert is_minimal_solution(release_graph, task.start, task.targets, summary.shortest.tool_set)
        assert summary.longest.tool_set is not None
        assert is_minimal_solution(release_graph, task.start, task.targets, summary.longest.tool_set)
        bound = longest(release_graph, task.start, task.targets, max_tools=9)
        assert bound.size == max(size for size in summary.count.by_size if size <= 9)


def test_survivors_of_one_path_blocked(
    release_graph: ToolGraph, release_tasks: dict[str, Task], golden: Golden
) -> None:
    for name in list(golden)[::10]:
        if golden[name]["count"] is None:
            continue
        task = release_tasks[name]
        everything = list(minimal_tool_sets(release_graph, task.start, task.targets))
        kept = everything[-1]
        removed = set(sorted(frozenset(release_graph.tools) - kept)[::4])
        left = set(survivors(release_graph, task.start, task.targets, removed))
        assert left == {tools for tools in everything if not tools & removed}
        assert survives(release_graph, task.start, task.targets, removed) and kept in left
