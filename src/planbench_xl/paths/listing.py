"""The minimal tool sets of a task, lazily and in order of size; the smallest one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from planbench_xl.paths.deadline import Deadline
from planbench_xl.paths.graph import ToolGraph
from planbench_xl.paths.problem import Pending, Problem, bits
from planbench_xl.paths.reach import greedy_set

Node = tuple[int, int, int, Pending]
"""A partial choice: number of tools, mask of tools, mask of decided datatypes, pending datatypes."""

CLOCK_EVERY = 256
"""Partial choices between two looks at the clock."""


class MinimalToolSets(Iterator[frozenset[str]]):
    """Iterator over the minimal tool sets of a task, smallest first; made by `minimal_tool_sets`.

    Attributes:
        listed: Number of sets given so far.
        complete: True once all sets (of at most `max_tools`, if given) have been given.
        stopped: Why the listing ended early: `"limit"` (there are more), `"time limit"` (there may be
            more), or None.
        complete_to: All sets of at most this many tools have been given.
    """

    def __init__(
        self,
        problem: Problem,
        max_tools: int | None = None,
        limit: int | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self.listed = 0
        self.complete = False
        self.stopped: str | None = None
        self.complete_to = -1
        self._problem = problem
        self._max_tools = max_tools
        self._limit = limit
        self._deadline = deadline or Deadline(None)
        self._masks = self.masks()

    def __iter__(self) -> MinimalToolSets:
        return self

    def __next__(self) -> frozenset[str]:
        return self._problem.tool_names(next(self._masks))

    def masks(self) -> Iterator[int]:
        """Give the sets as masks of the problem's tools; use this or the iterator itself, not both."""
        for found in self._search():
            if self._limit is not None and self.listed >= self._limit:
                self.stopped = "limit"
                return
            self.listed += 1
            yield found

    def _search(self) -> Iterator[int]:
        problem = self._problem
        if not problem.goals or not problem.solvable:
            if problem.solvable:
                yield 0
            self._finish()
            return
        # One stack per lower bound: emptying them in order gives the sets by size without repeated work.
        lowest = problem.bound(0, problem.first)
        stacks: list[list[Node]] = [[] for _ in range(lowest + 1)]
        if self._max_tools is None or lowest <= self._max_tools:
            stacks[lowest].append((0, 0, 0, problem.first))
        size = 0
        while size < len(stacks):
            self.complete_to = size - 1
            yield from self._of_size(size, stacks)
            if self.stopped is not None:
                return
            stacks[size] = []
            size += 1
        self._finish()

    def _finish(self) -> None:
        self.complete = True
        self.complete_to = len(self._problem.graph) if self._max_tools is None else self._max_tools

    def _of_size(self, size: int, stacks: list[list[Node]]) -> Iterator[int]:
        problem, stack = self._problem, stacks[size]
        several = problem.several
        most = self._max_tools
        seen: set[int] = set()
        steps = 0
        while stack:
            steps += 1
            if steps % CLOCK_EVERY == 0 and self._deadline.passed():
                self.stopped = "time limit"
                return
            count, chosen, decided, pending = stack.pop()
            if not pending:
                if several:
                    if chosen in seen:
                        continue
                    seen.add(chosen)
                    if not problem.is_minimal(chosen):
                        continue
                yield chosen
                continue
            after, ways = problem.expand(chosen, decided, pending)
            for tools, left in ways:
                total = count if several and tools & chosen else count + 1
                bound = problem.bound(total, left)
                if bound < size:
                    bound = size
                if most is not None and bound > most:
                    continue
                while bound >= len(stacks):
                    stacks.append([])
                target = stacks[bound]
                if tools & (tools - 1):
                    target.extend((total, chosen | 1 << bit, after, left) for bit in bits(tools))
                else:
                    target.append((total, chosen | tools, after, left))


