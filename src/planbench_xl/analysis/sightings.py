"""When an agent was shown which tool."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from planbench_xl.episodes.record import Turn, TurnError
from planbench_xl.metrics.facts import Facts

RECENT = 2
"""Retrievals that make up the recent window: the current one and the one before (paper)."""

OLD = 2
"""A sighting is old if it is more than this many retrievals back (paper)."""


class Sightings:
    """What the retrievals of an episode showed.

    Retrievals are counted from 1; malformed ones showed nothing and aren't counted. Where a setting shows all tools
    with the query, that is retrieval 0, and there is no other.

    Attributes:
        count: Number of retrievals so far.
        discovered: Executable tools shown so far, in the order of discovery.
        inventory: All tools were shown with the query.
    """

    def __init__(self, facts: Facts, turns: Sequence[Turn], blocked: frozenset[str]) -> None:
        self._executable = facts.edges
        self._newest: dict[str, int] = {}
        self._shown: dict[str, list[int]] = {}
        self.count = 0
        self.discovered: list[str] = []
        self.inventory = shows_all(turns)
        if self.inventory:
            self.discovered = [name for name in facts.edges if name not in blocked]
            self._newest = dict.fromkeys(facts.signatures, 0)
        for number, turn in enumerate(turns):
            for name in turn.tools or ():
                if name in self._executable:
                    self._shown.setdefault(name, []).append(number)

    def retrieved(self, turn: Turn) -> None:
        """Take in a retrieval that was executed."""
        self.count += 1
        for name in turn.tools or ():
            if name not in self._newest and name in self._executable:
                self.discovered.append(name)
            self._newest[name] = self.count

    def back(self, name: str) -> int | None:
        """Return how many retrievals ago a tool was last shown, 0 for the current one; None if it wasn't."""
        newest = self._newest.get(name)
        return None if newest is None else self.count - newest

    def between(self, names: Sequence[str], after: int, before: int) -> bool:
        """Say whether a retrieval shows one of some executable tools between two turns (numbers from 0)."""
        for name in names:
            shown = self._shown.get(name, ())
            place = bisect_left(shown, after + 1)
            if place < len(shown) and shown[place] < before:
                return True
        return False


def shows_all(turns: Sequence[Turn]) -> bool:
    """Say whether all tools were shown with the query: the first call accepted names one that no retrieval returned."""
    shown: set[str] = set()
    for turn in turns:
        if turn.tools:
            shown.update(turn.tools)
        elif turn.action == "call" and turn.request is not None and turn.error is not TurnError.UNDISCOVERED:
            return turn.request["name"] not in shown
    return False
