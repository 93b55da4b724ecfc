"""Checks of tasks and of the listed solution paths, on datatypes alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from planbench_xl.world.checks.report import Add, Report, closest
from planbench_xl.world.model import Role, Task, World

Step = tuple[frozenset[str], frozenset[str]]
"""The datatypes that a tool takes and those it returns."""


def steps_of(world: World) -> dict[str, Step]:
    """Return the step that each executable tool makes."""
    return {tool.name: (frozenset(tool.inputs), frozenset(tool.output_datatypes)) for tool in world.executable}


class Chaining:
    """Chains forward with all tools, as far as a question asks: in a large world most of them are far from it."""

    def __init__(self, world: World) -> None:
        self._steps = list(steps_of(world).values())
        self._free = [step for step in self._steps if not step[0]]
        self._taking: dict[str, list[int]] = {}
        for number, (needs, _) in enumerate(self._steps):
            for name in needs:
                self._taking.setdefault(name, []).append(number)

    def reached(self, start: Iterable[str], wanted: Iterable[str]) -> set[str]:
        """Return those of some datatypes that forward chaining reaches, breadth first."""
        state = set(start).union(*(gives for _, gives in self._free))
        todo = list(state)
        left = {name for name in wanted if name not in state}
        waiting: dict[int, int] = {}
        for name in todo:
            if not left:
                break
            for number in self._taking.get(name, ()):
                needs, gives = self._steps[number]
                waiting[number] = waiting.get(number, len(needs)) - 1
                if waiting[number] == 0:
                    new = gives - state
                    state |= new
                    left -= new
                    todo += sorted(new)
        return {name for name in wanted if name in state}


def closure(start: Iterable[str], steps: Iterable[Step]) -> set[str]:
    """Return the datatypes that forward chaining reaches from these with these steps."""
    state = set(start)
    rest = list(steps)
    while True:
        blocked = []
        for step in rest:
            if step[0] <= state:
                state |= step[1]
            else:
                blocked.append(step)
        if len(blocked) == len(rest):
            return state
        rest = blocked


def check_tasks(report: Report) -> None:
    """Tasks name known datatypes, can be solved, and their solution and length are right."""
    world = report.world
    listed = {entry.task_id for entry in world.paths}
    chaining = Chaining(world)
    for index, task in enumerate(world.tasks):
        add = report.at("tasks", index)
        _check_datatypes(task, world, add)
        reached = chaining.reached(task.inputs, task.targets)
        missing = [name for name in task.targets if name in world.datatype and name not in reached]
        if missing:
            problem = f"{', '.join(missing)} can't be reached from {', '.join(task.inputs)} with the executable tools"
            add("targets", problem, "Add a tool, or change the inputs or targets")
        _check_solution(task, world, add)
        _check_length(task, world, add)
        if task.task_id not in listed:
            problem = "the path catalogue has no entry for this task"
            add("", problem, "List its solution paths, at least its `solution`")


def _check_datatypes(task: Task, world: World, add: Add) -> None:
    for field, names in (("inputs", task.inputs), ("targets", task.targets)):
        if not names:
            add(field, "is empty", "Name at least one datatype")
        for number, name in enumerate(names):
            if name not in world.datatype:
                problem = f"'{name}' is not a datatype{closest(name, world.datatype)}"
                add(f"{field}[{number}]", problem, "Declare it in the datatypes or correct the name")
            if name in names[:number]:
                add(f"{field}[{number}]", f"'{name}' is listed twice", "Keep one of them")
    for number, name in enumerate(task.targets):
        if name in task.inputs:
            problem = f"'{name}' is among the inputs, so there is nothing to find"
            add(f"targets[{number}]", problem, "Choose another target or drop the input")


def _check_solution(task: Task, world: World, add: Add) -> None:
    """The solution's tools can be called in their order, each tells something new, and together they solve it."""
    state = set(task.inputs)
    for number, name in enumerate(task.solution):
        where = f"solution[{number}]"
        if not _known(name, world, where, add):
            return
        tool = world.tool[name]
        lacking = sorted(set(tool.inputs) - state)
        if lacking:
            problem = f"'{name}' needs {', '.join(lacking)}, which no earlier step returns"
            add(where, problem, "Put the steps in an order in which each can be called")
            return
        if state.issuperset(tool.output_datatypes):
            add(where, f"'{name}' returns nothing that is not known by then", "Remove the step")
            return
        state.update(tool.output_datatypes)
    missing = [name for name in task.targets if name not in state]
    if missing:
        add("solution", f"ends without {', '.join(missing)}", "Add the missing steps")


