"""The rules of the game: `reset` gives the query, `step` takes an action and gives what the agent is shown."""

from __future__ import annotations

from collections.abc import Mapping

from planbench_xl.backend import Backend
from planbench_xl.blocking import BlockPlan, Planner, replace_blocked
from planbench_xl.environment import tags
from planbench_xl.environment.actions import Action
from planbench_xl.environment.failures import FailurePlan, Failures, plan_failures
from planbench_xl.environment.observation import Event, Note, Observation, ToolView
from planbench_xl.environment.reading import ReadError, raw_text, read_json, storable
from planbench_xl.environment.setting import Setting
from planbench_xl.environment.state import State
from planbench_xl.episodes.record import Answer, Reason, Status, Turn, TurnError
from planbench_xl.errors import UsageError
from planbench_xl.judging import JUDGES
from planbench_xl.retrieval import (
    BY_BOTH,
    Request,
    RequestError,
    Retriever,
    final_order,
    make_retriever,
    mix_distractors,
    normalise,
)
from planbench_xl.world import FAILING_KINDS, Role, Tool, Value, World

SOURCE_WORDS = {Role.DISTRACTOR: "noisy", Role.BLOCK_ALTERNATIVE: "blocker", Role.EXECUTABLE: "failure"}
"""Words for untrusted sources: the release's, and ours for an executable tool that has broken down."""

REMEMBERED = 10_000
"""So many lists of tools found are remembered with their distractors; a ranking retriever finds ever new ones."""


