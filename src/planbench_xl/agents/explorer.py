"""Honest agents that search the tool graph: forward from what is known, backward from what is asked, or both ways.

They see observations only. Each turn they read what came back, then do the first of these that is possible: give an
answer they believe, take the next call of a plan, look for more tools, take a doubtful call, give up.
"""

from __future__ import annotations

from planbench_xl.agents.appraisal import FLAWED
from planbench_xl.agents.endpoints import LIKELY, Goal
from planbench_xl.agents.frontier import Direction, Request
from planbench_xl.agents.graph import Held, KnownTool
from planbench_xl.agents.inventory import Searcher, WithInventory, WithSieve
from planbench_xl.agents.phrases import output_phrases
from planbench_xl.agents.reading import DISCLOSED, LOOK_ALIKE, PLAINEST, Reader
from planbench_xl.agents.search import PATIENT_FIT, UNLIKELY, Search
from planbench_xl.agents.values import is_error, misfit, oddness, waiting_time, year
from planbench_xl.environment import Action, Environment, Event, Observation, answer, call
from planbench_xl.world import Value, text_form

IMPOSSIBLE = 1.0
"""Oddness from which a returned value is thrown away."""

UNFIT = 0.9
"""Oddness of an answer that is another kind of thing than what is asked for."""

YEARS = 5
"""Years between a moment and all others of an episode from which it is odd."""

SAFE_ERRORS = 2
"""After so many call errors in a row, only a call that is known to work is safe."""

SECOND_WAY = 10
"""Turns that must remain to look for a second way to a doubtful answer."""

SECOND_LOOKS = 25
"""Retrievals that a second way to a doubtful answer may take."""

LATE = 30
"""With so few turns left, the best links there are have to do."""

PATIENCE = 8
"""After so many retrievals without a plan, likely links are believed."""

LONG = 3
"""After so many times as many, less likely ones are."""

CLEAR = 1.0
"""Doubt in a whole plan below which it is taken without looking for a better one."""

WEARY = 1.0
"""How much less promising each retrieval in a row makes the next, when there is a plan."""

TRIES = 4
"""How often a tool that looks healthy may fail openly before it is given up."""

SUSPECT_TRIES = 3
"""How often one of several look-alikes may."""

RIVAL_FAILED = 0.5
"""Doubt that an open failure adds to each look-alike of a tool."""

SETBACK = 1.0
"""Doubt that an open failure adds to a tool, for each failure so far."""


def explorer(environment: Environment) -> Searcher:
    """Make the agent that searches from both ends."""
    return _searching("both", environment)


def forward(environment: Environment) -> Searcher:
    """Make the agent that searches from the known values."""
    return _searching("forward", environment)


def backward(environment: Environment) -> Searcher:
    """Make the agent that searches from the question."""
    return _searching("backward", environment)