def _check_length(task: Task, world: World, add: Add) -> None:
    """The stated length is that of the solution and of the shortest listed path."""
    remedy = "Correct `shortest_length`, or the paths it counts"
    stated = task.shortest_length
    if len(task.solution) != stated:
        add("shortest_length", f"is {stated}, but `solution` has {len(task.solution)} steps", remedy)
    shortest = min((len(tool_set) for tool_set in world.tool_sets.get(task.task_id, ())), default=stated)
    if shortest != stated:
        add("shortest_length", f"is {stated}, but the shortest listed path has {shortest} tools", remedy)


def check_paths(report: Report) -> None:
    """Listed tool sets belong to a task, solve it, need each of their tools and differ."""
    world = report.world
    steps = steps_of(world)
    for index, entry in enumerate(world.paths):
        add = report.at("paths", index)
        task = world.task.get(entry.task_id)
        if task is None:
            problem = f"there is no such task{closest(entry.task_id, world.task)}"
            add("task_id", problem, "Add the task, correct the name or remove the entry")
            continue
        if not entry.tool_sets:
            add("tool_sets", "is empty", "List the task's solution paths")
        seen: dict[frozenset[str], int] = {}
        for number, tool_set in enumerate(entry.tool_sets):
            first = seen.setdefault(frozenset(tool_set), number)
            if first != number:
                add(f"tool_sets[{number}]", f"has the same tools as tool_sets[{first}]", "Remove one of them")
                continue
            where = f"tool_sets[{number}]"
            known = [_known(name, world, f"{where}[{place}]", add) for place, name in enumerate(tool_set)]
            if all(known):
                _check_tool_set(task, tool_set, steps, where, add)
        if entry.tool_sets and frozenset(task.solution) not in seen:
            add("tool_sets", "lacks the task's `solution`", "Add the solution's tools as a set")


def _check_tool_set(task: Task, tool_set: Sequence[str], steps: Mapping[str, Step], where: str, add: Add) -> None:
    if len(set(tool_set)) != len(tool_set):
        add(where, "names a tool twice", "Name each tool once")
        return
    missing = sorted(set(task.targets) - closure(task.inputs, [steps[name] for name in tool_set]))
    if missing:
        add(where, f"doesn't reach {', '.join(missing)}", "Add the missing tools or remove the set")
        return
    for name in tool_set:
        without = closure(task.inputs, [steps[other] for other in tool_set if other != name])
        if without.issuperset(task.targets):
            problem = f"reaches the target without '{name}' too, so it is not minimal"
            add(where, problem, "Remove the tool, or the set if the rest is listed already")
            return


def _known(name: str, world: World, where: str, add: Add) -> bool:
    """Say whether a name is an executable tool's; add a fault if not."""
    tool = world.tool.get(name)
    if tool is None:
        executable = {other.name: other for other in world.executable}
        add(where, f"'{name}' is not a tool{closest(name, executable)}", "Correct the name or add the tool")
        return False
    if tool.role is not Role.EXECUTABLE:
        problem = f"'{name}' is a {tool.role.value.replace('_', ' ')}, not an executable tool"
        add(where, problem, f"Use the tool that it imitates, '{tool.source}'")
        return False
    return True
