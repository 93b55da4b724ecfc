"""Lays things out as entities of a domain: one is each record's own, all others depend on earlier ones.

A catalogue doesn't say how its data relate. What it shows (identifiers of one thing in another, objects within
objects, paths) is followed; what is only assumed, so that one case can hold all things, is marked for a person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from planbench_xl.construct.catalogues.names import a
from planbench_xl.construct.catalogues.unify import Edge, Thing
from planbench_xl.construct.domain import Of

MOST_THINGS = 20
"""Entities of a draft: those that most operations are about."""


@dataclass
class Placed:
    """A thing with its place in the domain.

    Attributes:
        thing: The thing.
        of: What it depends on; None for the first one.
        leads_to: Names of the things that it leads to.
        pair: Two things that together find one, or nothing.
        single: Every record has one of its own.
        doubts: What a person should check.
    """

    thing: Thing
    of: Of | None
    single: bool
    leads_to: list[str] = field(default_factory=list)
    pair: tuple[str, ...] = ()
    doubts: list[str] = field(default_factory=list)


def lay_out(things: Mapping[str, Thing], edges: Sequence[Edge]) -> tuple[list[Placed], list[str]]:
    """Return the entities in an order in which each depends only on earlier ones, and what was left out."""
    kept = _choose(things, edges)
    layout = _Layout(kept, [edge for edge in edges if edge.child in kept and edge.parent in kept])
    return layout.run(), [name for name in things if name not in kept]


def _choose(things: Mapping[str, Thing], edges: Sequence[Edge]) -> dict[str, Thing]:
    """Keep the things that matter most: connected ones, and of these what most operations are about."""
    tied = {name for edge in edges for name in (edge.child, edge.parent)}
    order = list(things)
    ranked = sorted(order, key=lambda name: (name not in tied, -things[name].seen, order.index(name)))
    kept = set(ranked[:MOST_THINGS])
    return {name: things[name] for name in order if name in kept}


class _Layout:
    """Places things one by one."""

    def __init__(self, things: Mapping[str, Thing], edges: Iterable[Edge]) -> None:
        self._things = things
        self._edges = list(edges)
        self._parents: dict[str, list[str]] = defaultdict(list)
        self._children: dict[str, list[str]] = defaultdict(list)
        for edge in self._edges:
            self._parents[edge.child].append(edge.parent)
            self._children[edge.parent].append(edge.child)
        self._placed: dict[str, Placed] = {}

    def run(self) -> list[Placed]:
        """Place everything."""
        if not self._things:
            return []
        root = tail = self._best(self._things)
        self._place(root, None, single=True)
        self._finish()
        while left := [name for name in self._things if name not in self._placed]:
            name = self._best(left)
            placed = self._place(name, Of(entity=root), single=True)
            placed.doubts.append(
                f"nothing in the catalogue relates {a(name)} to {a(tail)}; each {tail} is taken to lead to one"
            )
            self._link(tail, name)
            tail = name
            self._finish()
        if tail != root:
            # Otherwise nothing at the end of the chain would lead anywhere.
            self._placed[tail].doubts.append(f"nothing relates {a(tail)} to {a(root)}; it is taken to lead to one")
            self._link(tail, root)
        for edge in self._edges:
            self._link(edge.child, edge.parent)
            if edge.doubt and edge.doubt not in self._placed[edge.child].doubts:
                self._placed[edge.child].doubts.append(edge.doubt)
        return list(self._placed.values())

    def _best(self, names: Iterable[str]) -> str:
        """Return the thing from which most others can be reached; of several, the one with most parents."""
        order = list(names)

        def rank(name: str) -> tuple[int, int, int]:
            parents = [other for other in self._parents[name] if other not in self._placed]
            return (-len(self._reach(name)), -len(parents), order.index(name))

        return min(order, key=rank)

    def _reach(self, name: str) -> set[str]:
        found, waiting = {name}, [name]
        while waiting:
            for other in self._parents[waiting.pop()]:
                if other not in found and other not in self._placed:
                    found.add(other)
                    waiting.append(other)
        return found

    def _place(self, name: str, of: Of | None, *, single: bool) -> Placed:
        self._placed[name] = placed = Placed(self._things[name], of, single)
        waiting = [name]
        while waiting:
            here = waiting.pop(0)
            waiting += self._place_parents(here)
        return placed

    def _place_parents(self, name: str) -> list[str]:
        """Place what a thing leads to.

        What each record has one of shares these among several; what is behind them comes one by one. Otherwise few
        records would have values of their own there, and hardly anything could be asked for.
        """
        placed = self._placed[name]
        new = [other for other in self._parents[name] if other not in self._placed]
        for number, other in enumerate(new):
            if not placed.single:
                of = Of(entity=name)
            elif number == 0:
                of = Of(entity=name, group=(1, 2))
            else:
                of = Of(entity=name, pool=3, apart=new[0] if number == 1 else "")
            self._placed[other] = Placed(self._things[other], of, single=False)
            if not placed.single:
                reason = f"several of {name} may lead to one {other}; each is taken to have its own"
                self._placed[other].doubts.append(reason)
        if placed.single and len(new) > 1:
            placed.pair = (new[0], new[1])
            placed.doubts.append(
                f"{a(new[0])} and {a(new[1])} are taken to have at most one {name} in common, "
                f"so that the two together find it"
            )
        return new

    def _finish(self) -> None:
        """Place what leads to something placed: each of that is taken to have one."""
        while True:
            open_edges = [e for e in self._edges if e.parent in self._placed and e.child not in self._placed]
            if not open_edges:
                return
            edge = next((e for e in open_edges if self._placed[e.parent].single), open_edges[0])
            above = self._placed[edge.parent]
            placed = self._place(edge.child, Of(entity=edge.parent), single=above.single)
            placed.doubts.append(
                f"{a(edge.parent)} may have several of {edge.child} ({edge.because}); it is taken to have just one"
            )
            self._link(edge.parent, edge.child)

    def _link(self, name: str, other: str) -> None:
        if other not in self._placed[name].leads_to:
            self._placed[name].leads_to.append(other)
