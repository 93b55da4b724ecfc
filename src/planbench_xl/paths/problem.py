"""One task, cut down to the tools that can matter, and the backward search over its tool sets.

Every minimal tool set can be read as a choice: one producer for each datatype that is needed, such that no
datatype depends on itself. The search makes these choices from the targets backward. A partial choice is

* `chosen`: the tools so far (a bitmask);
* `decided`: the datatypes that have a producer (a bitmask);
* `pending`: the datatypes that still need one, each with the mask of what depends on it. A producer whose
  inputs meet that mask would close a cycle, so the choice stays well-founded at every step.

If every tool gives a single datatype that matters, complete choices and minimal sets are the same thing: each
is found once, and none needs a check. With several outputs, one set may be found through several choices,
and a choice may be wasteful; the listing then drops repeats and sets that are not minimal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planbench_xl.paths.graph import ToolGraph
from planbench_xl.paths.reach import UNREACHED, forward

Pending = tuple[tuple[int, int], ...]
"""The datatypes that need a producer, each with the mask of the datatypes that depend on it."""

REACH_CACHE = 50_000
"""Answers of `Problem.reach_avoiding` that are kept."""


@dataclass(frozen=True)
class Facts:
    """A pruned graph as lists, for forward chaining.

    Attributes:
        needs: The inputs of each tool, the start's excepted.
        gives: The outputs of each tool that matter.
        takers: The tools that need each datatype.
        waits: The number of inputs of each tool.
    """

    needs: list[list[int]]
    gives: list[list[int]]
    takers: list[list[int]]
    waits: list[int]


class Problem:
    """A task on a graph, pruned and renumbered: what all searches share.

    Kept are tools that are callable from the start and give a datatype from which the targets can be
    reached backward. With a single target, tools that need the target are of no use and go first.

    Attributes:
        solvable: Whether the targets can be reached at all.
        goals: Mask of the targets that the start doesn't hold.
        size: Number of datatypes that can matter, the start's excepted.
        level: A lower bound, per datatype, on the number of tools that deriving it takes.
        several: Whether some tool gives more than one datatype that matters.
        shift: Where counted bits start in a mask of dependants (see `bound`).
        first: The pending datatypes before any choice.
    """

    def __init__(self, graph: ToolGraph, start: Iterable[str], targets: Iterable[str]) -> None:
        given = frozenset(start)
        open_targets = frozenset(targets) - given
        self.graph = graph
        self.start_ids = graph._known(given)
        self.goal_ids = graph._known(open_targets)
        self.solvable = all(d in graph._datatype_ids for d in open_targets)
        self.size = 0
        self.goals = 0
        self.level: list[int] = []
        self.several = False
        self.shift = 0
        self.first: Pending = ()
        self._tools: list[int] = []
        self._datatypes: list[int] = []
        self._makers: dict[int, list[int]] = {}
        self._tool_place: dict[int, int] = {}
        self._datatype_place: dict[int, int] = {}
        self._choices: dict[int, tuple[tuple[int, int], ...]] = {}
        self._behind: dict[int, int] = {}
        self._inputs: dict[int, int] = {}
        self._reach: dict[int, int] = {}
        self._facts: Facts | None = None
        if self.solvable and self.goal_ids:
            self._prune()

    def _prune(self) -> None:
        graph = self.graph
        goal = self.goal_ids[0] if len(self.goal_ids) == 1 else None
        banned = graph._consumers[goal] if goal is not None else ()
        level, fired = forward(graph, self.start_ids, banned)
        if any(level[d] == UNREACHED for d in self.goal_ids):
            self.solvable = False
            return
        makers: dict[int, list[int]] = {}
        for tool in fired:
            for datatype in graph._outs[tool]:
                if level[datatype] > 0 and datatype not in graph._ins[tool]:
                    makers.setdefault(datatype, []).append(tool)
        needed = set(self.goal_ids)
        todo = list(needed)
        useful: set[int] = set()
        while todo:
            for tool in makers[todo.pop()]:
                if tool in useful:
                    continue
                useful.add(tool)
                for datatype in graph._ins[tool]:
                    if level[datatype] > 0 and datatype not in needed:
                        needed.add(datatype)
                        todo.append(datatype)
        self._number(sorted(needed), sorted(useful), level, makers)

    def _number(self, datatypes: list[int], tools: list[int], level: list[int], makers: dict[int, list[int]]) -> None:
        """Give datatypes and tools small numbers of their own, so that masks stay short."""
        place = {datatype: index for index, datatype in enumerate(datatypes)}
        self._datatype_place = place
        self._tool_place = {tool: index for index, tool in enumerate(tools)}
        self._tools = tools
        self._datatypes = datatypes
        self._makers = makers
        self.size = len(datatypes)
        self.level = [level[datatype] for datatype in datatypes]
        self.goals = self._mask(self.goal_ids)
        gives: dict[int, int] = {}
        for datatype in datatypes:
            for tool in makers[datatype]:
                gives[tool] = gives.get(tool, 0) + 1
        self.several = any(count > 1 for count in gives.values())
        self.shift = self.size if self.several else 0
        self.first = tuple((place[datatype], 0) for datatype in self.goal_ids)

    def _mask(self, datatypes: Iterable[int]) -> int:
        place = self._datatype_place
        mask = 0
        for datatype in datatypes:
            if datatype in place:
                mask |= 1 << place[datatype]
        return mask

    def choices(self, datatype: int) -> tuple[tuple[int, int], ...]:
        """Return the producers of a datatype as (mask of tools, mask of inputs needed).

        Tools that differ in name only share an entry, unless tools have several outputs.
        """
        known = self._choices.get(datatype)
        if known is None:
            groups: dict[tuple[int, int], int] = {}
            for tool in sorted(self._makers[self._datatypes[datatype]]):
                bit = 1 << self._tool_place[tool]
                needs = self._mask(self.graph._ins[tool])
                key = (needs, bit if self.several else 0)
                groups[key] = groups.get(key, 0) | bit
            known = tuple((tools, needs) for (needs, _), tools in groups.items())
            self._choices[datatype] = known
        return known

    def inputs(self, datatype: int) -> int:
        """Return the mask of what the producers of a datatype need, all together."""
        known = self._inputs.get(datatype)
        if known is None:
            known = 0
            for _, needs in self.choices(datatype):
                known |= needs
            self._inputs[datatype] = known
        return known

    def behind(self, datatype: int) -> int:
        """Return the mask of all datatypes from which this one can be reached, itself included."""
        known = self._behind.get(datatype)
        if known is None:
            known = todo = 1 << datatype
            while todo:
                low = todo & -todo
                todo ^= low
                new = self.inputs(low.bit_length() - 1) & ~known
                known |= new
                todo |= new
            self._behind[datatype] = known
        return known

    def expand(self, chosen: int, decided: int, pending: Pending) -> tuple[int, list[tuple[int, Pending]]]:
        """Choose a producer for one pending datatype, in every way that closes no cycle.

        It is the one with the longest chain through it: its bound decides soonest.

        Returns:
            The new mask of decided datatypes, and per way the mask of tools of which any one will do,
            and the datatypes pending then.
        """
        level, shift = self.level, self.shift
        at, worst = 0, -1
        if len(pending) > 1:
            for index, (datatype, above) in enumerate(pending):
                weight = level[datatype] + (above >> shift).bit_count()
                if weight > worst:
                    at, worst = index, weight
        datatype, above = pending[at]
        rest = pending[:at] + pending[at + 1 :]
        above |= 1 << datatype
        ways: list[tuple[int, Pending]] = []
        options = self.choices(datatype)
        if self.several:
            options = self._without_repeats(options, chosen, datatype, above, rest)
        for tools, needs in options:
            if needs & above:
                continue
            over = above | tools << shift if shift else above
            after: dict[int, int] = {}
            met = needs & decided
            for other, mask in rest:
                after[other] = mask | over if mask & met else mask
            new = needs & ~decided
            while new:
                low = new & -new
                new ^= low
                index = low.bit_length() - 1
                after[index] = after.get(index, 0) | over
            ways.append((tools, tuple(after.items())))
        return decided | 1 << datatype, ways

    def remainder(self, decided: int, pending: Pending) -> tuple[int, Pending, int]:
        """Forget what no further choice can meet, so that equal remainders of the search look equal.

        Returns:
            The decided datatypes that a producer may still need or must avoid, the pending ones in a
            fixed order with their masks cut down to that, and the datatypes that may yet be chosen for.
        """
        if not pending:
            return 0, (), 0
        open_ = met = 0
        for datatype, above in pending:
            open_ |= 1 << datatype
            for _, needs in self.choices(datatype):
                # Of a producer that would close a cycle, only the reason has to be remembered.
                met |= needs & above or needs
        todo = met & ~decided & ~open_
        open_ |= todo
        while todo:
            low = todo & -todo
            needs = self.inputs(low.bit_length() - 1)
            met |= needs
            needs &= ~open_ & ~decided
            open_ |= needs
            todo = todo ^ low | needs
        met &= decided
        return met, tuple(sorted((datatype, above & met) for datatype, above in pending)), open_

    def _without_repeats(
        self, options: tuple[tuple[int, int], ...], chosen: int, datatype: int, above: int, rest: Pending
    ) -> tuple[tuple[int, int], ...]:
        """Keep a single option where a chosen tool gives the datatype anyway.

        If that tool can't come to depend on the datatype, any minimal set found through another producer
        is found through this one as well.
        """
        bit = 1 << datatype
        for option in options:
            tools, needs = option
            if not tools & chosen or needs & above:
                continue
            open_needs = [other for other, mask in rest if needs & (mask | 1 << other)]
            if not any(self.behind(other) & bit for other in open_needs):
                return (option,)
        return options

    def bound(self, tools: int, pending: Pending) -> int:
        """Return a lower bound on the size of every completion of a choice of `tools` tools.

        Tools above a pending datatype depend on it, so none of them is part of its derivation.
        """
        best = tools if self.several else tools + len(pending)
        level, shift = self.level, self.shift
        for datatype, above in pending:
            size = (above >> shift).bit_count() + level[datatype]
            if size > best:
                best = size
        return best

    def is_minimal(self, chosen: int) -> bool:
        """Return whether no tool can be left out of a solution given as a mask."""
        members = [self._tools[index] for index in bits(chosen)]
        facts = [(self.graph._ins[tool], self.graph._outs[tool]) for tool in members]
        return not any(self._solves(facts[:i] + facts[i + 1 :]) for i in range(len(facts)))

    def _solves(self, facts: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> bool:
        have = set(self.start_ids)
        waiting = facts
        while True:
            blocked = []
            for needs, gives in waiting:
                if have.issuperset(needs):
                    have.update(gives)
                else:
                    blocked.append((needs, gives))
            if len(blocked) == len(waiting):
                return have.issuperset(self.goal_ids)
            waiting = blocked

    def tool_names(self, chosen: int) -> frozenset[str]:
        """Return the names of a mask of tools."""
        names, tools = self.graph._names, self._tools
        return frozenset(names[tools[index]] for index in bits(chosen))

    @property
    def facts(self) -> Facts:
        """The pruned graph as lists."""
        if self._facts is None:
            graph, place = self.graph, self._datatype_place
            needs = [[place[d] for d in graph._ins[tool] if d in place] for tool in self._tools]
            gives = [[place[d] for d in graph._outs[tool] if d in place] for tool in self._tools]
            takers: list[list[int]] = [[] for _ in self._datatypes]
            for index, datatypes in enumerate(needs):
                for datatype in datatypes:
                    takers[datatype].append(index)
            self._facts = Facts(needs, gives, takers, [len(datatypes) for datatypes in needs])
        return self._facts

    def reach_avoiding(self, avoid: int) -> int:
        """Return the mask of the datatypes that can be derived without ever using those of `avoid`."""
        known = self._reach.get(avoid)
        if known is not None:
            return known
        facts = self.facts
        waits = list(facts.waits)
        ready = [index for index, count in enumerate(waits) if count == 0]
        have = avoid
        for index in ready:
            for datatype in facts.gives[index]:
                if have >> datatype & 1:
                    continue
                have |= 1 << datatype
                for taker in facts.takers[datatype]:
                    waits[taker] -= 1
                    if waits[taker] == 0:
                        ready.append(taker)
        if len(self._reach) >= REACH_CACHE:
            self._reach.clear()
        self._reach[avoid] = have = have & ~avoid
        return have

    @property
    def tool_count(self) -> int:
        """The number of tools that survived pruning."""
        return len(self._tools)

    def distances(self, tool: int) -> tuple[int, list[int]]:
        """Return what a tool needs (a mask) and how many calls each datatype is away from what it gives.

        Datatypes that no chain of calls leads to from there are `size` away.
        """
        facts = self.facts
        far = [self.size] * self.size
        queue = list(facts.gives[tool])
        for datatype in queue:
            far[datatype] = 0
        for datatype in queue:
            for taker in facts.takers[datatype]:
                for output in facts.gives[taker]:
                    if far[output] > far[datatype] + 1:
                        far[output] = far[datatype] + 1
                        queue.append(output)
        return sum(1 << datatype for datatype in facts.needs[tool]), far

    def to_mask(self, tools: Iterable[int]) -> int:
        """Return the mask of graph tool ids; all must have survived pruning."""
        mask = 0
        for tool in tools:
            mask |= 1 << self._tool_place[tool]
        return mask


def bits(mask: int) -> list[int]:
    """Return the positions of the set bits, ascending."""
    found = []
    while mask:
        low = mask & -mask
        mask ^= low
        found.append(low.bit_length() - 1)
    return found
