"""What could be asked of the retriever, the most promising first.

Candidates are kept in a heap that follows the changes in the graph, so that choosing one takes no longer late in an
episode than early.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf
from typing import Literal

import msgspec

from planbench_xl.agents.endpoints import End, Start
from planbench_xl.agents.graph import Graph
from planbench_xl.agents.phrases import word_set

Direction = Literal["forward", "backward", "both"]

FORWARD_BIAS = 8.0
"""Extra cost of a step forward when searching both ways: what a value leads to is mostly beside the point."""

KNOWN_WAY = 3.0
"""Cost of looking for a second way to a concept that can be reached."""

PAIR = 1.5
"""Extra cost of looking for tools that take two things: most pairs have none."""

GIVEN = 1.5
"""How much more promising a pair is per value of the query in it, or per value that no tool takes alone."""

LEAVES = word_set("status state time timestamp at date price amount total count quantity rate")
"""Last words of phrases for what things have, rather than for things by which others are found."""


class Request(msgspec.Struct, frozen=True):
    """A retrieval to send.

    Attributes:
        concept: What it asks for.
        by_output: Asked for as an output, or else as an input.
        phrase: The phrase to ask with; empty: one that names the concept.
        end: The end that is tried with it.
        partner: The second input, if tools that take two are asked for.
        phrases: The phrases for the two.
    """

    concept: int
    by_output: bool
    phrase: str = ""
    end: End | None = None
    partner: int | None = None
    phrases: tuple[str, str] = ("", "")


class Frontier:
    """The retrievals that could be sent next."""

    def __init__(self, graph: Graph, direction: Direction, starts: Sequence[Start]) -> None:
        self._graph = graph
        self._direction = direction
        self._starts = starts
        self._heap: list[tuple[float, int, int, int]] = []
        self._held: dict[int, None] = {}
        self._pairs: set[tuple[int, int]] = set()
        self._barren: dict[str, int] = {}
        self._fruitless: set[int] = set()

    def barren(self, concept: int) -> None:
        """Note that no tool takes a concept alone."""
        last = self._last_word(concept)
        self._barren[last] = self._barren.get(last, 0) + 1
        self._fruitless.add(self._graph.find(concept))

    def sent(self, request: Request) -> None:
        """Note that a request was sent."""
        graph, key = self._graph, self._graph.find(request.concept)
        if request.partner is not None:
            self._pairs.add((key, graph.find(request.partner)))
        else:
            (graph.asked_for if request.by_output else graph.asked_from).add(key)

    def best(self) -> tuple[Request | None, float]:
        """Return the most promising request and its cost; it stays in the frontier until it is sent."""
        self._follow()
        heap = self._heap
        while heap:
            cost, way, key, partner = heap[0]
            now = self._cost(way, key, partner)
            if now > cost:
                heappop(heap)
                self._push(way, key, partner)
                continue
            if way == 2:
                partner = self._graph.find(partner)
                phrases = (self._name(key), self._name(partner))
                return Request(key, False, partner=partner, phrases=phrases), cost
            return Request(key, way == 0), cost
        return None, inf

    def _follow(self) -> None:
        """Take in what has changed in the graph."""
        graph = self._graph
        touched = dict.fromkeys(map(graph.find, graph.touched))
        graph.touched.clear()
        for key in touched:
            for way in (0, 1):
                self._push(way, key)
            if self._direction != "backward" and key not in self._held and graph.held(key) is not None:
                for other in self._held:
                    self._push(2, key, other)
                self._held[key] = None

    def _push(self, way: int, key: int, partner: int = 0) -> None:
        cost = self._cost(way, key, partner)
        if cost < inf:
            heappush(self._heap, (cost, way, key, partner))

    def _cost(self, way: int, key: int, partner: int) -> float:
        """Return the cost of a path through what a request may find: by output (0), by input (1), by two (2)."""
        graph = self._graph
        if graph.find(key) != key:
            return inf
        if way == 0:
            if self._direction == "forward" or key in graph.asked_for or graph.held(key) or not graph.phrases[key]:
                return inf
            # What can be reached already is of interest only if its tools are doubtful.
            return graph.distance.get(key, inf) + (KNOWN_WAY if key in graph.cost else 0.0)
        if self._direction == "backward":
            return inf
        bias = FORWARD_BIAS if self._direction == "both" else 0.0
        if way == 1:
            if key in graph.asked_from or not graph.phrases[key]:
                return inf
            return graph.cost.get(key, inf) + self._dullness(key) + bias
        return self._pair_cost(key, graph.find(partner)) + 2 * bias

    def _pair_cost(self, key: int, partner: int) -> float:
        graph = self._graph
        done = (key, partner) in self._pairs or (partner, key) in self._pairs
        if done or key == partner or not (graph.held(key) and graph.held(partner)):
            return inf
        if not self._name(key) or not self._name(partner):
            return inf
        given = {graph.find(start.concept) for start in self._starts}
        promise = sum((one in given) + (one in self._fruitless) for one in (key, partner))
        return PAIR + self._dullness(key) + self._dullness(partner) - GIVEN * promise

    def _name(self, key: int) -> str:
        """Return a phrase for a concept; for a value of the query that is not linked yet, what the query calls it."""
        graph = self._graph
        if graph.phrases[key]:
            return graph.phrases[key][0]
        names = (start.phrases[0] for start in self._starts if start.phrases and graph.find(start.concept) == key)
        return next(names, "")

    def _dullness(self, key: int) -> float:
        """Return how unlikely it is that any tool takes a concept as its only argument."""
        if self._graph.consumers(key):
            return 0.0
        last = self._last_word(key)
        return self._barren.get(last, 0) + (2.0 if last in LEAVES else 0.0)

    def _last_word(self, key: int) -> str:
        return (self._name(self._graph.find(key)).split() or [""])[-1]
