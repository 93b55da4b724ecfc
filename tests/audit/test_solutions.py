"""Rows of solution paths: exact, at both levels, and honest about bounds."""

import pytest

from planbench_xl.audit.context import graph_of
from planbench_xl.audit.solutions import solution_paths
from planbench_xl.errors import UsageError
from planbench_xl.paths import is_minimal_solution, legal_orders
from planbench_xl.world import World
from tests.audit.conftest import edit_all, value


def test_rows_of_the_mini_world(mini: World) -> None:
    rows = list(solution_paths(mini, max_tools=5))
    assert [row.task_id for row in rows] == list(mini.task)
    for row in rows:
        listed = mini.tool_sets[row.task_id]
        sizes = [len(tool_set) for tool_set in listed]
        assert row.exact and not row.queries and row.tool_sets is None
        assert (row.count.value, row.up_to.value) == (len(listed), sum(size <= 5 for size in sizes))
        assert (row.shortest.value, row.longest.value) == (min(sizes), max(sizes))
        tools = [mini.tool[name] for tool_set in listed for name in tool_set]
        assert set(row.useful_datatypes) == {*row.targets, *(name for tool in tools for name in tool.inputs)}


def test_listed_sets_are_legal_orders(mini: World) -> None:
    (row,) = solution_paths(mini, ["library_task_01"], max_tools=7, listing=True)
    graph = graph_of(mini)
    assert row.tool_sets is not None and len(row.tool_sets) == row.up_to.value == 3
    assert [len(tools) for tools in row.tool_sets] == [6, 7, 7]
    for tools in row.tool_sets:
        assert is_minimal_solution(graph, row.inputs, row.targets, tools)
        assert tools in set(legal_orders(graph, row.inputs, tools))


def test_one_row_at_record_level_where_records_do_not_differ(mini: World) -> None:
    rows = list(solution_paths(mini, level="record"))
    assert len(rows) == len(mini.tasks)
    assert {query for row in rows for query in row.queries} == set(mini.query)
    assert [row.count for row in rows] == [row.count for row in solution_paths(mini)]


def test_a_row_per_kind_of_record(mini: World) -> None:
    # Without the slip of the van, two of the four ways don't execute; L* stays.
    world = value("case_atlas", transfer_slip_id=None)(mini)
    first, second = solution_paths(world, ["library_task_01"], level="record")
    assert (first.queries, first.count.value) == (("library_query_01",), 2)
    assert (second.queries, second.count.value) == (("library_query_02",), 4)


def test_an_unsolvable_record(mini: World) -> None:
    world = value("case_atlas", repair_cost_amount=None)(mini)
    row = next(solution_paths(world, ["library_task_01"], level="record"))
    assert row.exact and row.count.value == 0 and row.shortest.value is row.longest.value is None


def test_no_row_without_a_record(mini: World) -> None:
    world = edit_all("queries", lambda entry: {"record_id": "ghost"})(mini)
    assert list(solution_paths(world, level="record")) == []


def test_unknown_tasks_are_refused_at_once(mini: World) -> None:
    with pytest.raises(UsageError, match=r"no task 'library_task_1'.*Did you mean 'library_task_01'"):
        solution_paths(mini, ["library_task_1"])


def test_bounds_are_said_to_be_bounds(release: World) -> None:
    (row,) = solution_paths(release, ["retail_task_0118"], max_tools=40, listing=True, time_limit=1e-6)
    assert not row.exact and not row.listing_complete
    assert row.tool_sets is not None and row.up_to.value is not None