class Environment:
    """Plays episodes of one world in one setting, one after the other.

    Everything follows from world, setting, query and actions: no clock, no I/O, no randomness of its own. Whatever an
    agent sends, `step` answers it or counts it as an error. A retriever that embeds texts is the exception: it may ask
    a model, which can fail (`RetrieverError`), and what it answered once it answers always.

    Args:
        world: The world.
        setting: The setting; the default one if none is given.
        retriever: Finds tools; the setting's own by default.

    Attributes:
        world: The world.
        setting: The setting.
        state: State of the episode being played.
        turns: Record of its turns.
        status: How it ended; None while it runs.
        reason: Why it failed.
        plan: Its block plan; None if blocking is off.
        failure_plan: The tools that break down in it; None if failures are off.
    """

    def __init__(self, world: World, setting: Setting | None = None, retriever: Retriever | None = None) -> None:
        self.world = world
        self.setting = setting or Setting()
        self.turns: list[Turn] = []
        self.status: Status | None = None
        self.reason: Reason | None = None
        self.plan: BlockPlan | None = None
        self.failure_plan: FailurePlan | None = None
        self._failures: Failures | None = None
        self._state: State | None = None
        self._retriever = retriever or make_retriever(world, self.setting.retrieval)
        self._backend = Backend(world)
        self._judge = JUDGES[self.setting.judge]
        self._planner = Planner(world, self.setting.blocking, self.setting.seed)
        self._mixes: dict[tuple[str, ...], list[Tool]] = {}
        self._views = _Views(world)

    @property
    def state(self) -> State:
        """State of the episode being played.

        Raises:
            UsageError: There was no `reset` yet.
        """
        if self._state is None:
            raise UsageError("The environment has no episode yet; call reset(query_id) first.")
        return self._state

    def reset(self, query_id: str) -> Observation:
        """Start the episode of a query and return what the agent reads first.

        Raises:
            UsageError: The world has no such query.
        """
        query = self.world.query.get(query_id)
        if query is None:
            known = ", ".join(list(self.world.query)[:3])
            raise UsageError(f"World '{self.world.name}' has no query '{query_id}'; it has {known}, …")
        self._state = State(query, self.world.task[query.task_id])
        self.turns = []
        self.status = self.reason = None
        self.plan = self._planner.plan(query.task_id) if self.setting.blocking.enabled else None
        self._plan_failures()
        tools = self._show(self._inventory()) if self.setting.all_tools else ()
        return self._observe(Event.QUERY, query=query.text, overview=self.world.overview, tools=tools)

    def _inventory(self) -> list[Tool]:
        """Return every tool, discovered at once: blocked ones replaced, all distractors among them, in seeded order."""
        world, state = self.world, self.state
        tools = list(world.executable)
        if self.plan is not None and self.plan.blocked:
            tools = replace_blocked(tools, self.plan.blocked, world.alternatives)
        if self.setting.retrieval.distractors:
            tools += (tool for group in world.distractors.values() for tool in group)
        request: Request = {"domain": world.domain, "meta_tool": "all_tools"}
        tools = final_order(tools, request, self.setting.seed, state.task.task_id, state.query.query_id)
        state.discover(tools)
        return tools

    def _plan_failures(self) -> None:
        setting, task = self.setting, self.state.task
        self.failure_plan = self._failures = None
        if setting.failures.kind != "none":
            paths = self._open_paths()
            plan = plan_failures(self.world, task, paths, setting.failures, setting.seed, setting.max_turns)
            self.failure_plan = plan
            self._failures = Failures(self.world, setting.failures, plan, setting.seed)

    def _open_paths(self) -> list[tuple[str, ...]]:
        """Return solution paths that blocking leaves: the plan's kept one, or the listed ones."""
        if self.plan is not None and self.plan.kept_path:
            return [self.plan.kept_path]
        return list(self.world.tool_sets.get(self.state.task.task_id, ()))

    def step(self, action: Action | str) -> Observation:
        """Take one turn.

        Args:
            action: An action, or a model's tagged text.

        Raises:
            UsageError: There is no episode, or it is over.
        """
        state = self.state
        if self.status is not None:
            raise UsageError("The episode is over; call reset(query_id) to start another.")
        if isinstance(action, str):
            action = tags.parse(action)
        state.turn += 1
        if action.kind == "invalid":
            observation = self._invalid(action)
        else:
            state.label_errors = 0
            if action.kind == "retrieve":
                observation = self._retrieve(action)
            elif action.kind == "call":
                observation = self._call(action)
            else:
                observation = self._answer(action)
        if self.status is None and state.turn >= self.setting.max_turns:
            self._end(Reason.MAX_TURNS)
        return observation if self.status is None else self._observe(Event.END)

    def _invalid(self, action: Action) -> Observation:
        state, setting = self.state, self.setting
        state.label_errors += 1
        if state.label_errors >= setting.max_label_errors:
            self._end(Reason.MAX_LABEL_ERRORS)
        self.turns.append(Turn(action="invalid", raw=storable(action.raw), error=TurnError.LABEL))
        return self._observe(Event.ERROR_LABEL)

    def _retrieve(self, action: Action) -> Observation:
        state = self.state
        raw = raw_text(action)
        if self.setting.all_tools:
            return self._retrieval_error(TurnError.RETRIEVAL_SEMANTIC, None, raw, Event.ERROR_NO_RETRIEVAL)
        try:
            body = read_json(action.body)
            request = normalise(body, self.world.domain, free_text=self.setting.retrieval.free_text)
        except ReadError:
            return self._retrieval_error(TurnError.RETRIEVAL_JSON, None, raw)
        except RequestError as error:
            if error.form:
                return self._retrieval_error(TurnError.RETRIEVAL_JSON, None, raw)
            return self._retrieval_error(TurnError.RETRIEVAL_SEMANTIC, dict(body), raw)
        state.retrieval_errors = 0
        found = self._retriever.retrieve(request)
        tools = self._shown(found.tools, request)
        state.discover(tools)
        note = None
        if found.missing:
            note = Note.NO_TOOL_FOR_BOTH if request["meta_tool"] == BY_BOTH else Note.NO_TOOL_FOR_INPUTS
        names = tuple(tool.name for tool in tools)
        self.turns.append(Turn(action="retrieve", raw=raw, request=request, matched=found.matched, tools=names))
        return self._observe(Event.TOOLS, request=request, note=note, tools=self._show(tools))

    def _retrieval_error(
        self, error: TurnError, request: Request | None, raw: str, event: Event | None = None
    ) -> Observation:
        self.state.retrieval_errors += 1
        if self.state.retrieval_errors >= self.setting.max_retrieval_errors:
            self._end(Reason.MAX_RETRIEVAL_ERRORS)
        self.turns.append(Turn(action="retrieve", raw=raw, error=error, request=request))
        return self._observe(event or Event(f"error_{error.value}"))

    def _shown(self, found: tuple[Tool, ...], request: Request) -> list[Tool]:
        """Return the tools that the agent gets to see: blocked ones replaced, distractors mixed in, in order."""
        world, config, state = self.world, self.setting.retrieval, self.state
        tools = list(found)
        if self.plan is not None and self.plan.blocked:
            tools = replace_blocked(tools, self.plan.blocked, world.alternatives)
        if config.distractors:
            key = tuple(tool.name for tool in tools)
            mixed = self._mixes.get(key)
            if mixed is None:
                if len(self._mixes) >= REMEMBERED:
                    self._mixes.clear()
                mixed = mix_distractors(tools, world.distractors, world.domain, config.max_tools)
                self._mixes[key] = mixed
            tools = mixed
        return final_order(tools, request, self.setting.seed, state.task.task_id, state.query.query_id)

    def _current(self, tool: Tool) -> Tool:
        """Return a tool with the schema that it has by now."""
        return tool if self._failures is None else self._failures.current(tool, self.state.turn)

    def _show(self, tools: list[Tool]) -> tuple[ToolView, ...]:
        """Return tools as the agent sees them by now."""
        views = self._views
        if self._failures is not None:
            shown = [views[t.name] if (now := self._current(t)) is t else tool_view(now) for t in tools]
        else:
            shown = [views[tool.name] for tool in tools]
        if self.setting.tool_ids:
            handles = [self.state.tool_id(tool) for tool in tools]
            pairs = zip(shown, handles, strict=True)
            shown = [ToolView(v.name, v.description, v.parameters, handle) for v, handle in pairs]
        return tuple(shown)

    def _call(self, action: Action) -> Observation:
        state = self.state
        raw = raw_text(action)
        try:
            name, arguments = self._read_call(action)
        except ReadError:
            return self._call_error(TurnError.CALL_JSON, raw)
        request: Request = {"name": name, "arguments": dict(arguments)}
        tool = state.discovered.get(name)
        if tool is None:
            return self._call_error(TurnError.UNDISCOVERED, raw, request)
        known = tool
        tool = self._current(tool)
        names = tuple(argument.name for argument in tool.arguments)
        if set(arguments) != set(names):
            drift = self._failures.drift(known, state.turn) if self._failures else None
            if drift is not None and set(arguments) == {argument.name for argument in known.arguments}:
                return self._call_error(TurnError.WRONG_ARGUMENTS, raw, request, drift[1:], renamed=True)
            return self._call_error(TurnError.WRONG_ARGUMENTS, raw, request, names)
        untrusted = [a for a in tool.arguments if state.is_untrusted(a.datatype, arguments[a.name])]
        missing = [a for a in tool.arguments if a.datatype not in state.obtained]
        if untrusted or missing:
            error = TurnError.UNTRUSTED_INPUT if untrusted else TurnError.MISSING_INPUT
            named = tuple(argument.name for argument in untrusted or missing)
            return self._call_error(
                error,
                raw,
                request,
                named,
                missing=tuple(sorted({argument.datatype for argument in missing})),
                untrusted=tuple(dict.fromkeys(argument.datatype for argument in untrusted)),
            )
        state.call_errors = 0
        if tool.role is Role.EXECUTABLE:
            return self._execute(tool, request, raw)
        return self._imitate(tool, request, raw)

    def _read_call(self, action: Action) -> tuple[str, Mapping[str, Value]]:
        """Return the name and arguments of a call.

        Raises:
            ReadError: It is no JSON, or not of the right shape.
        """
        body = read_json(action.body)
        if not isinstance(body, Mapping) or not isinstance(body.get("arguments"), Mapping):
            raise ReadError("it needs an object `arguments`")
        name = body.get("name", body.get("tool_name"))
        if self.setting.tool_ids and name is None and isinstance(body.get("tool_id"), str):
            names = {handle: name for name, handle in self.state.tool_ids.items()}
            name = names.get(body["tool_id"], body["tool_id"])
        if not isinstance(name, str):
            raise ReadError("it needs a string `name`")
        return name, body["arguments"]

    def _call_error(
        self,
        error: TurnError,
        raw: str,
        request: Request | None = None,
        named: tuple[str, ...] = (),
        *,
        missing: tuple[str, ...] = (),
        untrusted: tuple[str, ...] = (),
        renamed: bool = False,
    ) -> Observation:
        self.state.call_errors += 1
        if self.state.call_errors >= self.setting.max_call_errors:
            self._end(Reason.MAX_CALL_ERRORS)
        turn = Turn(action="call", raw=raw, error=error, request=request, missing=missing, untrusted=untrusted)
        self.turns.append(turn)
        tool = request["name"] if request else ""
        event = Event.ERROR_RENAMED_ARGUMENT if renamed else Event(f"error_{error.value}")
        return self._observe(event, tool=tool, arguments=named)

    def _execute(self, tool: Tool, request: Request, raw: str) -> Observation:
        """Run an executable tool on the records, unless it has broken down."""
        breakdown = self._failures.breakdown(tool, self.state.turn) if self._failures else None
        if breakdown is not None:
            return self._untrusted_result(tool, request, raw, breakdown.value, breakdown.success, broken=True)
        found = self._backend.lookup(tool, request["arguments"]).values
        if len(found) != 1:
            several = len(found) > 1
            self.turns.append(Turn(action="call", raw=raw, request=request, success=False, ambiguous=several))
            return self._observe(Event.AMBIGUOUS if several else Event.NO_RESULT, tool=tool.name)
        values = dict(zip((output.name for output in tool.outputs), found[0], strict=True))
        for output in tool.outputs:
            self.state.trust(output.datatype, values[output.name])
        value = values if len(values) > 1 else found[0][0]
        self.turns.append(Turn(action="call", raw=raw, request=request, success=True, value=value))
        return self._observe(Event.RESULT, tool=tool.name, value=value)

    def _imitate(self, tool: Tool, request: Request, raw: str) -> Observation:
        """Return the fixed value of a distractor or block alternative."""
        value = tool.description if tool.return_value is None else tool.return_value
        return self._untrusted_result(tool, request, raw, value, tool.kind not in FAILING_KINDS)

    def _untrusted_result(
        self, tool: Tool, request: Request, raw: str, value: Value, success: bool, *, broken: bool = False
    ) -> Observation:
        by_name = value if len(tool.outputs) > 1 and isinstance(value, dict) else {}
        for output in tool.outputs:
            self.state.distrust(output.datatype, by_name.get(output.name, value), SOURCE_WORDS[tool.role])
        turn = Turn(action="call", raw=raw, request=request, success=success, value=value, broken=broken)
        self.turns.append(turn)
        return self._observe(Event.RESULT, tool=tool.name, value=value)

    def _answer(self, action: Action) -> Observation:
        state, setting = self.state, self.setting
        text = storable(action.body) if isinstance(action.body, str) else raw_text(action)
        untrusted = state.untrusted_in(text)
        reached = state.reached()
        correct = self._judge(self.world, state.query, text)
        success = correct and reached and not untrusted
        turns_left = state.turn < setting.max_turns
        goes_on = not success and turns_left and state.continuations < setting.exploration_budget
        if goes_on:
            state.continuations += 1
        elif success:
            self.status = Status.SUCCESS
        else:
            self._end(Reason.WRONG_ANSWER if reached and not untrusted else Reason.NOT_GROUNDED)
        answer = Answer(text=text, correct=correct, reached=reached, untrusted=untrusted, continued=goes_on)
        self.turns.append(Turn(action="answer", raw=raw_text(action), answer=answer))
        return self._observe(Event.CONTINUE)

    def _end(self, reason: Reason) -> None:
        self.status, self.reason = Status.FAILURE, reason

    def _observe(self, event: Event, **fields: Value) -> Observation:
        turn = self.state.turn
        left = max(0, self.setting.max_turns - turn)
        return Observation(event=event, turn=turn, turns_left=left, done=self.status is not None, **fields)


class _Views(dict[str, ToolView]):
    """Tools as an agent sees them, by name, made when they are first shown."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._tools = world.tool

    def __missing__(self, name: str) -> ToolView:
        view = self[name] = tool_view(self._tools[name])
        return view


def tool_view(tool: Tool) -> ToolView:
    """Return a tool as an agent sees it."""
    properties = {a.name: {"type": a.type, "description": a.description} for a in tool.arguments}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return ToolView(tool.name, tool.description, parameters)
