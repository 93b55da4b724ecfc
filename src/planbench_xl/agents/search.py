"""The search itself: what is asked of the retriever next, and how the two ends of the search find their concepts."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from planbench_xl.agents.appraisal import FLAWED
from planbench_xl.agents.asking import questions
from planbench_xl.agents.endpoints import (
    OTHER_KIND,
    End,
    Goal,
    Start,
    argument_fit,
    goal_likeness,
    kind_fits,
    question_fit,
    slot_likeness,
)
from planbench_xl.agents.frontier import Direction, Frontier, Request
from planbench_xl.agents.graph import Graph, KnownTool
from planbench_xl.agents.phrases import known_values, resemblance, words
from planbench_xl.agents.reading import DISCLOSED, Reader
from planbench_xl.environment import Action, Observation, retrieve

START_PHRASES = 2
"""Number of phrases by which tools for a value of the query are looked for at first."""

READ_WELL = 0.6
"""Fit from which no other reading of a question is tried."""

TRAIT = 0.9
"""How much less likely it is that a question asks for a trait of what it was read as."""

RECOGNISED = 0.8
"""Likeness from which an output met on the way forward is taken to be the goal at once."""

SURE = 1.0
"""Fit of a link that is never given up for a guess."""

PATIENT_FIT = 0.8
"""Fit from which a link is believed once the search has taken long."""

LEFT_OVER = 0.3
"""Fit of the only value that is left for the only argument that is open."""

UNLIKELY = 0.05
"""Fit from which a link is tried when nothing else is left."""


class Search:
    """One episode's search over the tools that retrieval shows.

    Attributes:
        direction: Which ends it searches from.
        graph: What has been learnt.
        starts: The values that the query gives.
        goals: What it asks for.
    """

    def __init__(self, direction: Direction, reader: Reader, query: str = "") -> None:
        self.direction = direction
        self.graph = Graph()
        self.starts = [Start(self.graph, known) for known in known_values(query)]
        self.goals = [Goal(self.graph, question) for question in questions(query)]
        self._query = query
        self._reader = reader
        self._frontier = Frontier(self.graph, direction, self.starts)
        self._sent: Request | None = None

    @property
    def open_goals(self) -> list[Goal]:
        """What has no answer yet."""
        return [goal for goal in self.goals if goal.answer is None]

    def learn(self, observation: Observation) -> None:
        """Read the tools that came back for the request sent last."""
        request, self._sent = self._sent, None
        if request is None:
            return
        graph, reader = self.graph, self._reader
        if request.by_output:
            tools = reader.by_output(graph, observation.tools, request.concept)
        elif request.partner is not None:
            tools = reader.by_pair(graph, observation.tools, (request.concept, request.partner), request.phrases)
            for start in self.starts:
                start.settled |= bool(graph.phrases[graph.find(start.concept)])
        else:
            tools = reader.by_input(graph, observation.tools, request.concept)
            if not tools:
                self._frontier.barren(request.concept)
        if isinstance(request.end, Goal) and not request.by_output:
            self._judge_traits(request.end, tools)
        elif isinstance(request.end, Goal):
            self._judge_reading(request.end, request, tools)
        elif request.end is not None and tools and request.partner is None:
            fit = argument_fit(request.phrase, map(reader.text, observation.tools))
            request.end.offer(graph, next(iter(tools[0].slots.values())), fit)
        if self.direction == "forward" and not request.by_output:
            self._recognise(tools)
        self._link_starts(tools)

    def _judge_reading(self, goal: Goal, request: Request, tools: list[KnownTool]) -> None:
        """Decide whether the tools that a reading of a question found are what it asks for."""
        # The first reading is the likeliest.
        fit = max(question_fit(goal.question, tools), 0.01) * 0.95 ** (goal.tried - 1)
        goal.offer(self.graph, request.concept, fit, sure=READ_WELL)
        goal.fitting |= bool(tools) and kind_fits(goal.question, [tool for tool in tools if tool.flaw < FLAWED])
        goal.read_as(self.graph.find(request.concept), request.phrase, fit)
        if goal.tried >= len(goal.phrases) and not goal.settled and not goal.things(self.graph):
            self._settle(goal)

    def _settle(self, goal: Goal) -> None:
        fit, concept = goal.best(self.graph)
        goal.link(self.graph, concept, fit)

    def _judge_traits(self, goal: Goal, tools: list[KnownTool]) -> None:
        """Look for what is asked among the things that a reading of the question has."""
        graph = self.graph
        for tool in tools:
            if tool.flaw < FLAWED and len(tool.outputs) == 1:
                fit = TRAIT * question_fit(goal.question, [tool])
                goal.offer(graph, graph.find(tool.outputs[0]), fit, sure=READ_WELL)
                if goal.settled:
                    return

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
        """Look for what is asked among the outputs of tools that were found in another way."""
        graph = self.graph
        for goal in [goal for goal in self.open_goals if not goal.settled]:
            for tool in tools:
                if tool.flaw >= FLAWED or not tool.outputs:
                    continue
                concept = graph.find(tool.outputs[0])
                fit = goal_likeness(goal.question.head, tool) * (
                    1.0 if kind_fits(goal.question, [tool]) else OTHER_KIND
                )
                if fit > goal.best(graph)[0]:
                    goal.offer(graph, concept, fit, sure=RECOGNISED)
                if goal.settled:
                    break

    def link_best(self, least: float, *, goals: bool = True) -> bool:
        """Link the end whose best offer fits best; say whether there was one that fits well enough.

        Args:
            least: Fit that is well enough for a value of the query.
            goals: Consider what is asked for too.
        """
        graph = self.graph
        if least < PATIENT_FIT:
            self._eliminate()
        ends: list[End] = [start for start in self.starts if not start.settled]
        if goals:
            ends += [goal for goal in self.open_goals if not goal.settled]
        if not ends:
            return False
        end = max(ends, key=lambda end: end.best(graph)[0])
        fit, concept = end.best(graph)
        if fit < (0.01 if isinstance(end, Goal) else least):
            return False
        end.link(graph, concept, fit)
        return True

    def _eliminate(self) -> None:
        """Offer an argument to the only value that can be meant for it, if everything else for the tool is at hand."""
        graph = self.graph
        unsettled = [start for start in self.starts if not start.settled]
        for tool in graph.tools.values() if unsettled else ():
            lacking = [name for name, key in tool.slots.items() if graph.find(key) not in graph.cost]
            if tool.dead or tool.doubt >= DISCLOSED or len(lacking) != 1 or len(tool.slots) == 1:
                continue
            spec = tool.view.parameters["properties"].get(lacking[0], {})
            fitting = [start for start in unsettled if start.suits(lacking[0], spec)]
            if len(fitting) == 1:
                fitting[0].offer(graph, graph.find(tool.slots[lacking[0]]), LEFT_OVER)

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

    def guess(self) -> bool:
        """Take a value of the query for what nothing returns but is needed; say whether there is such a thing."""
        graph = self.graph
        unsettled = [start for start in self.starts if not start.settled]
        for tool in graph.tools.values() if unsettled else ():
            for name, key in tool.slots.items():
                concept = graph.find(key)
                near = graph.distance.get(concept, inf)
                if near == inf or tool.dead or concept in graph.cost or graph.producers.get(concept):
                    continue
                spec = tool.view.parameters["properties"].get(name, {})
                for start in unsettled:
                    if start.suits(name, spec):
                        start.offer(graph, concept, UNLIKELY + 0.1 / (1 + near))
        return self.link_best(UNLIKELY)

    def reconsider(self) -> bool:
        """Read a question as asking for the likeliest thing of its kind within reach; say whether there is one."""
        graph = self.graph
        about = frozenset(words(self._query))
        for goal in self.open_goals:
            if goal.reconsidered or goal.doubted or goal.question.kind not in ("time", "amount"):
                continue
            goal.reconsidered = True
            best = (0.0, -1)
            for tool in graph.tools.values():
                concept = graph.find(tool.outputs[0]) if len(tool.outputs) == 1 else -1
                if tool.flaw < FLAWED and concept in graph.cost and kind_fits(goal.question, [tool]):
                    named = frozenset(words(tool.name))
                    best = max(best, (resemblance(about, tool.words | named), concept))
            if best[1] >= 0 and best[1] != graph.find(goal.concept):
                goal.relink(graph, best[1], UNLIKELY)
                return True
        return False

    def identify(self, *, desperate: bool = False) -> Action | None:
        """Return a request that links an end of the search to tools, if one is to be sent.

        Args:
            desperate: Send those too that hardly ever find anything.
        """
        if self.direction != "forward":
            for goal in self.open_goals:
                if not goal.settled and goal.tried < len(goal.phrases):
                    return self._try(goal, by_output=True)
                if not goal.settled and goal.tried:
                    things = goal.things(self.graph)
                    if things:
                        return self.send(
                            Request(things[0], by_output=False, phrase=goal.phrase_of(things[0]), end=goal)
                        )
                    self._settle(goal)
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
        request, cost = self._frontier.best()
        return request, cost + 1 if request else inf

    def send(self, request: Request) -> Action:
        """Return the action of a request, whose answer `learn` has to be given next."""
        self._sent = request
        self._frontier.sent(request)
        if request.partner is not None:
            return retrieve(inputs=list(request.phrases))
        phrase = request.phrase or self.graph.phrases[self.graph.find(request.concept)][0]
        return retrieve(output=phrase) if request.by_output else retrieve(inputs=[phrase])

    def asked_from(self, concept: int) -> bool:
        """Say whether tools that take a concept were looked for."""
        return self.graph.find(concept) in self.graph.asked_from
