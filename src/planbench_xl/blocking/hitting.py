"""Smallest hitting sets: the fewest elements that meet every one of some sets."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class HittingSet(msgspec.Struct, frozen=True):
    """A hitting set as a bit mask.

    Attributes:
        mask: The chosen elements.
        smallest: Whether it is proved that no smaller one exists.
    """

    mask: int
    smallest: bool


MAX_NODES = 5_000
"""Nodes of the search after which the best set found so far is taken, unproved."""


def smallest_hitting_set(sets: Iterable[int], max_nodes: int = MAX_NODES) -> HittingSet:
    """Return a smallest set of elements that meets every set, each given as a bit mask.

    Branch and bound: pairwise disjoint sets need an element each, which bounds from below; branching is on the
    elements of a smallest set not yet met.

    Args:
        sets: Non-empty sets.
        max_nodes: Bound on the search.
    """
    minimal = _minimal(sets)
    best = _greedy(minimal)
    nodes = 0
    pending: list[tuple[int, int, list[int]]] = [(0, 0, minimal)]
    while pending:
        chosen, forbidden, left = pending.pop()
        nodes += 1
        if nodes > max_nodes:
            return HittingSet(best, False)
        if not left:
            if chosen.bit_count() < best.bit_count():
                best = chosen
            continue
        if chosen.bit_count() + _disjoint(left) >= best.bit_count():
            continue
        branch = min((one & ~forbidden for one in left), key=int.bit_count)
        # Each branch takes one element and forbids those of the branches before it, so none is searched twice.
        for element in _elements(branch):
            pending.append((chosen | element, forbidden, [one for one in left if not one & element]))
            forbidden |= element
    return HittingSet(best, True)


def _minimal(sets: Iterable[int]) -> list[int]:
    """Return the sets that contain no other one, the smallest first."""
    kept: list[int] = []
    for one in sorted(set(sets), key=lambda mask: (mask.bit_count(), mask)):
        if not any(one & other == other for other in kept):
            kept.append(one)
    return kept


def _greedy(sets: list[int]) -> int:
    chosen, left = 0, sets
    while left:
        counts: dict[int, int] = {}
        for one in left:
            for element in _elements(one):
                counts[element] = counts.get(element, 0) + 1
        best = max(counts, key=lambda element: (counts[element], -element))
        chosen |= best
        left = [one for one in left if not one & best]
    return chosen


def _disjoint(sets: list[int]) -> int:
    taken = number = 0
    for one in sets:
        if not one & taken:
            taken |= one
            number += 1
    return number


def _elements(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low)
        mask ^= low
    return found
