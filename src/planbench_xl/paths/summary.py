"""All figures of one task from one run of the engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planbench_xl.paths.counting import Count, Longest, count_in, count_of, longest_in, longest_of, table_of
from planbench_xl.paths.deadline import Deadline
from planbench_xl.paths.graph import ToolGraph
from planbench_xl.paths.listing import Shortest, shortest_of
from planbench_xl.paths.problem import Problem
from planbench_xl.paths.usefulness import Useful, answer, useful_of


@dataclass(frozen=True)
class PathSummary:
    """What `summarise` says about a task; each part says whether it is exact.

    Attributes:
        count: The number of minimal tool sets, in all and by size.
        shortest: L* and one set of that size.
        longest: The largest minimal set.
        useful: The tools and datatypes over all minimal sets.
    """

    count: Count
    shortest: Shortest
    longest: Longest
    useful: Useful


def summarise(
    graph: ToolGraph,
    start: Iterable[str],
    targets: Iterable[str],
    cap: int | None = None,
    time_limit: float | None = None,
) -> PathSummary:
    """Count, shortest, longest and useful in one: cheaper than four calls, since one table answers all.

    Args:
        graph: The tools.
        start: The datatypes given.
        targets: The datatypes wanted.
        cap: As in `count_minimal`.
        time_limit: Seconds in all. Where one table can't answer, each part gets a fifth of it.
    """
    wanted = frozenset(targets)
    problem = Problem(graph, start, wanted)
    part = None if time_limit is None else time_limit / 5
    table = table_of(problem, None, Deadline(part))
    if table is not None and table.complete:
        count = count_in(table)
        least = min(count.by_size)
        return PathSummary(
            count,
            Shortest(least, problem.tool_names(table.one_of_size(least)), least, True),
            longest_in(table),
            answer(problem, wanted, table.members()),
        )
    if table is not None:
        count, longest = count_in(table), longest_in(table)
    else:
        count = count_of(problem, None, cap, Deadline(part))
        longest = longest_of(problem, None, Deadline(part))
    return PathSummary(count, shortest_of(problem, Deadline(part)), longest, useful_of(problem, wanted, Deadline(part)))
