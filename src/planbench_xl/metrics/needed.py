"""What a new value is good for: whether some path leads on through it.

Exact as `paths.useful`, which finds the tools on all minimal tool sets, but only for datatypes that can come next, and
much faster: an analysis asks for thousands of states. Datatypes are bits, sets of them masks.

Why it is right. Let every tool give a single datatype, let some datatypes be obtained, and let a tool that can be
called now give the datatype d. Then d lies on a minimal tool set if and only if there is a chain of tools from d to a
target such that no datatype on it is obtained yet, and each tool's other inputs can be derived without what comes
later on the chain. (One producer per datatype, on the chain and behind the other inputs, makes a set in which every
tool is needed; and a minimal set with d in it holds such a chain.) Where the other inputs are all obtained, a backward
search finds the chain at once; where they came for free, it finds everything that can be on one. In between, all chains
are searched, backward too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Edge = tuple[int, int]
"""All tools with the same inputs and output: mask of the inputs, and of the output."""

MAX_STEPS = 20_000
"""Steps of a search over chains, after which the path engine is asked for all tools on all paths."""


class ListedPaths:
    """The listed paths of a task that avoid the blocked tools (the paper's way to judge progress).

    Args:
        datatypes: Mask of all datatypes on them.

    Attributes:
        exact: All listed paths are known.
        relevant: Mask of the datatypes on them.
    """

    exact = True

    def __init__(self, datatypes: int) -> None:
        self.relevant = datatypes

    def needs(self, obtained: int, datatypes: int) -> bool:
        """Say whether a listed path needs one of some datatypes that hasn't been obtained."""
        return bool(self.relevant & datatypes & ~obtained)


class OpenPaths:
    """All paths of a task without the blocked tools, from whatever has been obtained.

    Args:
        edges: The tools that can be used.
        start: Mask of the task's inputs.
        targets: Mask of its targets.
        ask_all: Asks the path engine for the datatypes on all paths from what has been obtained, and whether these
            are proved to be all.

    Attributes:
        exact: No answer so far was given up for lack of time.
        start: Mask of the task's inputs.
        targets: Mask of its targets.
        single: Every tool gives a single relevant datatype. If not, the path engine is always asked.
        solvable: Whether the targets can be reached.
        relevant: Mask of the datatypes from which a chain of tools leads to a target, and of the task's inputs.
        edges: Tools that give a relevant datatype, in a fixed order.
    """

    def __init__(
        self,
        edges: Sequence[Edge],
        start: int,
        targets: int,
        ask_all: Callable[[int], tuple[int, bool]],
    ) -> None:
        self.exact = True
        self.start = start
        self.targets = targets
        reached = closure(edges, start, 0)
        self.solvable = not targets & ~reached
        self._makers: dict[int, list[int]] = {}
        for needs, gives in edges:
            if not needs & ~reached and gives & ~start:
                for bit in bits(gives):
                    self._makers.setdefault(bit, []).append(needs)
        self._ask_all = ask_all
        found = self._backward(start, strict=False) if self.solvable else 0
        self.relevant = found | start
        self.edges = tuple((needs, gives) for needs, gives in edges if gives & found and not needs & ~reached)
        self.single = all((gives & found).bit_count() == 1 for _, gives in self.edges)
        self._free = [edge for edge in self.edges if not edge[0]]
        self._takers: dict[int, list[Edge]] = {}
        for edge in self.edges:
            for bit in bits(edge[0]):
                self._takers.setdefault(bit, []).append(edge)
        self._bounds: dict[int, tuple[int, int]] = {}
        self._chained: dict[int, int | None] = {}

    def needs(self, obtained: int, datatypes: int) -> bool:
        """Say whether a path needs one of some datatypes that tools give which can be called now.

        What is obtained already, and what leads nowhere, is not needed.
        """
        datatypes &= self.relevant & ~obtained
        if not datatypes or not self.solvable:
            return False
        obtained &= self.relevant
        if not self.single:
            return self._ask(obtained, datatypes)
        if obtained not in self._bounds:
            self._bounds[obtained] = self._backward(obtained, strict=True), self._backward(obtained, strict=False)
        sure, possible = self._bounds[obtained]
        if sure & datatypes or not possible & datatypes:
            return bool(sure & datatypes)
        if obtained not in self._chained:
            self._chained[obtained] = self._chains(obtained)
        found = self._chained[obtained]
        return self._ask(obtained, datatypes) if found is None else bool(found & datatypes)

    def _ask(self, obtained: int, datatypes: int) -> bool:
        found, exact = self._ask_all(obtained)
        if found & datatypes:
            return True
        self.exact = self.exact and exact
        return False

    def _backward(self, obtained: int, *, strict: bool) -> int:
        """Return what leads to a target, if other inputs must be obtained (strict) or come for free."""
        found = todo = self.targets & ~obtained
        while todo:
            low = todo & -todo
            todo ^= low
            for needs in self._makers.get(low, ()):
                missing = needs & ~obtained
                if not strict or not missing & (missing - 1):
                    todo |= missing & ~found
                    found |= missing
        return found

    def _chains(self, obtained: int) -> int | None:
        """Return what chains to a target start from or lead through, searched backward; None if that takes too long."""
        found = self.targets & ~obtained
        queue = [(bit, bit) for bit in bits(found)]
        seen: dict[int, list[int]] = {}
        reached: dict[int, int] = {}
        for at, later in queue:
            if len(queue) > MAX_STEPS:
                return None
            for needs in self._makers.get(at, ()):
                # Whoever must avoid less from the same datatype finds at least as much.
                new = [
                    before
                    for before in bits(needs & ~obtained & ~later)
                    if not any(less & ~(later | before) == 0 for less in seen.get(before, ()))
                ]
                if not new:
                    continue
                if later not in reached:
                    reached[later] = self._reach(obtained, later)
                if needs & ~reached[later]:
                    continue
                for before in new:
                    found |= before
                    seen.setdefault(before, []).append(later | before)
                    queue.append((before, later | before))
        return found

    def _reach(self, obtained: int, without: int) -> int:
        """Do as `closure` with the tools that matter: faster, for it looks only at tools that take something new."""
        have = obtained & ~without
        barred = obtained | without
        todo = bits(have)
        for _, gives in self._free:
            todo += bits(gives & ~barred)
            have |= gives & ~barred
        takers = self._takers
        while todo:
            for needs, gives in takers.get(todo.pop(), ()):
                new = gives & ~(have | barred)
                if new and not needs & ~have:
                    have |= new
                    todo += bits(new)
        return have


def closure(edges: Iterable[Edge], start: int, without: int) -> int:
    """Return the mask of what tools lead to from some datatypes, never using those of `without`."""
    have = start & ~without
    waiting = [(needs, gives) for needs, gives in edges if gives & ~(have | without)]
    while True:
        later = []
        for needs, gives in waiting:
            if needs & ~have:
                later.append((needs, gives))
            else:
                have |= gives & ~without
        if len(later) == len(waiting):
            return have
        waiting = later


def bits(mask: int) -> list[int]:
    """Return the single bits of a mask, as masks, lowest first."""
    if not mask & (mask - 1):
        return [mask] if mask else []
    found = []
    while mask:
        low = mask & -mask
        mask ^= low
        found.append(low)
    return found
