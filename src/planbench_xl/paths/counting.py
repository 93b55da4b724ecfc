"""How many minimal tool sets a task has, and how large the largest is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planbench_xl.paths.deadline import Deadline
from planbench_xl.paths.graph import ToolGraph
from planbench_xl.paths.listing import MinimalToolSets
from planbench_xl.paths.problem import Problem
from planbench_xl.paths.reach import greedy_set
from planbench_xl.paths.table import CountTable

MAX_STATES = 2_000_000
"""Remainders after which counting gives up with a lower bound, for the sake of memory (a few GB)."""

TABLE_SIZE = 2_000
"""With more datatypes than this, sets are listed rather than counted by table: its masks grow too long."""


@dataclass(frozen=True)
class Count:
    """A number of minimal tool sets.

    Attributes:
        value: The number if `exact`, else a lower bound: there are at least this many.
        exact: Whether all sets (of at most `max_tools`, if asked so) have been counted.
        by_size: The number per number of tools; lower bounds if not exact.
    """

    value: int
    exact: bool
    by_size: dict[int, int]

    def up_to(self, tools: int) -> int:
        """Return the number of sets of at most this many tools (a lower bound if not exact)."""
        return sum(count for size, count in self.by_size.items() if size <= tools)

    def __str__(self) -> str:
        return f"{self.value:,}" if self.exact else f"at least {self.value:,}"


@dataclass(frozen=True)
class Longest:
    """The answer of `longest`.

    Attributes:
        size: The most tools of a minimal set if `exact`, else of the largest found, a lower bound. None if
            there is no set (or none was found).
        tool_set: A minimal set of that size, or None.
        exact: Whether no larger one (within `max_tools`, if given) exists.
    """

    size: int | None
    tool_set: frozenset[str] | None
    exact: bool


def count_minimal(
    graph: ToolGraph,
    start: Iterable[str],
    targets: Iterable[str],
    max_tools: int | None = None,
    cap: int | None = None,
    time_limit: float | None = None,
) -> Count:
    """Count the minimal tool sets of a task, by size, without listing them where that is possible.

    Where every tool gives a single datatype that matters to the task, equal remainders of the search are
    counted once. Otherwise the sets are listed.

    Args:
        graph: The tools.
        start: The datatypes given.
        targets: The datatypes wanted.
        max_tools: Count only sets of at most this many tools.
        cap: Where sets have to be listed, stop after more than this many: the answer is then `cap + 1`,
            not exact.
        time_limit: Seconds after which the answer is what has been counted, a lower bound.
    """
    return count_of(Problem(graph, start, targets), max_tools, cap, Deadline(time_limit))


def table_of(
    problem: Problem, max_tools: int | None, deadline: Deadline, max_states: int = MAX_STATES
) -> CountTable | None:
    """Return the table of a task, or None where a table can't or needn't count it."""
    if not problem.goals or not problem.solvable or problem.several or problem.size > TABLE_SIZE:
        return None
    return CountTable(problem, max_tools, deadline, max_states)


def count_of(problem: Problem, max_tools: int | None, cap: int | None, deadline: Deadline) -> Count:
    """Do the work of `count_minimal` on a pruned task."""
    table = table_of(problem, max_tools, deadline)
    if table is not None:
        return count_in(table, max_tools)
    sets = MinimalToolSets(problem, max_tools, None if cap is None else cap + 1, deadline)
    by_size: dict[int, int] = {}
    for chosen in sets.masks():
        size = chosen.bit_count()
        by_size[size] = by_size.get(size, 0) + 1
    return _count(problem, by_size, sets.complete, max_tools)


def count_in(table: CountTable, max_tools: int | None = None) -> Count:
    """Read the number of sets off a table."""
    return _count(table.problem, table.by_size(), table.complete, max_tools)


def _count(problem: Problem, by_size: dict[int, int], exact: bool, max_tools: int | None) -> Count:
    if not exact and not by_size:
        greedy = _greedy(problem, max_tools)
        by_size = {greedy.bit_count(): 1} if greedy else {}
    return Count(sum(by_size.values()), exact, by_size)


def greedy_mask(problem: Problem) -> int:
    """Return one minimal set of a solvable task with open targets, found in linear time."""
    found = greedy_set(problem.graph, problem.start_ids, problem.goal_ids)
    assert found is not None
    return problem.to_mask(found)


def _greedy(problem: Problem, max_tools: int | None) -> int:
    """Return the quickly found set if it is small enough, else 0: it saves a bound from being empty."""
    greedy = greedy_mask(problem)
    return greedy if max_tools is None or greedy.bit_count() <= max_tools else 0


def longest(
    graph: ToolGraph,
    start: Iterable[str],
    targets: Iterable[str],
    max_tools: int | None = None,
    time_limit: float | None = None,
) -> Longest:
    """Find the largest minimal tool set of a task, or the largest within a bound.

    Args:
        graph: The tools.
        start: The datatypes given.
        targets: The datatypes wanted.
        max_tools: Look only at sets of at most this many tools.
        time_limit: Seconds after which the answer is the largest set found.
    """
    return longest_of(Problem(graph, start, targets), max_tools, Deadline(time_limit))


def longest_of(problem: Problem, max_tools: int | None, deadline: Deadline) -> Longest:
    """Do the work of `longest` on a pruned task."""
    table = table_of(problem, max_tools, deadline)
    if table is not None:
        return longest_in(table, max_tools)
    sets = MinimalToolSets(problem, max_tools, None, deadline)
    last = None
    for chosen in sets.masks():
        last = chosen
    return _longest(problem, last, sets.complete, max_tools)


def longest_in(table: CountTable, max_tools: int | None = None) -> Longest:
    """Read the longest set off a table."""
    by_size = table.by_size()
    best = table.one_of_size(max(by_size)) if by_size else None
    return _longest(table.problem, best, table.complete, max_tools)


def _longest(problem: Problem, best: int | None, exact: bool, max_tools: int | None) -> Longest:
    if not exact:
        best = max(best or 0, _greedy(problem, max_tools), key=int.bit_count) or None
    if best is None:
        return Longest(None, None, exact)
    return Longest(best.bit_count(), problem.tool_names(best), exact)