def minimal_tool_sets(
    graph: ToolGraph,
    start: Iterable[str],
    targets: Iterable[str],
    max_tools: int | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> MinimalToolSets:
    """List the minimal tool sets of a task lazily, in order of size.

    A tool set is a solution if forward chaining with its tools alone reaches every target from the start;
    it is minimal if no strict subset is a solution (paper section 3). If the start holds the targets, the
    empty set is the only one. Sets of one size come in an order that depends on the order of the tools.

    Args:
        graph: The tools.
        start: The datatypes given (paper: D0).
        targets: The datatypes wanted (paper: Y).
        max_tools: Skip sets of more tools.
        limit: Stop after this many sets; the iterator says whether there were more.
        time_limit: Stop after this many seconds.

    Returns:
        An iterator of frozensets of tool names that also says, at its end, whether the listing is complete.
    """
    return MinimalToolSets(Problem(graph, start, targets), max_tools, limit, Deadline(time_limit))


_Chosen = tuple[int, "_Chosen"] | None
"""Masks of tools of which any one will do, the last choice first; linked, since partial choices share their ends."""


def few_minimal_sets(
    graph: ToolGraph, start: Iterable[str], targets: Iterable[str], most: int
) -> list[frozenset[str]] | None:
    """Return all minimal tool sets of a task in no order, or None if there are more than so many.

    To learn that there are too many takes no listing in order of size: the search goes deep, and tools that differ in
    name only are followed once.
    """
    problem = Problem(graph, start, targets)
    if problem.several or not problem.goals or not problem.solvable:
        listing = MinimalToolSets(problem, limit=most)
        sets = list(listing)
        return sets if listing.complete else None
    count = 0
    found: list[list[int]] = []
    stack: list[tuple[_Chosen, int, Pending]] = [(None, 0, problem.first)]
    while stack:
        chosen, decided, pending = stack.pop()
        if pending:
            after, ways = problem.expand(0, decided, pending)
            for tools, left in ways:
                stack.append(((tools, chosen), after, left))
            continue
        masks = []
        while chosen:
            tools, chosen = chosen
            masks.append(tools)
        found.append(masks)
        count += prod(map(int.bit_count, masks))
        if count > most:
            return None
    return [problem.tool_names(sum(1 << bit for bit in one)) for ways in found for one in product(*map(bits, ways))]


def survivors(
    graph: ToolGraph,
    start: Iterable[str],
    targets: Iterable[str],
    removed: Iterable[str],
    max_tools: int | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> MinimalToolSets:
    """List the minimal tool sets that avoid every removed tool; arguments as in `minimal_tool_sets`.

    These are exactly the minimal sets of the graph without those tools. To learn only whether there is
    one, `survives` is faster.

    Raises:
        PathError: `removed` names a tool that is not in the graph.
    """
    return minimal_tool_sets(graph.without(removed), start, targets, max_tools, limit, time_limit)


@dataclass(frozen=True)
class Shortest:
    """The answer of `shortest`.

    Attributes:
        size: L*, the fewest tools, if `exact`; else the size of the best tool set found, an upper bound.
            None if the targets can't be reached.
        tool_set: A minimal tool set of that size, or None.
        lower: No tool set has fewer tools than this.
        exact: Whether `size` is proved to be the fewest.
    """

    size: int | None
    tool_set: frozenset[str] | None
    lower: int
    exact: bool


def shortest(
    graph: ToolGraph,
    start: Iterable[str],
    targets: Iterable[str],
    time_limit: float | None = None,
) -> Shortest:
    """Find L* (paper section 3), the fewest tools that reach the targets, and one such set.

    NP-hard with tools of several inputs; without a time limit the search runs until it is exact.

    Args:
        graph: The tools.
        start: The datatypes given.
        targets: The datatypes wanted.
        time_limit: Seconds after which the best bounds so far are returned.
    """
    return shortest_of(Problem(graph, start, targets), Deadline(time_limit))


def shortest_of(problem: Problem, deadline: Deadline) -> Shortest:
    """Do the work of `shortest` on a pruned task."""
    if not problem.solvable:
        return Shortest(None, None, 0, True)
    if not problem.goals:
        return Shortest(0, frozenset(), 0, True)
    greedy = greedy_set(problem.graph, problem.start_ids, problem.goal_ids)
    assert greedy is not None  # a solvable task has one
    names = problem.graph._names
    best, best_set = len(greedy), frozenset(names[tool] for tool in greedy)
    lowest = problem.bound(0, problem.first)
    stacks: list[list[Node]] = [[] for _ in range(best + 1)]
    stacks[min(lowest, best)].append((0, 0, 0, problem.first))
    reached: dict[tuple[int, int, frozenset[tuple[int, int]]], int] = {}
    steps = 0
    for size in range(best):
        stack = stacks[size]
        while stack:
            steps += 1
            if steps % CLOCK_EVERY == 0 and deadline.passed():
                return Shortest(best, best_set, size, False)
            count, chosen, decided, pending = stack.pop()
            if not pending:
                return Shortest(count, problem.tool_names(chosen), count, True)
            # The same datatypes left to derive, under the same conditions, at no higher price: seen.
            key = (decided, chosen if problem.several else 0, frozenset(pending))
            if reached.get(key, best) <= count:
                continue
            reached[key] = count
            after, ways = problem.expand(chosen, decided, pending)
            for tools, left in ways:
                total = count if problem.several and tools & chosen else count + 1
                bound = max(problem.bound(total, left), size)
                if bound < best:
                    stacks[bound].append((total, chosen | tools & -tools, after, left))
    return Shortest(best, best_set, best, True)