def _searching(direction: Direction, environment: Environment) -> Searcher:
    agent = SearchAgent(direction)
    if environment.setting.all_tools:
        return WithInventory(agent)
    return agent if environment.setting.retrieval.retriever == "reference" else WithSieve(agent)


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
        self._turn = 0
        self._errors = 0
        self._retrievals = 0
        self._in_a_row = 0
        self._last: Value = None
        self._years: list[int] = []

    def act(self, observation: Observation) -> Action:
        """Read an observation and answer it."""
        self._turn = observation.turn
        self._read(observation)
        return self._decide(observation.turns_left)

    def _read(self, observation: Observation) -> None:
        event = observation.event
        if event is Event.QUERY:
            self._search = Search(self.direction, self._reader, observation.query)
        elif event is Event.TOOLS:
            self._search.learn(observation)
        elif event is Event.CONTINUE:
            self._drop_answer()
        elif self._called is not None:
            tool, held = self._called
            if event in (Event.RESULT, Event.NO_RESULT, Event.AMBIGUOUS):
                self._errors = 0
                self._safe = call(tool.name, {name: used.forms[0] for name, used in held.items()})
            if event is Event.RESULT:
                self._take(tool, held, observation.value)
            elif event is Event.NO_RESULT:
                self._nothing(tool, held)
            elif event is Event.AMBIGUOUS:
                self._bury(tool)
            else:
                self._refused(tool, held, observation)
        self._called = None

    def _take(self, tool: KnownTool, held: dict[str, Held], value: Value) -> None:
        """Keep what a call returned, unless it is impossible."""
        graph = self._search.graph
        if is_error(value) and not (isinstance(value, str) and len(tool.outputs) == 1 and self._fits(tool, value)):
            self._failed(tool, held, value)
            return
        parts = _parts(tool, value)
        odd = [
            max(oddness(part, topic), misfit(part, graph.phrases[graph.find(key)]))
            for key, (part, topic) in zip(tool.outputs, parts, strict=True)
        ]
        if max(odd, default=IMPOSSIBLE) >= IMPOSSIBLE:
            self._bury(tool)
            return
        odd = [max(strange, self._untimely(part)) for strange, (part, _) in zip(odd, parts, strict=True)]
        for used in held.values():
            used.confirmed = True
        for key, (part, _), strangeness in zip(tool.outputs, parts, odd, strict=True):
            if graph.held(key) is None:
                graph.hold(key, Held((part,), tool, strangeness))
        self._last = value
        self._in_a_row = 0

    def _untimely(self, value: Value) -> float:
        """Return how odd a moment is beside the others of the episode."""
        found = year(value)
        if found is None:
            return 0.0
        others, self._years = self._years, [*self._years, found]
        return UNFIT if others and min(abs(found - other) for other in others) > YEARS else 0.0

    def _fits(self, tool: KnownTool, value: Value) -> bool:
        """Say whether what reads like a message of failure may be a value all the same."""
        return oddness(value, _parts(tool, value)[0][1]) < IMPOSSIBLE

    def _failed(self, tool: KnownTool, held: dict[str, Held], value: Value) -> None:
        """A tool failed openly: it may be broken for good, or work when it is called again."""
        for used in held.values():
            # The call was executed, so what tools returned is trusted.
            used.confirmed |= used.source is not None
        tool.failures += 1
        if tool.failures == 1:
            # What befell one look-alike may have befallen the others.
            for rival in tool.rivals:
                rival.doubt += RIVAL_FAILED
        suspect = tool.doubt >= LOOK_ALIKE
        tool.tries = tool.tries or (SUSPECT_TRIES if suspect else TRIES)
        if tool.flaw >= FLAWED or tool.failures >= tool.tries:
            self._bury(tool)
            return
        tool.doubt += (2 if suspect else 1) * SETBACK * tool.failures
        tool.rest = self._turn + waiting_time(value)
        self._search.graph.worsen(tool)

    def _nothing(self, tool: KnownTool, held: dict[str, Held]) -> None:
        """There is no record for the arguments: a value of the query is written differently, or isn't meant here."""
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

    def _drop_answer(self) -> None:
        """The answer was wrong: don't rely on the tool that gave the most doubtful part of it."""
        answered = [goal for goal in self._search.goals if goal.answer is not None]
        if answered:
            goal = max(answered, key=lambda goal: _doubt(goal.answer))
            wrong = goal.refuse()
            self._search.graph.release(goal.concept)
            if wrong is not None and wrong.source is not None:
                self._bury(wrong.source)

    def _decide(self, turns_left: int) -> Action:
        search = self._search
        action = self._conclude(turns_left)
        if action is not None:
            return action
        if turns_left <= 1:
            return self._give_up()
        action = search.identify()
        if action is not None:
            return action
        plan = self._plan()
        if plan and sum(tool.doubt for tool in plan) < CLEAR and not self._risky():
            return self._call(plan[0])
        if turns_left <= LATE and not plan and search.link_best(UNLIKELY):
            return self._decide(turns_left)
        request, bound = search.next_request()
        if plan and (request is None or self._acceptable(plan, bound, turns_left)):
            return self._call(plan[0])
        if any(goal.doubted for goal in search.open_goals) and (request is None or self._in_a_row > SECOND_LOOKS):
            self._settle_for()
            return self._decide(turns_left)
        if request is not None:
            self._retrievals += 1
            self._in_a_row += 1
            patient = PATIENT_FIT if self._retrievals <= LONG * PATIENCE else LIKELY
            if self._retrievals > PATIENCE and not plan and search.link_best(patient, goals=False):
                return self._decide(turns_left)
            return search.send(request)
        if search.link_best(LIKELY):
            return self._decide(turns_left)
        action = search.identify(desperate=True)
        if action is None and (search.link_best(UNLIKELY) or search.relink() or search.guess() or search.reconsider()):
            return self._decide(turns_left)
        return action or self._give_up()

    def _conclude(self, turns_left: int) -> Action | None:
        """Return the answer if all parts of it are believed, or a turn that checks one; else None."""
        for goal in self._search.open_goals:
            held = self._search.graph.held(goal.concept)
            if held is None or held.source is None:
                continue
            if goal.unfit(held.forms[0]):
                held.odd = max(held.odd, UNFIT)
                if not goal.doubted and goal.retreat(self._search.graph):
                    return self._conclude(turns_left)
            check = self._verify(goal, held) if turns_left > 2 else None
            if check is not None:
                return check
            self._weigh(goal, held, turns_left)
        if self._search.open_goals:
            return None
        return answer("; ".join(text_form(goal.answer.forms[0]) for goal in self._search.goals if goal.answer))

    def _weigh(self, goal: Goal, held: Held, turns_left: int) -> None:
        """Believe an answer, or set it aside to look for another way to it."""
        if text_form(held.forms[0]) not in goal.refused:
            if held.odd < UNFIT and (held.confirmed or goal.agreed(held) or _doubt(held) <= PLAINEST):
                goal.answer = held
                return
            goal.set_aside(held)
            if turns_left <= SECOND_WAY:
                goal.answer = goal.likeliest()
                return
        self._search.graph.release(goal.concept)
        if held.source is not None:
            self._bury(held.source)

    def _settle_for(self) -> None:
        """Believe the likeliest of the doubtful answers: looking further doesn't pay."""
        for goal in self._search.open_goals:
            goal.answer = goal.likeliest()

    def _plan(self) -> list[KnownTool]:
        """Return the plan for the answer that is nearest, without last resorts if there are doubtful answers."""
        graph = self._search.graph
        reachable = [goal for goal in self._search.open_goals if graph.find(goal.concept) in graph.cost]
        for goal in sorted(reachable, key=lambda goal: graph.cost[graph.find(goal.concept)]):
            plan = graph.plan([goal.concept])
            if plan and not (goal.doubted and max(tool.doubt for tool in plan) >= DISCLOSED):
                return plan
        return []

    def _verify(self, goal: Goal, held: Held) -> Action | None:
        """Return a turn that checks an answer by using it, if one is at hand or the answer is doubtful."""
        graph, concept = self._search.graph, goal.concept
        if held.confirmed or goal.agreed(held):
            return None
        # Untrusted values are refused by every tool, so a flawed one does for a check.
        ready = [tool for tool in graph.consumers(concept) if all(graph.held(key) for key in tool.slots.values())]
        sound = [tool for tool in ready if not tool.dead and tool.doubt < DISCLOSED]
        if sound and not self._risky():
            return self._call(min(sound, key=lambda tool: tool.doubt))
        if _doubt(held) > 0 and self.direction != "backward" and not self._search.asked_from(concept):
            return self._search.send(Request(graph.find(concept), by_output=False))
        return None

    def _acceptable(self, plan: list[KnownTool], bound: float, turns_left: int) -> bool:
        """Say whether to go ahead with a plan that has doubtful tools, rather than look for a better one."""
        doubt = sum(tool.doubt for tool in plan)
        if self._risky() or plan[0].rest > self._turn:
            return False
        return bound + WEARY * self._in_a_row > len(plan) + doubt or turns_left <= 2 * len(plan) + 4

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
        self._settle_for()
        found = [text_form(goal.answer.forms[0]) for goal in self._search.goals if goal.answer is not None]
        if found:
            return answer("; ".join(found))
        return answer("I can't determine it." if self._last is None else text_form(self._last))


def _doubt(held: Held | None) -> float:
    """Return the doubt in a value that was returned."""
    if held is None:
        return 0.0
    return held.odd + (held.source.doubt if held.source is not None else 0.0)


def _parts(tool: KnownTool, value: Value) -> list[tuple[Value, frozenset[str]]]:
    """Return, per output of a tool, the value and the words that name it."""
    phrases = output_phrases(tool.name) or ("",)
    if len(tool.outputs) == 1:
        return [(value, _topic(" ".join(phrases)))]
    values = [value] * len(phrases)
    if isinstance(value, dict) and len(value) == len(phrases):
        in_order = list(value.values())
        values = [value.get(phrase.replace(" ", "_"), in_order[i]) for i, phrase in enumerate(phrases)]
    return [(part, _topic(phrase)) for part, phrase in zip(values, phrases, strict=True)]


def _topic(phrase: str) -> frozenset[str]:
    return frozenset(phrase.split()) | ({"time"} if phrase.endswith(" at") else frozenset())
