"""When an agent was shown which tool."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from planbench_xl.episodes.record import Turn, TurnError
from planbench_xl.metrics.facts import Facts

RECENT = 2
"""Retrievals that make up the recent window: the current one and the one before (paper)."""

OLD = 2
"""A sighting is old if it is more than this many retrievals back (paper)."""


class Sightings:
    """What the retrievals of an episode showed, up to some turn.

    Malformed retrievals showed nothing and aren't counted. Where a setting shows all tools with the query, that is the
    first retrieval, and mostly the only one.

    Args:
        facts: The facts of the world.
        turns: The turns of the episode.
        blocked: Its blocked tools.
        inventory: All tools were shown with the query.

    Attributes:
        discovered: Executable tools shown so far, in the order of discovery.
    """

    def __init__(self, facts: Facts, turns: Sequence[Turn], blocked: frozenset[str], *, inventory: bool) -> None:
        self._executable = facts.edges.keys()
        self._turns = turns
        self._shown: list[Collection[str]] = [facts.signatures] if inventory else []
        self.discovered = [name for name in facts.edges if name not in blocked] if inventory else []
        self._known = set(self.discovered)

    def retrieved(self, turn: Turn) -> None:
        """Take in a retrieval that was executed."""
        tools = turn.tools or ()
        self._shown.append(tools)
        if new := (self._executable & tools) - self._known:
            self._known |= new
            self.discovered += filter(new.__contains__, dict.fromkeys(tools))

    def lately(self, names: Iterable[str], retrievals: int) -> bool:
        """Say whether one of the last retrievals, the current one among them, showed one of some tools."""
        wanted = set(names)
        return any(not wanted.isdisjoint(tools) for tools in self._shown[-retrievals:])

    def between(self, names: Iterable[str], after: int, before: int) -> bool:
        """Say whether a retrieval shows one of some tools between two turns (numbers from 0)."""
        wanted = set(names)
        return any(not wanted.isdisjoint(turn.tools or ()) for turn in self._turns[after + 1 : before])


def shows_all(turns: Sequence[Turn]) -> bool:
    """Say whether all tools were shown with the query: the first call accepted names one that no retrieval returned."""
    for number, turn in enumerate(turns):
        if turn.action == "call" and turn.request is not None and turn.error is not TurnError.UNDISCOVERED:
            name = turn.request["name"]
            return not any(name in earlier.tools for earlier in turns[:number] if earlier.tools)
    return False
