"""Honest agents that search the tool graph: forward from what is known, backward from what is asked, or both ways.

They see observations only. Each turn they read what came back, then do the first of these that is possible: give an
answer they believe, take the next call of a plan, look for more tools, take a doubtful call, give up.
"""

from __future__ import annotations

from planbench_xl.agents.appraisal import oddness
from planbench_xl.agents.endpoints import LIKELY
from planbench_xl.agents.graph import Held, KnownTool
from planbench_xl.agents.phrases import output_phrases
from planbench_xl.agents.reading import Reader
from planbench_xl.agents.search import PATIENT_FIT, UNLIKELY, Direction, Request, Search
from planbench_xl.environment import Action, Environment, Event, Observation, answer, call
from planbench_xl.world import Value, text_form

IMPOSSIBLE = 1.0
"""Oddness from which a returned value is thrown away."""

SAFE_ERRORS = 2
"""After so many call errors in a row, only a call that is known to work is safe."""

SECOND_WAY = 10
"""Turns that must remain to look for a second way to a doubtful answer."""

LATE = 30
"""With so few turns left, the best links there are have to do."""

PATIENCE = 8
"""After so many retrievals without a plan, likely links are believed."""


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
        self._search = Search(self.direction, self._reader)
        self._called: tuple[KnownTool, dict[str, Held]] | None = None
        self._safe: Action | None = None
        self._errors = 0
        self._retrievals = 0
        self._last: Value = None
        self._fallback: tuple[float, Held] | None = None

    def act(self, observation: Observation) -> Action:
        """Read an observation and answer it."""
        self._read(observation)
        return self._decide(observation.turns_left)

    def _read(self, observation: Observation) -> None:
        event = observation.event
        if event is Event.QUERY:
            self._search = Search(self.direction, self._reader, observation.query)
        elif event is Event.TOOLS:
            self._search.learn(observation)
        elif event is Event.CONTINUE:
            self._drop_goal()
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
        self._called = None

    def _take(self, tool: KnownTool, held: dict[str, Held], value: Value) -> None:
        """Keep what a call returned, unless it is impossible."""
        self._errors = 0
        parts = _parts(tool, value)
        odd = [oddness(part, topic) for part, topic in parts]
        if max(odd, default=IMPOSSIBLE) >= IMPOSSIBLE:
            self._bury(tool)
            return
        for used in held.values():
            used.confirmed = True
        self._safe = call(tool.name, {name: used.forms[0] for name, used in held.items()})
        for key, (part, _), strangeness in zip(tool.outputs, parts, odd, strict=True):
            self._search.graph.hold(key, Held((part,), tool, strangeness))
        self._last = value

    def _nothing(self, tool: KnownTool, held: dict[str, Held]) -> None:
        """There is no record for the arguments: a value of the query is written differently, or isn't meant here."""
        self._errors = 0
        for used in held.values():
            # The call was executed, so what tools returned is trusted.
            used.confirmed |= used.source is not None
            if len(used.forms) > 1 and not used.confirmed:
                used.forms = used.forms[1:]
                return
        doubtful = [start for start in self._search.starts if start.held in held.values() and not start.held.confirmed]
        if doubtful and len(self._search.starts) > 1:
            doubtful[0].unlink(self._search.graph)
        else:
            self._bury(tool)

    def _refused(self, tool: KnownTool, held: dict[str, Held], observation: Observation) -> None:
        """A call was refused: take over an argument's new name, or find out which value is to blame."""
        self._errors += 1
        graph = self._search.graph
        if observation.event is Event.ERROR_RENAMED_ARGUMENT:
            old, new = observation.arguments
            tool.slots[new] = tool.slots.pop(old)
            return
        blamed = [name for name in observation.arguments if name in held and not held[name].confirmed]
        if observation.event not in (Event.ERROR_UNTRUSTED_INPUT, Event.ERROR_MISSING_INPUT) or not blamed:
            self._bury(tool)
            return
        for name in blamed:
            source = held[name].source
            if source is not None:
                graph.release(tool.slots[name])
                self._bury(source)
                continue
            start = next(start for start in self._search.starts if start.held is held[name])
            start.unlink(graph)

    def _bury(self, tool: KnownTool) -> None:
        tool.dead = True
        self._search.graph.worsen(tool)

    def _drop_goal(self) -> None:
        """The answer was wrong: don't rely on the tool that gave it."""
        held = self._search.graph.held(self._search.goal.concept)
        if held is not None:
            self._search.graph.release(self._search.goal.concept)
            if held.source is not None:
                self._bury(held.source)

    def _decide(self, turns_left: int) -> Action:
        graph, goal = self._search.graph, self._search.goal
        held = graph.held(goal.concept)
        if held is not None and held.source is not None:
            check = self._verify(held) if turns_left > 2 else None
            if check is not None:
                return check
            if not self._doubtful(held) or turns_left <= SECOND_WAY:
                return answer(text_form(held.forms[0]))
            self._set_aside(held)
        if turns_left <= 1:
            return self._give_up()
        action = self._search.identify()
        if action is not None:
            return action
        plan = graph.plan([goal.concept])
        if plan and not any(tool.doubt for tool in plan) and not self._risky():
            return self._call(plan[0])
        if turns_left <= LATE and not plan and self._search.link_best(UNLIKELY):
            return self._decide(turns_left)
        request, bound = self._search.next_request()
        if plan and (request is None or self._acceptable(plan, bound, turns_left)):
            return self._call(plan[0])
        if request is not None:
            self._retrievals += 1
            if self._retrievals > PATIENCE and not plan and self._search.link_best(PATIENT_FIT):
                return self._decide(turns_left)
            return self._search.send(request)
        if self._search.link_best(LIKELY):
            return self._decide(turns_left)
        action = self._search.identify(desperate=True)
        if action is None and (self._search.link_best(UNLIKELY) or self._search.relink()):
            return self._decide(turns_left)
        return action or self._give_up()

    def _verify(self, held: Held) -> Action | None:
        """Return a turn that checks an answer by using it, if one is at hand or the answer is doubtful."""
        graph, goal = self._search.graph, self._search.goal.concept
        if held.confirmed:
            return None
        for tool in graph.consumers(goal):
            if not tool.dead and tool.doubt == 0 and all(graph.held(key) for key in tool.slots.values()):
                return self._call(tool)
        if self._doubtful(held) and self.direction != "backward" and not self._search.asked_from(goal):
            return self._search.send(Request(goal, by_output=False))
        return None

    def _doubtful(self, held: Held) -> bool:
        return not held.confirmed and held.source is not None and (held.source.doubt > 0 or held.odd > 0)

    def _set_aside(self, held: Held) -> None:
        """Keep a doubtful answer in case no better one is found."""
        if held.source is not None:
            doubt = held.source.doubt + held.odd
            if self._fallback is None or doubt < self._fallback[0]:
                self._fallback = (doubt, held)
            self._search.graph.release(self._search.goal.concept)
            self._bury(held.source)

    def _acceptable(self, plan: list[KnownTool], bound: float, turns_left: int) -> bool:
        """Say whether to go ahead with a plan that has doubtful tools, rather than look for a better one."""
        doubt = sum(tool.doubt for tool in plan)
        return not self._risky() and (bound > len(plan) + doubt or turns_left <= 2 * len(plan) + 4)

    def _risky(self) -> bool:
        """Say whether another call error would end the episode and no call is known to work."""
        return self._errors >= SAFE_ERRORS and self._safe is None

    def _call(self, tool: KnownTool) -> Action:
        if self._errors >= SAFE_ERRORS and self._safe is not None:
            self._errors = 0
            return self._safe
        held = {}
        for name, key in tool.slots.items():
            value = self._search.graph.held(key)
            assert value is not None, "a plan's first tool has all it needs"
            held[name] = value
        self._called = (tool, held)
        return call(tool.name, {name: value.forms[0] for name, value in held.items()})

    def _give_up(self) -> Action:
        if self._fallback is not None:
            return answer(text_form(self._fallback[1].forms[0]))
        return answer("I can't determine it." if self._last is None else text_form(self._last))


def _parts(tool: KnownTool, value: Value) -> list[tuple[Value, frozenset[str]]]:
    """Return, per output of a tool, the value and the words that name it."""
    phrases = output_phrases(tool.name) or ("",)
    if len(tool.outputs) == 1:
        return [(value, frozenset(" ".join(phrases).split()))]
    values = [value] * len(phrases)
    if isinstance(value, dict) and len(value) == len(phrases):
        in_order = list(value.values())
        values = [value.get(phrase.replace(" ", "_"), in_order[i]) for i, phrase in enumerate(phrases)]
    return [(part, frozenset(phrase.split())) for part, phrase in zip(values, phrases, strict=True)]
