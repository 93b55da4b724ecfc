"""What tasks can start from: sets of given datatypes, each with the targets for which every one of them is needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random

from planbench_xl.construct.domain import Domain
from planbench_xl.paths import ToolGraph, reachable, reachable_within

PAIRS_EXTENDED = 1_500
"""So many pairs of inputs, drawn at random, are tried with a third one."""

Inputs = tuple[str, ...]


class Starts:
    """Finds starts. Only a tool that takes what several inputs lead to makes all of them needed.

    Sets of datatypes are bitmasks.
    """

    def __init__(self, domain: Domain, graph: ToolGraph, longest: int) -> None:
        self._domain = domain
        self._graph = graph
        self._rounds = longest
        self._bit = {name: 1 << place for place, name in enumerate(graph.datatypes)}
        self._joints = sorted({self._mask(graph.inputs(tool)) for tool in graph if len(graph.inputs(tool)) > 1})
        self._goals = self._mask(name for name, f in domain.fields.items() if f.asked and name in self._bit)
        self._everything: dict[Inputs, int] = {}
        given = [name for name, field in domain.fields.items() if field.given and name in self._bit]
        self._reach: dict[Inputs, int] = {(name,): self._in_time((name,)) for name in given}

    def single(self) -> list[Inputs]:
        """Return the starts of one input."""
        return list(self._reach)

    def several(self, rng: Random) -> list[Inputs]:
        """Return starts of two and three inputs and those that are all parts of a longer key."""
        pairs = sorted(self._joined(self._reach, self._reach))
        drawn = rng.sample(pairs, min(len(pairs), PAIRS_EXTENDED))
        reach = {pair: self._in_time(pair) for pair in drawn}
        # Two inputs without a tool of their own may still be needed with a third one.
        triples = {*self._joined(reach, self._reach), *self._three()}
        keys = {key.fields for entity in self._domain.entity for key in entity.key if len(key.fields) > 1}
        whole = (tuple(sorted(key)) for key in keys if all((name,) in self._reach for name in key))
        return sorted({*pairs, *(inputs for inputs in triples if len(inputs) == 3), *whole})

    def targets(self, inputs: Inputs) -> Inputs:
        """Return the goals that can be reached in time from inputs, and from no part of them (paper: tasks)."""
        near = self._in_time(inputs) & self._goals & ~self._mask(inputs)
        for part in combinations(inputs, len(inputs) - 1):
            near &= ~self._all_reached(part)
        return tuple(sorted(name for name, bit in self._bit.items() if near & bit))

    def _in_time(self, inputs: Inputs) -> int:
        """Return what can be reached in as many rounds of calls as a task may be long."""
        return self._mask(reachable_within(self._graph, inputs, self._rounds))

    def _all_reached(self, inputs: Inputs) -> int:
        """Return what can be reached in any number of rounds; kept, since many starts have the same parts."""
        known = self._everything.get(inputs)
        if known is None:
            known = self._mask(reachable(self._graph, inputs))
            self._everything[inputs] = known
        return known

    def _mask(self, names: Iterable[str]) -> int:
        return sum(self._bit[name] for name in names)

    def _joined(self, some: dict[Inputs, int], others: dict[Inputs, int]) -> Iterator[Inputs]:
        """Yield unions of one start and another that call a tool together and not alone."""
        for needs in self._joints:
            left, right = _by_part(some, needs), _by_part(others, needs)
            for part, starts in left.items():
                for rest, ends in right.items():
                    if part | rest == needs:
                        yield from (tuple(sorted({*one, *other})) for one in starts for other in ends)

    def _three(self) -> Iterator[Inputs]:
        """Yield threes each of which leads to a part of what a tool takes."""
        for needs in self._joints:
            parts = _by_part(self._reach, needs)
            for three in combinations(parts, 3):
                a, b, c = three
                if a | b | c == needs and needs not in (a | b, a | c, b | c):
                    for x in parts[a]:
                        for y in parts[b]:
                            yield from (tuple(sorted((*x, *y, *z))) for z in parts[c])


def _by_part(reach: dict[Inputs, int], needs: int) -> dict[int, list[Inputs]]:
    """Group starts by the part of some datatypes that they lead to; all of them and none of them are no part."""
    found: dict[int, list[Inputs]] = defaultdict(list)
    for inputs, state in reach.items():
        part = state & needs
        if part not in (0, needs):
            found[part].append(inputs)
    return found
