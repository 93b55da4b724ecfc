"""Is the catalogue of solution paths all of them, and nothing else?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from planbench_xl.audit.context import Context, describe
from planbench_xl.audit.report import Check, Figures, Finding, Level, Scalar, TaskFigures
from planbench_xl.paths import Count, Shortest, count_minimal, is_minimal_solution, is_solution, minimal_tool_sets
from planbench_xl.world import Task, Tool

INCOMPLETE = Check(
    "catalogue-incomplete",
    "Tasks whose listed paths are not all of their minimal tool sets",
    Level.ERROR,
    "tasks",
    "A block plan made from the list leaves more than it says, so blocked settings are easier than stated; valid steps "
    "off the list lower EGT precision and count as drift.",
    "List every minimal tool set (`world paths --list`), or block and score on exact paths.",
)
INVALID = Check(
    "listed-path-invalid",
    "Listed paths that are not minimal tool sets of their task",
    Level.ERROR,
    "paths",
    "Needless tools count as ground truth, and a block plan can count a path as left that is none.",
    "Remove the path, or the tools that it doesn't need.",
)
UNEXECUTABLE = Check(
    "listed-path-not-executable",
    "Listed paths that don't run on the record of a query",
    Level.ERROR,
    "paths and queries",
    "An agent that walks the path reads that there is no result; a plan that leaves only this path makes the query "
    "unsolvable.",
    "Put the query on a record that has all the values, or remove the path.",
)
SHORTEST = Check(
    "wrong-shortest-length",
    "Tasks whose stated L* is not the length of their shortest solution",
    Level.ERROR,
    "tasks",
    "Accuracy by L* puts the task into the wrong group; a short cut makes it easier than stated.",
    "State the exact L* (`world paths`), or remove the short cut.",
)
UNLISTED_TOOLS = Check(
    "tools-on-no-listed-path",
    "Executable tools that solve tasks but lie on no listed path",
    Level.WARNING,
    "tools",
    "They are never blocked, calling them is never progress, and what only they need or give lowers EGT precision.",
    "List the paths they lie on.",
)
UNSOLVABLE = Check(
    "unsolvable-tasks",
    "Tasks whose targets can't be reached from their inputs",
    Level.ERROR,
    "tasks",
    "No agent can get them right; accuracy can't reach 100 %.",
    "Add tools or drop the task.",
)


def check_catalogue(context: Context) -> tuple[list[Finding], list[TaskFigures]]:
    """Compare the listed paths of every task with its minimal tool sets."""
    figures = [_figures(context, task) for task in context.track("catalogue", context.world.tasks)]
    findings = [
        _incomplete(context, figures),
        *_listed(context),
        _shortest(context, figures),
        _unlisted(context),
        _unsolvable(context),
    ]
    return findings, figures


def _figures(context: Context, task: Task) -> TaskFigures:
    summary = context.summaries[task.task_id]
    listed = {frozenset(tool_set) for tool_set in context.world.tool_sets.get(task.task_id, ())}
    longest = max(map(len, listed), default=0)
    executable = [_executable(context, task, query.record_id, longest) for query in context.queries_of[task.task_id]]
    known = [count for count in executable if count is not None]
    fewest = min(known, key=lambda count: count.up_to(longest), default=None)
    return TaskFigures(
        task_id=task.task_id,
        listed=len(listed),
        listed_longest=longest,
        up_to_listed=summary.count.up_to(longest),
        executable=None if fewest is None else fewest.up_to(longest),
        count=summary.count.value,
        exact=summary.count.exact and (fewest is None or fewest.exact),
        stated=task.shortest_length,
        shortest=summary.shortest.size,
        shortest_exact=summary.shortest.exact,
    )


def _executable(context: Context, task: Task, record_id: str, longest: int) -> Count | None:
    """Count the minimal tool sets whose tools all answer on a record."""
    answering = context.answering.get(record_id)
    if answering is None:
        return None
    summary = context.summaries[task.task_id]
    if summary.useful.exact and summary.useful.tools <= answering:
        return summary.count
    # A set's minimality depends on the set alone, so the minimal sets of the smaller graph are those that execute.
    graph = context.graph.restrict(answering)
    return count_minimal(graph, task.inputs, task.targets, longest, time_limit=context.time_limit)


def _incomplete(context: Context, figures: list[TaskFigures]) -> Finding:
    # Listed sets that aren't minimal don't make up for missing ones.
    missing = [task for task in figures if task.count > len(_minimal(context, task.task_id))]
    within = [task for task in missing if task.up_to_listed > task.listed]
    exact = all(task.exact for task in figures)
    totals: Figures = {
        "complete_tasks": len(figures) - len(missing),
        "listed_paths": sum(task.listed for task in figures),
        "paths_up_to_the_listed_lengths": sum(task.up_to_listed for task in figures),
        "of_these_executable_on_the_record": sum(task.executable or 0 for task in figures),
        "paths_of_any_length": sum(task.count for task in figures),
        "exact": exact,
        "tasks_with_missing_paths_no_longer_than_listed_ones": len(within),
    }
    example = ""
    if missing:
        worst = max(missing, key=lambda task: task.up_to_listed - task.listed)
        what = describe(context.world.task[worst.task_id])
        example = (
            f"{worst.task_id} ({what}): {worst.listed} listed, {worst.up_to_listed:,} of at most "
            f"{worst.listed_longest} tools exist, {'' if worst.exact else 'at least '}{worst.count:,} of any length."
        )
        example += _one_missing(context, worst)
    return INCOMPLETE.found([task.task_id for task in missing], len(figures), example, totals)


def _minimal(context: Context, task_id: str) -> set[frozenset[str]]:
    """Return the listed tool sets of a task that are minimal."""
    task, known = context.world.task[task_id], set(context.graph.tools)
    return {
        tools
        for tools in map(frozenset, context.world.tool_sets.get(task_id, ()))
        if tools <= known and _is_minimal(context, task, tools)
    }


def _is_minimal(context: Context, task: Task, tools: frozenset[str]) -> bool:
    key = (task.task_id, tools)
    if key not in context.minimal:
        context.minimal[key] = is_minimal_solution(context.graph, task.inputs, task.targets, tools)
    return context.minimal[key]


def _one_missing(context: Context, figures: TaskFigures) -> str:
    task = context.world.task[figures.task_id]
    listed = {frozenset(tool_set) for tool_set in context.world.tool_sets.get(task.task_id, ())}
    # One set more than are listed is enough to meet one that isn't.
    sets = minimal_tool_sets(
        context.graph, task.inputs, task.targets, limit=len(listed) + 1, time_limit=context.time_limit
    )
    first = next((tools for tools in sets if tools not in listed), None)
    return "" if first is None else f" Not listed: {', '.join(sorted(first))}."


def _listed(context: Context) -> Iterator[Finding]:
    world, graph = context.world, context.graph
    known = set(graph.tools)
    invalid: dict[str, str] = {}
    broken: dict[str, str] = {}
    total = runs = 0
    for entry in world.paths:
        task = world.task.get(entry.task_id)
        for number, tool_set in enumerate(entry.tool_sets):
            total += 1
            name = f"{entry.task_id}[{number}]"
            tools = frozenset(tool_set)
            if task is None or not tools <= known:
                invalid[name] = "it is of no task" if task is None else f"no tools: {', '.join(sorted(tools - known))}"
                continue
            if not _is_minimal(context, task, tools):
                reaches = is_solution(graph, task.inputs, task.targets, tools)
                invalid[name] = "not every tool is needed" if reaches else "it doesn't reach the targets"
            elif len(tools) < len(tool_set) or tools in map(frozenset, entry.tool_sets[:number]):
                invalid[name] = "it is a repetition"
            for query in context.queries_of[task.task_id]:
                runs += 1
                silent = tools - context.answering.get(query.record_id, frozenset())
                if silent:
                    broken[f"{name} on {query.query_id}"] = f"no answer from {', '.join(sorted(silent))}"
    yield INVALID.found(list(invalid), total, _first(invalid))
    yield UNEXECUTABLE.found(list(broken), runs, _first(broken))


def _first(found: Mapping[str, str]) -> str:
    return next((f"{name}: {problem}." for name, problem in found.items()), "")


def _shortest(context: Context, figures: list[TaskFigures]) -> Finding:
    # An upper bound below the stated length is proof as well.
    wrong = [
        task
        for task in figures
        if task.shortest is not None
        and (task.shortest < task.stated or (task.shortest_exact and task.shortest != task.stated))
    ]
    shorter = [task for task in wrong if task.shortest is not None and task.shortest < task.stated]
    totals: Figures = {
        "tasks_with_a_shorter_solution": len(shorter),
        "undecided": sum(not task.shortest_exact for task in figures),
        "stated_to_exact": dict(Counter(f"{task.stated} → {task.shortest}" for task in wrong)),
    }
    example = ""
    if wrong:
        first = wrong[0]
        found: Shortest = context.summaries[first.task_id].shortest
        tools = ", ".join(sorted(found.tool_set or ()))
        example = f"{first.task_id} states {first.stated}; {first.shortest} tools are enough: {tools}."
    return SHORTEST.found([task.task_id for task in wrong], len(figures), example, totals)


def _unlisted(context: Context) -> Finding:
    world = context.world
    listed = {tool for entry in world.paths for tool_set in entry.tool_sets for tool in tool_set}
    useful = [tool for tool in world.executable if tool.name in context.useful_tools]
    unlisted = [tool for tool in useful if tool.name not in listed]
    figures: Figures = {
        "by_number_of_inputs": _by_inputs(unlisted),
        "all_executable_tools_by_number_of_inputs": _by_inputs(world.executable),
        "listed_tools_by_number_of_inputs": _by_inputs(tool for tool in world.executable if tool.name in listed),
    }
    example = f"{unlisted[0].name} takes {', '.join(unlisted[0].inputs)}." if unlisted else ""
    return UNLISTED_TOOLS.found([tool.name for tool in unlisted], len(useful), example, figures)


def _by_inputs(tools: Iterable[Tool]) -> dict[str, Scalar]:
    counts = Counter(len(tool.inputs) for tool in tools)
    return {str(size): counts[size] for size in sorted(counts)}


def _unsolvable(context: Context) -> Finding:
    tasks = [task for task in context.world.tasks if context.summaries[task.task_id].shortest.size is None]
    example = f"{tasks[0].task_id}: {describe(tasks[0])}." if tasks else ""
    return UNSOLVABLE.found([task.task_id for task in tasks], len(context.world.tasks), example)
