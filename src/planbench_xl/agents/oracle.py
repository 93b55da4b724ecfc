"""The oracle: it looks inside and walks a path that blocking has left. An upper bound, and a test of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from planbench_xl.environment import Action, Environment, Event, Observation, answer, call, retrieve
from planbench_xl.errors import AgentError
from planbench_xl.world import Datatype, Task, Tool, Value, World, text_form


class _Step(msgspec.Struct, frozen=True):
    """One tool of the path, with the phrases that should find it, the best first."""

    tool: Tool
    phrases: tuple[str, ...]


class Oracle:
    """Walks the path that the plans keep, or else the shortest listed one, and answers with the targets' values.

    Every tool is retrieved by the name of its output datatype, which stands for all the datatype's surfaces; by its own
    name first, where the retriever ranks the texts of tools.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        # By task alone: an environment keeps its setting, so a task's block plan never changes.
        self._routes: dict[str, tuple[_Step, ...]] = {}
        self._steps: dict[str, _Step] = {}
        self._route: tuple[_Step, ...] = ()
        self._position = self._tried = 0
        self._values: dict[str, Value] = {}
        self._renamed: dict[tuple[str, str], str] = {}

    def reset(self, seed: int) -> None:
        """Start an episode. Nothing here is random."""
        del seed
        self._route = ()

    def act(self, observation: Observation) -> Action:
        """Take the next step of the path."""
        if observation.event is Event.QUERY:
            self._start()
        elif observation.event is Event.RESULT and self._position < len(self._route):
            # A tool that has broken down is called again: the failures on the kept path pass.
            if not self._environment.turns[-1].broken:
                self._take(observation.value)
        elif observation.event is Event.ERROR_RENAMED_ARGUMENT:
            old, new = observation.arguments
            self._renamed[observation.tool, old] = new
        if self._position >= len(self._route):
            return self._answer()
        step = self._route[self._position]
        if step.tool.name in self._environment.state.discovered:
            return self._call(step.tool)
        if self._tried < len(step.phrases):
            self._tried += 1
            return retrieve(output=step.phrases[self._tried - 1])
        # No phrase finds the tool: this world is broken, and giving up shows it best.
        self._position = len(self._route)
        return self._answer()

    def _start(self) -> None:
        state = self._environment.state
        task_id = state.task.task_id
        route = self._routes.get(task_id)
        if route is None:
            route = self._routes[task_id] = self._plan_route()
        self._route = route
        self._position = self._tried = 0
        self._values = dict(state.query.inputs)
        self._renamed = {}

    def _plan_route(self) -> tuple[_Step, ...]:
        environment = self._environment
        plan, failures = environment.plan, environment.failure_plan
        blocked = set(plan.blocked if plan else ())
        kept = failures.kept_path if failures else plan.kept_path if plan else ()
        order = _route(environment.world, environment.state.task, blocked, kept)
        for tool in order:
            if tool.name not in self._steps:
                phrases = _phrases(environment.world, tool)
                if environment.setting.retrieval.retriever != "reference":
                    phrases = (tool.name.replace("_", " "), *phrases)
                self._steps[tool.name] = _Step(tool, phrases)
        return tuple(self._steps[tool.name] for tool in order)

    def _call(self, tool: Tool) -> Action:
        name, values = tool.name, self._values
        return call(name, {self._renamed.get((name, a.name), a.name): values.get(a.datatype) for a in tool.arguments})

    def _take(self, value: Value) -> None:
        outputs = self._route[self._position].tool.outputs
        for output in outputs:
            self._values[output.datatype] = value[output.name] if len(outputs) > 1 else value
        self._position += 1
        self._tried = 0

    def _answer(self) -> Action:
        targets = self._environment.state.task.targets
        return answer("; ".join(text_form(self._values[target]) for target in targets if target in self._values))


def _route(world: World, task: Task, blocked: set[str], kept: Sequence[str]) -> list[Tool]:
    """Return, in order, the path that a plan keeps, or the shortest known tool set that avoids blocked tools.

    Raises:
        AgentError: No tool set of the world solves the task without the blocked tools.
    """
    listed = [kept] if kept else [tools for tools in world.tool_sets.get(task.task_id, ()) if blocked.isdisjoint(tools)]
    names: Sequence[str]
    if listed:
        names = min(listed, key=lambda tools: (len(tools), tools))
    else:
        # The list may leave out paths; the greedy one below finds any other.
        names = [tool.name for tool in world.executable if tool.name not in blocked]
    order = _needed(_order([world.tool[name] for name in names], task), task)
    if order is None:
        without = " without its blocked tools" if blocked else ""
        problem = f"The oracle finds no path for task '{task.task_id}'{without}"
        raise AgentError(f"{problem}. Check the world with `planbench-xl world validate`.")
    return order


def _order(tools: Sequence[Tool], task: Task) -> list[Tool]:
    """Return, in a legal order, the tools that can be used and give something new."""
    held = set(task.inputs)
    order: list[Tool] = []
    pending = list(tools)
    while True:
        usable = [tool for tool in pending if held.issuperset(tool.inputs)]
        if not usable:
            return order
        for tool in usable:
            if not held.issuperset(tool.output_datatypes):
                order.append(tool)
                held.update(tool.output_datatypes)
        pending = [tool for tool in pending if tool not in usable]


def _needed(order: Sequence[Tool], task: Task) -> list[Tool] | None:
    """Return the tools of an order that the targets need, or None if a target is out of reach."""
    wanted = set(task.targets) - set(task.inputs)
    kept: list[Tool] = []
    for tool in reversed(order):
        if wanted.intersection(tool.output_datatypes):
            kept.append(tool)
            wanted.difference_update(tool.output_datatypes)
            wanted.update(set(tool.inputs) - set(task.inputs))
    return None if wanted else kept[::-1]


def _phrases(world: World, tool: Tool) -> tuple[str, ...]:
    """Return phrases to find a tool by: its outputs' names, and others where names are ambiguous."""
    datatypes: list[Datatype] = [world.datatype[name] for name in tool.output_datatypes]
    phrases = [datatype.name for datatype in datatypes]
    phrases += [text for datatype in datatypes for text in (datatype.description, *datatype.aliases)]
    return tuple(dict.fromkeys(phrases))
