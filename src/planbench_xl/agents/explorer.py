"""Honest agents that search the tool graph: forward from what is known, backward from what is asked, or both ways.

They see observations only. Each turn they read what came back, then do the first of these that is possible: give an
answer they believe, take the next call of a plan, look for more tools, take a doubtful call, give up.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import msgspec

from planbench_xl.agents.appraisal import FLAWED, oddness
from planbench_xl.agents.endpoints import (
    LIKELY,
    End,
    Start,
    argument_fit,
    distinct,
    goal_likeness,
    output_fit,
    slot_likeness,
    uncovered,
)
from planbench_xl.agents.graph import Graph, Held, KnownTool
from planbench_xl.agents.phrases import known_values, output_phrases, question_phrases, words
from planbench_xl.agents.reading import Reader
from planbench_xl.environment import Action, Environment, Event, Observation, answer, call, retrieve
from planbench_xl.world import Value, text_form

Direction = Literal["forward", "backward", "both"]

IMPOSSIBLE = 1.0
"""Oddness from which a returned value is thrown away."""

GOAL_PHRASES = 3
"""Number of readings of the question that are tried."""

START_PHRASES = 2
"""Number of phrases by which tools for a value of the query are looked for at first."""

FORWARD_BIAS = 5.0
"""Extra cost of a step forward when searching both ways: what a value leads to is mostly beside the point."""

PATIENCE = 8
"""After so many retrievals without a plan, likely links are believed."""

PATIENT_FIT = 0.8
"""Fit from which a link counts as likely then."""

UNLIKELY = 0.05
"""Fit from which a link is tried when nothing else is left."""

KNOWN_WAY = 3.0
"""Cost of looking for a second way to a concept that can be reached."""

LEAVES = frozenset("status state time timestamp at date price amount total count quantity rate".split())
"""Last words of phrases for what things have, rather than for things by which others are found."""

SAFE_ERRORS = 2
"""After so many call errors in a row, only a call that is known to work is safe."""


def explorer(environment: Environment) -> SearchAgent:
    """Make the agent that searches from both ends."""
    del environment
    return SearchAgent("both")


def forward(environment: Environment) -> SearchAgent:
    """Make the agent that searches from the known values."""
    del environment
    return SearchAgent("forward")


def backward(environment: Environment) -> SearchAgent:
    """Make the agent that searches from the question."""
    del environment
    return SearchAgent("backward")


class _Request(msgspec.Struct, frozen=True):
    """A retrieval that was sent.

    Attributes:
        concepts: What it asked for.
        by_output: Asked for as an output, or else as inputs.
        phrase: The phrase that an end is tried with.
        end: The end that it was sent for.
    """

    concepts: tuple[int, ...]
    by_output: bool
    phrase: str = ""
    end: End | None = None


class SearchAgent:
    """Searches for tools, plans over those it knows, and re-plans when one fails.

    Attributes:
        direction: Which ends it searches from.
    """

    def __init__(self, direction: Direction) -> None:
        self.direction = direction
        self._reader = Reader()
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget the last episode. Nothing here is random."""
        del seed
        self._graph = Graph()
        self._starts: list[Start] = []
        self._goal = End(self._graph, ())
        self._asked_for: set[int] = set()
        self._asked_from: set[int] = set()
        self._asked_pairs: set[frozenset[int]] = set()
        self._request: _Request | None = None
        self._called: tuple[KnownTool, dict[str, Held]] | None = None
        self._barren: dict[str, int] = {}
        self._safe: Action | None = None
        self._errors = 0
        self._retrievals = 0
        self._last: Value = None

    def act(self, observation: Observation) -> Action:
        """Read an observation and answer it."""
        self._read(observation)
        return self._decide(observation.turns_left)

    # Reading.

    def _read(self, observation: Observation) -> None:
        event = observation.event
        if event is Event.QUERY:
            self._begin(observation.query)
        elif event is Event.TOOLS and self._request is not None:
            self._learn(observation, self._request)
        elif event is Event.CONTINUE:
            self._doubt_goal()
        elif self._called is not None:
            tool, held = self._called
            if event is Event.RESULT:
                self._take(tool, held, observation.value)
            elif event is Event.NO_RESULT:
                self._nothing(tool, held)
            elif event is Event.AMBIGUOUS:
                self._errors = 0
                self._bury(tool)
            else:
                self._refused(tool, held, observation)
        self._request = self._called = None

    def _begin(self, query: str) -> None:
        graph = self._graph
        self._starts = [Start(graph, known) for known in known_values(query)]
        self._goal = End(graph, distinct(question_phrases(query), GOAL_PHRASES))
        graph.aim(self._goal.concept)

    def _learn(self, observation: Observation, request: _Request) -> None:
        graph, reader = self._graph, self._reader
        if request.by_output:
            tools = reader.by_output(graph, observation.tools, request.concepts[0])
        else:
            tools = reader.by_inputs(graph, observation.tools, request.concepts)
            if not tools:
                last = graph.phrases[graph.find(request.concepts[0])][0].split()[-1]
                self._barren[last] = self._barren.get(last, 0) + 1
        if request.end is None:
            if self.direction == "forward" and not self._goal.settled:
                self._recognise(tools)
        elif request.by_output:
            self._judge_reading(request, tools)
        else:
            texts = [reader.text(view) for view in observation.tools]
            if tools:
                slot = next(iter(tools[0].slots.values()))
                request.end.offer(graph, slot, argument_fit(request.phrase, texts))
            if self.direction == "forward" and not self._goal.settled:
                self._recognise(tools)
        self._link_starts(tools)

    def _judge_reading(self, request: _Request, tools: list[KnownTool]) -> None:
        """Decide whether the tools that a reading of the question found are what it asks for."""
        goal = self._goal
        # The first reading is by far the likeliest.
        fit = output_fit(goal.phrases[0], tools)
        goal.offer(self._graph, request.concepts[0], max(fit, 0.01) * 0.9 ** (goal.tried - 1))
        if goal.tried == 1 and not goal.settled:
            goal.ask_also(uncovered(goal.phrases[0], tools))
        if goal.tried >= min(GOAL_PHRASES, len(goal.phrases)) and not goal.settled:
            goal.link(self._graph, goal.best(self._graph)[1])

    def _link_starts(self, tools: list[KnownTool]) -> None:
        """Look for values of the query among the arguments of tools."""
        for start in self._starts:
            if start.settled:
                continue
            for tool in tools:
                for name, spec in tool.view.parameters["properties"].items():
                    concept = self._graph.find(tool.slots[name])
                    if concept not in start.refused and start.suits(name, spec) and not self._graph.held(concept):
                        likeness = max(slot_likeness(p, name, spec["description"]) for p in start.phrases[:2])
                        start.offer(self._graph, concept, likeness, sure=1.0)
                    if start.settled:
                        break

    def _recognise(self, tools: list[KnownTool]) -> None:
        """Look for the goal among the outputs of tools that were found by their inputs."""
        for tool in tools:
            if tool.flaw < FLAWED and tool.outputs:
                fit = max(goal_likeness(phrase, tool) for phrase in self._goal.phrases[:2])
                if fit > self._goal.best(self._graph)[0]:
                    self._goal.offer(self._graph, tool.outputs[0], fit, sure=0.8)

    def _take(self, tool: KnownTool, held: dict[str, Held], value: Value) -> None:
        """Keep what a call returned, unless it is impossible."""
        self._errors = 0
        several = len(tool.outputs) > 1 and isinstance(value, dict)
        parts = list(value.values()) if several else [value]
        phrases = output_phrases(tool.name)
        topics = [frozenset(" ".join(phrases[i : i + 1] if several else phrases).split()) for i in range(len(parts))]
        odd = [oddness(part, topic) for part, topic in zip(parts, topics, strict=True)]
        if max(odd, default=IMPOSSIBLE) >= IMPOSSIBLE:
            self._bury(tool)
            return
        for used in held.values():
            used.confirmed = True
        self._safe = call(tool.name, {name: used.forms[0] for name, used in held.items()})
        for key, part, strangeness in zip(tool.outputs, parts, odd, strict=False):
            self._graph.hold(key, Held((part,), tool, strangeness))
        self._last = value

    def _nothing(self, tool: KnownTool, held: dict[str, Held]) -> None:
        """There is no record for the arguments: a value of the query is written differently, or isn't meant here."""
        self._errors = 0
        for used in held.values():
            if len(used.forms) > 1 and not used.confirmed:
                used.forms = used.forms[1:]
                return
        doubtful = [start for start in self._starts if start.held in held.values() and not start.held.confirmed]
        if doubtful and len(self._starts) > 1:
            doubtful[0].unlink(self._graph)
        else:
            self._bury(tool)

    def _refused(self, tool: KnownTool, held: dict[str, Held], observation: Observation) -> None:
        """A call was refused: find out which value is to blame."""
        self._errors += 1
        graph = self._graph
        blamed = [name for name in observation.arguments if name in held and not held[name].confirmed]
        if observation.event not in (Event.ERROR_UNTRUSTED_INPUT, Event.ERROR_MISSING_INPUT) or not blamed:
            self._bury(tool)
            return
        for name in blamed:
            source = held[name].source
            if source is not None:
                source.dead = True
                graph.release(tool.slots[name])
                continue
            start = next(start for start in self._starts if start.held is held[name])
            start.unlink(graph)

    def _bury(self, tool: KnownTool) -> None:
        tool.dead = True
        self._graph.rebuild()

    def _doubt_goal(self) -> None:
        """The answer was wrong: don't rely on the tool that gave it."""
        held = self._graph.held(self._goal.concept)
        if held is not None:
            if held.source is not None:
                held.source.dead = True
            self._graph.release(self._goal.concept)

    # Deciding.

    def _decide(self, turns_left: int) -> Action:
        graph, goal = self._graph, self._goal
        held = graph.held(goal.concept)
        if held is not None and held.source is not None:
            return answer(text_form(held.forms[0]))
        if turns_left <= 1:
            return self._give_up()
        request = self._identify()
        if request is not None:
            return request
        plan = graph.plan([goal.concept])
        request, bound = self._next_request()
        if plan and (request is None or self._acceptable(plan, bound, turns_left)):
            return self._call(plan[0])
        if request is not None:
            self._retrievals += 1
            if self._retrievals > PATIENCE and not plan and self._link_best(PATIENT_FIT):
                return self._decide(turns_left)
            return self._send(request)
        if self._link_best(LIKELY):
            return self._decide(turns_left)
        action = self._identify(desperate=True)
        if action is None and (self._link_best(UNLIKELY) or self._relink()):
            return self._decide(turns_left)
        return action or self._give_up()

    def _link_best(self, least: float) -> bool:
        """Link the end whose best offer fits best; say whether there was one that fits well enough."""
        graph = self._graph
        ends: list[End] = [start for start in self._starts if not start.settled]
        if least < PATIENT_FIT and not self._goal.settled:
            ends.append(self._goal)
        if not ends:
            return False
        end = max(ends, key=lambda end: end.best(graph)[0])
        fit, concept = end.best(graph)
        if fit < (least if end is not self._goal else 0.01):
            return False
        end.link(graph, concept)
        return True

    def _relink(self) -> bool:
        """Give up a link of a value of the query that has led nowhere, for the next best."""
        for start in self._starts:
            if start.settled and not start.held.confirmed:
                start.unlink(self._graph)
                fit, concept = start.best(self._graph)
                if fit >= LIKELY:
                    start.link(self._graph, concept)
                    return True
        return False

    def _acceptable(self, plan: list[KnownTool], bound: float, turns_left: int) -> bool:
        if self._errors >= SAFE_ERRORS and self._safe is None:
            return False
        doubt = sum(tool.doubt for tool in plan)
        return doubt == 0 or bound > len(plan) + doubt or turns_left <= 2 * len(plan) + 4

    def _identify(self, *, desperate: bool = False) -> Action | None:
        """Return a request that links an end of the search to tools, if one is to be sent.

        Args:
            desperate: Send those too that hardly ever find anything.
        """
        goal = self._goal
        if self.direction != "forward" and not goal.settled and goal.tried < min(GOAL_PHRASES, len(goal.phrases)):
            return self._try(goal, by_output=True)
        if self.direction != "backward":
            for start in self._starts:
                worth = len(start.phrases) if desperate else START_PHRASES if start.identifies else 0
                if not start.settled and start.tried < min(worth, len(start.phrases)):
                    return self._try(start, by_output=False)
        return None

    def _try(self, end: End, *, by_output: bool) -> Action:
        phrase = end.phrases[end.tried]
        end.tried += 1
        concept = self._graph.concept(phrase)
        (self._asked_for if by_output else self._asked_from).add(concept)
        return self._send(_Request((concept,), by_output, phrase, end))

    def _next_request(self) -> tuple[_Request | None, float]:
        """Return the most promising retrieval, and the cost of a path through what it may find."""
        graph, direction = self._graph, self.direction
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
        return _Request((best[1],), best[2]), best[0] + 1

    def _dullness(self, key: int) -> float:
        """Return how unlikely it is that any tool takes a concept as its only argument."""
        graph = self._graph
        if graph.consumers(key):
            return 0.0
        last = graph.phrases[key][0].split()[-1]
        return 1.0 * self._barren.get(last, 0) + (2.0 if last in LEAVES else 0.0)

    def _send(self, request: _Request) -> Action:
        self._request = request
        phrases = [request.phrase or self._graph.phrases[self._graph.find(key)][0] for key in request.concepts]
        if request.by_output:
            self._asked_for.update(request.concepts)
            return retrieve(output=phrases[0])
        self._asked_from.update(request.concepts)
        return retrieve(inputs=phrases)

    def _call(self, tool: KnownTool) -> Action:
        if self._errors >= SAFE_ERRORS and self._safe is not None:
            self._errors = 0
            return self._safe
        held = {}
        for name, key in tool.slots.items():
            value = self._graph.held(key)
            assert value is not None, "a plan's first tool has all it needs"
            held[name] = value
        self._called = (tool, held)
        return call(tool.name, {name: value.forms[0] for name, value in held.items()})

    def _give_up(self) -> Action:
        return answer("I can't determine it." if self._last is None else text_form(self._last))
