"""The search itself: what is asked of the retriever next, and how the two ends of the search find their concepts."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Literal

import msgspec

from planbench_xl.agents.appraisal import FLAWED
from planbench_xl.agents.endpoints import (
    End,
    Start,
    argument_fit,
    distinct,
    goal_likeness,
    output_fit,
    slot_likeness,
    uncovered,
)
from planbench_xl.agents.graph import Graph, KnownTool
from planbench_xl.agents.phrases import known_values, question_phrases, word_set
from planbench_xl.agents.reading import Reader
from planbench_xl.environment import Action, Observation, retrieve

Direction = Literal["forward", "backward", "both"]

GOAL_PHRASES = 3
"""Number of readings of the question that are tried."""

START_PHRASES = 2
"""Number of phrases by which tools for a value of the query are looked for at first."""

FORWARD_BIAS = 8.0
"""Extra cost of a step forward when searching both ways: what a value leads to is mostly beside the point."""

KNOWN_WAY = 3.0
"""Cost of looking for a second way to a concept that can be reached."""

LEAVES = word_set("status state time timestamp at date price amount total count quantity rate")
"""Last words of phrases for what things have, rather than for things by which others are found."""

RECOGNISED = 0.8
"""Likeness from which an output met on the way forward is taken to be the goal at once."""

SURE = 1.0
"""Fit of a link that is never given up for a guess."""

PATIENT_FIT = 0.8
"""Fit from which a link is believed once the search has taken long."""

UNLIKELY = 0.05
"""Fit from which a link is tried when nothing else is left."""


class Request(msgspec.Struct, frozen=True):
    """A retrieval to send.

    Attributes:
        concept: What it asks for.
        by_output: Asked for as an output, or else as an input.
        phrase: The phrase to ask with; empty: one that names the concept.
        end: The end that is tried with it.
    """

    concept: int
    by_output: bool
    phrase: str = ""
    end: End | None = None


class Search:
    """One episode's search over the tools that retrieval shows.

    Attributes:
        direction: Which ends it searches from.
        graph: What has been learnt.
        starts: The values that the query gives.
        goal: What it asks for.
    """

    def __init__(self, direction: Direction, reader: Reader, query: str = "") -> None:
        self.direction = direction
        self.graph = Graph()
        self.starts = [Start(self.graph, known) for known in known_values(query)]
        self.goal = End(self.graph, distinct(question_phrases(query), GOAL_PHRASES))
        self.graph.aim(self.goal.concept)
        self._reader = reader
        self._asked_for: set[int] = set()
        self._asked_from: set[int] = set()
        self._barren: dict[str, int] = {}
        self._sent: Request | None = None

    def learn(self, observation: Observation) -> None:
        """Read the tools that came back for the request sent last."""
        request, self._sent = self._sent, None
        if request is None:
            return
        graph, reader = self.graph, self._reader
        if request.by_output:
            tools = reader.by_output(graph, observation.tools, request.concept)
        else:
            tools = reader.by_input(graph, observation.tools, request.concept)
            if not tools:
                last = self._last_word(request.concept)
                self._barren[last] = self._barren.get(last, 0) + 1
            if self.direction == "forward" and not self.goal.settled:
                self._recognise(tools)
        if request.end is self.goal:
            self._judge_reading(request, tools)
        elif request.end is not None and tools:
            fit = argument_fit(request.phrase, map(reader.text, observation.tools))
            request.end.offer(graph, next(iter(tools[0].slots.values())), fit)
        self._link_starts(tools)

    def _judge_reading(self, request: Request, tools: list[KnownTool]) -> None:
        """Decide whether the tools that a reading of the question found are what it asks for."""
        goal = self.goal
        # The first reading is by far the likeliest.
        fit = output_fit(goal.phrases[0], tools)
        goal.offer(self.graph, request.concept, max(fit, 0.01) * 0.9 ** (goal.tried - 1))
        if goal.tried == 1 and not goal.settled:
            goal.ask_also(uncovered(goal.phrases[0], tools))
        if goal.tried >= min(GOAL_PHRASES, len(goal.phrases)) and not goal.settled:
            fit, concept = goal.best(self.graph)
            goal.link(self.graph, concept, fit)

    def _link_starts(self, tools: Iterable[KnownTool]) -> None:
        """Look for values of the query among the arguments of tools."""
        graph = self.graph
        unsettled = [start for start in self.starts if not start.settled]
        slots = {(name, tool.name): tool for tool in tools for name in tool.slots} if unsettled else {}
        for start in unsettled:
            for (name, _), tool in slots.items():
                spec = tool.view.parameters["properties"].get(name, {})
                concept = graph.find(tool.slots[name])
                if not start.settled and start.suits(name, spec) and graph.held(concept) is None:
                    about = spec.get("description", "")
                    fit = max((slot_likeness(phrase, name, about) for phrase in start.phrases[:2]), default=0.0)
                    start.offer(graph, concept, fit, sure=SURE)

    def _recognise(self, tools: list[KnownTool]) -> None:
        """Look for the goal among the outputs of tools that were found by their inputs."""
        for tool in tools:
            if tool.flaw < FLAWED and tool.outputs:
                fit = goal_likeness(self.goal.phrases[0], tool)
                if fit > self.goal.best(self.graph)[0]:
                    self.goal.offer(self.graph, tool.outputs[0], fit, sure=RECOGNISED)

    def link_best(self, least: float) -> bool:
        """Link the end whose best offer fits best; say whether there was one that fits well enough."""
        graph = self.graph
        ends: list[End] = [start for start in self.starts if not start.settled]
        if least < PATIENT_FIT and not self.goal.settled:
            ends.append(self.goal)
        if not ends:
            return False
        end = max(ends, key=lambda end: end.best(graph)[0])
        fit, concept = end.best(graph)
        if fit < (least if end is not self.goal else 0.01):
            return False
        end.link(graph, concept, fit)
        return True

    def relink(self) -> bool:
        """Give up a link of a value of the query that has led nowhere, for the next best."""
        linked = [start for start in self.starts if start.settled and not start.held.confirmed]
        for start in sorted(linked, key=lambda start: start.fit):
            fit, concept = start.best(self.graph)
            if fit >= UNLIKELY and start.fit < SURE:
                start.unlink(self.graph)
                start.link(self.graph, concept, fit)
                return True
        return False

    def identify(self, *, desperate: bool = False) -> Action | None:
        """Return a request that links an end of the search to tools, if one is to be sent.

        Args:
            desperate: Send those too that hardly ever find anything.
        """
        goal = self.goal
        if self.direction != "forward" and not goal.settled and goal.tried < min(GOAL_PHRASES, len(goal.phrases)):
            return self._try(goal, by_output=True)
        if self.direction != "backward":
            for start in self.starts:
                worth = len(start.phrases) if desperate else START_PHRASES if start.identifies else 0
                if not start.settled and start.tried < min(worth, len(start.phrases)):
                    return self._try(start, by_output=False)
        return None

    def _try(self, end: End, *, by_output: bool) -> Action:
        phrase = end.phrases[end.tried]
        end.tried += 1
        return self.send(Request(self.graph.concept(phrase), by_output, phrase, end))

    def next_request(self) -> tuple[Request | None, float]:
        """Return the most promising retrieval, and the cost of a path through what it may find."""
        graph, direction = self.graph, self.direction
        best: tuple[float, int, bool] = (inf, 0, False)
        if direction != "forward":
            asked = {graph.find(key) for key in self._asked_for}
            for key, distance in graph.distance.items():
                if key not in asked and graph.phrases[key] and graph.held(key) is None:
                    # What can be reached already is of interest only if its tools are doubtful.
                    total = distance + (KNOWN_WAY if key in graph.cost else 0.0)
                    if total < best[0]:
                        best = (total, key, True)
        if direction != "backward":
            asked = {graph.find(key) for key in self._asked_from}
            for key, cost in graph.cost.items():
                if cost < best[0] and key not in asked and graph.phrases[key]:
                    total = cost + self._dullness(key) + (FORWARD_BIAS if direction == "both" else 0.0)
                    if total < best[0]:
                        best = (total, key, False)
        if best[0] == inf:
            return None, inf
        return Request(best[1], best[2]), best[0] + 1

    def send(self, request: Request) -> Action:
        """Return the action of a request, whose answer `learn` has to be given next."""
        self._sent = request
        phrase = request.phrase or self.graph.phrases[self.graph.find(request.concept)][0]
        (self._asked_for if request.by_output else self._asked_from).add(request.concept)
        return retrieve(output=phrase) if request.by_output else retrieve(inputs=[phrase])

    def asked_from(self, concept: int) -> bool:
        """Say whether tools that take a concept were looked for."""
        return self.graph.find(concept) in map(self.graph.find, self._asked_from)

    def _dullness(self, key: int) -> float:
        """Return how unlikely it is that any tool takes a concept as its only argument."""
        if self.graph.consumers(key):
            return 0.0
        last = self._last_word(key)
        return self._barren.get(last, 0) + (2.0 if last in LEAVES else 0.0)

    def _last_word(self, key: int) -> str:
        return self.graph.phrases[self.graph.find(key)][0].split()[-1]
