"""Do tasks need their inputs, can they be blocked, and how are they spread?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from planbench_xl.audit.context import Context
from planbench_xl.audit.report import Check, Figures, Finding, Level, Scalar
from planbench_xl.paths import survives
from planbench_xl.world import Task

UNNEEDED = Check(
    "unneeded-inputs",
    "Tasks that can be solved from fewer inputs than they give",
    Level.ERROR,
    "tasks with several inputs",
    "They pass for tasks in which several inputs must be brought together, but one chain is enough: they are as easy "
    "as tasks with one input.",
    "Drop the inputs that aren't needed, or the tools that make them needless.",
)
SINGLE = Check(
    "single-path-tasks",
    "Tasks with one minimal tool set: nothing can be blocked",
    Level.WARNING,
    "tasks",
    "Blocking leaves them as they are (or can't be planned), so they weaken the contrast of blocked settings.",
    "Add tools that open another way, or drop the task from blocked settings.",
)
UNUSED_TOOLS = Check(
    "unused-tools",
    "Executable tools on no minimal tool set of any task",
    Level.INFO,
    "tools",
    "They only make the haystack larger; calling one is never progress.",
    "Ask for something that needs them, or accept them as background.",
)
UNUSED_DATATYPES = Check(
    "unused-datatypes",
    "Datatypes that no executable tool takes or returns",
    Level.WARNING,
    "datatypes",
    "A phrase that matches one finds nothing, which costs turns and says nothing about the agent.",
    "Add tools, or remove the datatype.",
)
SPREAD = Check(
    "spread",
    "How tasks are spread over lengths, inputs and targets",
    Level.INFO,
    "tasks",
    "Accuracy is a mean over this mix; a target that is asked often weighs more.",
    "Compare worlds only with this in view; report accuracy by L*.",
)


def check_tasks(context: Context) -> Iterator[Finding]:
    """Check inputs, single paths, unused tools and datatypes, and the spread."""
    yield _unneeded(context)
    yield _single(context)
    yield _unused_tools(context)
    yield _unused_datatypes(context)
    yield _spread(context)


def needed(context: Context, task: Task) -> tuple[str, ...] | None:
    """Return the fewest inputs from which a task can be solved; None if it needs them all."""
    for size in range(len(task.inputs)):
        for subset in combinations(task.inputs, size):
            if survives(context.graph, subset, task.targets):
                return subset
    return None


def _unneeded(context: Context) -> Finding:
    several = [task for task in context.world.tasks if len(task.inputs) > 1]
    enough = {task.task_id: found for task in several if (found := needed(context, task)) is not None}
    by_inputs = Counter(f"{len(context.world.task[name].inputs)} → {len(found)}" for name, found in enough.items())
    example = ""
    if enough:
        name, found = next(iter(enough.items()))
        task = context.world.task[name]
        wanted = ", ".join(task.targets)
        example = f"{name} gives {' and '.join(task.inputs)}; {' and '.join(found) or 'nothing'} leads to {wanted}."
    return UNNEEDED.found(list(enough), len(several), example, {"inputs_given_to_needed": _sorted(by_inputs)})


def _single(context: Context) -> Finding:
    single = [
        task.task_id
        for task in context.world.tasks
        if (count := context.summaries[task.task_id].count).exact and count.value == 1
    ]
    example = f"{single[0]} has only {', '.join(context.world.task[single[0]].solution)}." if single else ""
    return SINGLE.found(single, len(context.world.tasks), example)


def _unused_tools(context: Context) -> Finding:
    perhaps = context.useful_tools | context.undecided_tools
    unused = [tool for tool in context.world.executable if tool.name not in perhaps]
    by_inputs = Counter(str(len(tool.inputs)) for tool in unused)
    example = f"{unused[0].name}." if unused else ""
    figures: Figures = {"by_number_of_inputs": _sorted(by_inputs)}
    return UNUSED_TOOLS.found([tool.name for tool in unused], len(context.world.executable), example, figures)


def _unused_datatypes(context: Context) -> Finding:
    world = context.world
    taken = {name for tool in world.executable for name in (*tool.inputs, *tool.output_datatypes)}
    unused = [datatype.name for datatype in world.datatypes if datatype.name not in taken]
    returned = {name for tool in world.executable for name in tool.output_datatypes}
    figures: Figures = {
        "returned_by_no_tool": sum(datatype.name not in returned for datatype in world.datatypes),
        "asked_for": len({name for task in world.tasks for name in task.targets}),
        "given": len({name for task in world.tasks for name in task.inputs}),
    }
    return UNUSED_DATATYPES.found(unused, len(world.datatypes), f"{unused[0]}." if unused else "", figures)


def _spread(context: Context) -> Finding:
    world = context.world
    exact = [context.summaries[task.task_id].shortest.size for task in world.tasks]
    pairs = Counter((frozenset(task.inputs), frozenset(task.targets)) for task in world.tasks)
    queries = Counter(len(found) for found in context.queries_of.values())
    figures: Figures = {
        "by_stated_shortest_length": _counted(task.shortest_length for task in world.tasks),
        "by_exact_shortest_length": _counted(size for size in exact if size is not None),
        "by_number_of_inputs": _counted(len(task.inputs) for task in world.tasks),
        "by_number_of_targets": _counted(len(task.targets) for task in world.tasks),
        "by_target": _common(name for task in world.tasks for name in task.targets),
        "by_input": _common(name for task in world.tasks for name in task.inputs),
        "same_inputs_and_targets_as_another": sum(count for count in pairs.values() if count > 1),
        "tasks_by_number_of_queries": _sorted(Counter({str(key): value for key, value in queries.items()})),
    }
    return SPREAD.found([], len(world.tasks), "", figures, count=len(world.tasks))


def _counted(sizes: Iterable[int]) -> dict[str, Scalar]:
    return {str(size): count for size, count in sorted(Counter(sizes).items())}


def _common(names: Iterable[str]) -> dict[str, Scalar]:
    return dict(Counter(names).most_common())


def _sorted(counts: Counter[str]) -> dict[str, Scalar]:
    return {key: counts[key] for key in sorted(counts)}
