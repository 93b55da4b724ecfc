"""Counts of minimal tool sets without listing them: equal remainders of the search are solved once.

Two partial choices with the same datatypes left to derive, under the same conditions, have the same
completions, whatever was chosen before. The table maps each such remainder to its number of completions by
size. It is exact where each tool gives a single datatype that matters; the caller checks that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from planbench_xl.paths.deadline import Deadline
from planbench_xl.paths.problem import Pending, Problem

Key = tuple[int, Pending]
"""A remainder of the search, see `Problem.remainder`."""

Edge = tuple[int, Key]
"""One way on: the mask of tools of which any one will do, and the remainder after it."""

END: Key = (0, ())
CLOCK_EVERY = 16
"""Remainders between two looks at the clock."""


@dataclass(slots=True)
class _Frame:
    key: Key
    budget: int
    used: int
    decided: int
    ways: list[tuple[int, Pending, Key]]
    at: int = 0
    total: int = 0
    edges: list[Edge] = field(default_factory=list)


class CountTable:
    """The remainders of a task and their completions, counted by size.

    A count by size is one integer, a polynomial: the number of completions with `k` more tools sits at bit
    `k * width`. Adding is addition, one more tool is a shift.

    Args:
        problem: A solvable task with open targets, each tool giving one datatype that matters.
        max_tools: Count only sets of at most this many tools.
        deadline: When to stop; counts are then lower bounds.
        max_states: Stop after this many remainders, for the sake of memory.

    Attributes:
        complete: Whether the counts are exact.
        root: The remainder that is the whole task.
    """

    def __init__(
        self,
        problem: Problem,
        max_tools: int | None = None,
        deadline: Deadline | None = None,
        max_states: int | None = None,
    ) -> None:
        self.problem = problem
        self.complete = True
        self._deadline = deadline or Deadline(None)
        self._max_states = max_states
        most = problem.size
        self._limited = max_tools is not None and max_tools < most
        self._budget = min(max_tools, most) if max_tools is not None else most
        # No count can exceed the number of ways to choose one producer for every datatype.
        self._width = 1
        for datatype in range(problem.size):
            producers = sum(tools.bit_count() for tools, _ in problem.choices(datatype))
            self._width += max(producers - 1, 0).bit_length()
        self._states: dict[Key, tuple[int, int, list[Edge]]] = {END: (most, 1, [])}
        self.root = problem.remainder(0, problem.first)[:2]
        if problem.bound(0, problem.first) <= self._budget:
            self._fill()
        else:
            self._states[self.root] = (self._budget, 0, [])

    def _fill(self) -> None:
        states, problem = self._states, self.problem
        frames = [self._frame(self.root, 0, 0, problem.first)]
        steps = 0
        while frames:
            steps += 1
            if self.complete and self._exhausted(steps):
                self.complete = False
            frame = frames[-1]
            deeper = self._advance(frame)
            if deeper is not None and self.complete:
                frames.append(deeper)
                continue
            limit = (1 << (frame.budget + 1) * self._width) - 1
            states[frame.key] = (frame.budget, frame.total << self._width & limit, frame.edges)
            frames.pop()

    def _exhausted(self, steps: int) -> bool:
        if self._max_states is not None and len(self._states) > self._max_states:
            return True
        return steps % CLOCK_EVERY == 0 and self._deadline.passed()

    def _frame(self, key: Key, used: int, decided: int, pending: Pending) -> _Frame:
        # The full masks, not those of the key: their longer chains give better bounds.
        after, ways = self.problem.expand(0, decided, pending)
        keyed = []
        for tools, left in ways:
            if not self._limited or self.problem.bound(used + 1, left) <= self._budget:
                keyed.append((tools, left, self.problem.remainder(after, left)[:2]))
        if len(keyed) > 1:
            # The nearest end first: should the time run out, more sets have been counted.
            keyed.sort(key=lambda way: self.problem.bound(0, way[1]))
        return _Frame(key, self._rest(used), used, after, keyed)

    def _rest(self, used: int) -> int:
        return self._budget - used if self._limited else self._budget

    def _advance(self, frame: _Frame) -> _Frame | None:
        """Add up the ways of a frame; return the first one that has to be counted before."""
        states = self._states
        used = frame.used + 1
        rest = self._rest(used)
        while frame.at < len(frame.ways):
            tools, pending, key = frame.ways[frame.at]
            known = states.get(key)
            if known is None or known[0] < rest:
                return self._frame(key, used, frame.decided, pending) if self.complete else None
            if known[1]:
                frame.total += known[1] * tools.bit_count()
                frame.edges.append((tools, key))
            frame.at += 1
        return None

    def by_size(self) -> dict[int, int]:
        """Return the number of minimal tool sets per number of tools; lower bounds if not complete."""
        return self._counts(self.root)

    def _counts(self, key: Key) -> dict[int, int]:
        counts = {}
        value, size, lowest = self._states[key][1], 0, (1 << self._width) - 1
        while value:
            if value & lowest:
                counts[size] = value & lowest
            value >>= self._width
            size += 1
        return counts

    def one_of_size(self, size: int) -> int:
        """Return the mask of one set of this size; `by_size` must count at least one."""
        lowest = (1 << self._width) - 1
        key, chosen = self.root, 0
        for left in range(size - 1, -1, -1):
            for tools, after in self._states[key][2]:
                if self._states[after][1] >> left * self._width & lowest:
                    chosen |= tools & -tools
                    key = after
                    break
        return chosen

    def members(self) -> int:
        """Return the mask of all tools that are in some counted set."""
        found = 0
        seen = {self.root}
        todo = [self.root]
        while todo:
            for tools, key in self._states[todo.pop()][2]:
                found |= tools
                if key not in seen:
                    seen.add(key)
                    todo.append(key)
        return found

    def __len__(self) -> int:
        return len(self._states)
