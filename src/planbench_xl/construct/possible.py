"""Possible tasks: starts and targets with all of their solution paths, a pool to choose from.

Each start is solved on its own, so workers share the starts; what is drawn is drawn here, in the order of the starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from random import Random

import msgspec

from planbench_xl.construct.domain import Domain
from planbench_xl.construct.starts import Inputs, Starts
from planbench_xl.engines import Crew, parts
from planbench_xl.paths import ToolGraph, between, few_minimal_sets


class TaskKnobs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tasks to choose.

    Attributes:
        lengths: How many tasks of each L*; the largest stands for itself and all above, up to `longest`.
        longest: No task has a larger L*.
        several_targets: Share of tasks with two targets.
        several_inputs: Share of tasks with two or three inputs.
        fewest_paths: A task has at least so many minimal tool sets; with two, blocking has a choice.
        most_paths: And at most so many, all of which are listed.
    """

    lengths: dict[int, int]
    longest: int = 14
    several_targets: float = 0.1
    several_inputs: float = 0.45
    fewest_paths: int = 2
    most_paths: int = 24


@dataclass(frozen=True)
class Found:
    """A possible task with all of its minimal tool sets, smallest first."""

    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    tool_sets: tuple[tuple[str, ...], ...]

    @property
    def length(self) -> int:
        """L*."""
        return len(self.tool_sets[0])


Pair = tuple[Found, Found]
"""Two tasks of one start whose targets are asked for together."""

POOL = 6
"""Possible tasks with one input, and again with several, per task wanted; beyond that no more starts are tried."""

AHEAD = 24
"""Starts per worker that are solved before it is known whether they are needed; a single worker tries one by one."""


def find_tasks(
    domain: Domain,
    graph: ToolGraph,
    knobs: TaskKnobs,
    rng: Random,
    progress: Callable[[int, int], None] | None = None,
    crew: Crew | None = None,
) -> Iterator[Found]:
    """Yield possible tasks, starts in a drawn order: all there are, or enough to choose from."""
    enough = POOL * sum(knobs.lengths.values())
    starts = Starts(domain, graph, knobs.longest)
    solver = _Solver(graph, knobs)
    for number, kind in enumerate((starts.single(), starts.several(rng))):
        rng.shuffle(kind)
        found = 0
        for tasks in _tasks_from(solver, starts, kind, rng, crew or Crew()):
            found += len(tasks)
            yield from tasks
            if progress:
                progress(number * enough + min(found, enough), 2 * enough)
            if found >= enough:
                break


def _tasks_from(
    solver: _Solver, starts: Starts, kind: Sequence[Inputs], rng: Random, crew: Crew
) -> Iterator[list[Found]]:
    """Yield the tasks of each start; whoever stops in between finds `rng` as it is after that start."""
    size = AHEAD * crew.workers if crew.workers > 1 else 1
    for first in range(0, len(kind), size):
        asked = [(inputs, starts.targets(inputs)) for inputs in kind[first : first + size]]
        single = list(chain.from_iterable(crew.spread(solver.single, parts(asked, crew.workers))))
        pairs, states = [], []
        for tasks in single:
            pairs.append(_pairs(tasks, rng))
            states.append(rng.getstate())
        double = chain.from_iterable(crew.spread(solver.double, parts(pairs, crew.workers)))
        for one, two, state in zip(single, double, states, strict=True):
            rng.setstate(state)
            yield [found for found in (*one, *two) if found.length >= min(solver.knobs.lengths)]


@dataclass(frozen=True)
class _Solver:
    """Lists the minimal tool sets of tasks on a graph, those of a start on the part of it that matters to them."""

    graph: ToolGraph
    knobs: TaskKnobs

    def single(self, asked: Sequence[tuple[Inputs, Inputs]]) -> list[list[Found]]:
        """Return the tasks of some starts with one of their targets each."""
        return [list(self._single(*start)) for start in asked]

    def _single(self, inputs: Inputs, targets: Inputs) -> Iterator[Found]:
        part = between(self.graph, inputs, targets)
        for target in targets:
            found = self._solve(part, inputs, (target,))
            if found is not None:
                yield found

    def double(self, pairs: Sequence[Sequence[Pair]]) -> list[list[Found]]:
        """Return the tasks of some starts with two of their targets each."""
        return [list(self._double(some)) for some in pairs]

    def _double(self, pairs: Sequence[Pair]) -> Iterator[Found]:
        if not pairs:
            return
        inputs = pairs[0][0].inputs
        part = between(self.graph, inputs, {target for pair in pairs for found in pair for target in found.targets})
        for one, other in pairs:
            both = self._solve(part, inputs, (*one.targets, *other.targets))
            # A target that lies on the way to the other one adds nothing.
            if both is not None and both.length > max(one.length, other.length):
                yield both

    def _solve(self, part: ToolGraph, inputs: Inputs, targets: Inputs) -> Found | None:
        """List all minimal tool sets; None if they are too few or too many, or too long."""
        sets = few_minimal_sets(part, inputs, targets, self.knobs.most_paths)
        if sets is None or len(sets) < self.knobs.fewest_paths or min(map(len, sets)) > self.knobs.longest:
            return None
        ordered = sorted((tuple(sorted(found)) for found in sets), key=lambda found: (len(found), found))
        return Found(inputs, targets, tuple(ordered))


PAIRS_DRAWN, PAIRS_TRIED = 60, 16
"""Pairs of targets per start: so many are drawn, and of these the ones with the fewest paths tried."""


def _pairs(single: Sequence[Found], rng: Random) -> list[Pair]:
    pairs = list(combinations(single, 2))
    rng.shuffle(pairs)
    drawn = sorted(pairs[:PAIRS_DRAWN], key=lambda pair: len(pair[0].tool_sets) * len(pair[1].tool_sets))
    return drawn[:PAIRS_TRIED]
