"""Verifies the certificate of a block plan from the world alone, without the code that made it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from planbench_xl.blocking.plan import BlockPlan, Certificate, PlanStatus
from planbench_xl.paths import ToolGraph, is_minimal_solution, minimal_tool_sets, reachable, shortest
from planbench_xl.world import BLOCK_KINDS, Record, Task, World, text_form


def check_plan(world: World, plan: BlockPlan) -> list[str]:
    """Return everything about a plan that isn't so; an empty list means that its claims hold."""
    task = world.task.get(plan.task_id)
    if task is None:
        return [f"the world has no task '{plan.task_id}'"]
    problems = list(_check_blocked(world, plan))
    if problems:
        return problems
    if plan.status is PlanStatus.UNRESOLVED:
        return ["an unresolved plan blocks tools"] if plan.blocked else []
    if (plan.status is PlanStatus.NOT_BLOCKABLE) != (not plan.blocked):
        problems.append(f"the status is {plan.status.value}, but {len(plan.blocked)} tools are blocked")
    problems += _check_kept(world, task, plan)
    if plan.certificate is None:
        problems.append("there is no certificate; only the exact planner gives one")
    elif not problems:
        problems += _check_claims(world, task, plan, plan.certificate)
    return problems


def _graph(world: World, without: Collection[str] = ()) -> ToolGraph:
    tools = (tool for tool in world.executable if tool.name not in without)
    return ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in tools)


def _check_blocked(world: World, plan: BlockPlan) -> Iterator[str]:
    executable = {tool.name for tool in world.executable}
    for name, kinds in plan.blocked.items():
        if name not in executable:
            yield f"'{name}' is blocked, but it is no executable tool"
            continue
        offered = {tool.kind for tool in world.alternatives[name]}
        for kind in kinds:
            if kind not in BLOCK_KINDS:
                yield f"'{kind}' is no kind of block alternative"
            elif kind not in offered:
                yield f"'{name}' has no {kind.value} alternative in this world"
        if not kinds:
            yield f"'{name}' is blocked, but nothing replaces it"


def _check_kept(world: World, task: Task, plan: BlockPlan) -> Iterator[str]:
    """The kept path is a path, avoids the blocked tools, and executes on the record of every query of the task."""
    kept = plan.kept_path
    unknown = [name for name in kept if name not in world.tool]
    if unknown:
        yield f"the kept path names '{unknown[0]}', which is no tool"
        return
    for name in sorted(set(kept) & set(plan.blocked)):
        yield f"the kept path uses '{name}', which is blocked"
    known = set(task.inputs)
    for name in kept:
        tool = world.tool[name]
        if not known.issuperset(tool.inputs):
            yield f"the kept path calls '{name}' before its inputs are known"
        known |= set(tool.output_datatypes)
    if not is_minimal_solution(_graph(world), task.inputs, task.targets, kept):
        yield "the kept path is no minimal tool set of the task"
    records = {record.record_id: record for record in world.records}
    for query in world.queries:
        if query.task_id == task.task_id:
            for name in kept:
                answers = _answers(world, name, records[query.record_id])
                if answers != 1:
                    yield f"'{name}' has {answers} answers on record '{query.record_id}' of '{query.query_id}'"


def _answers(world: World, name: str, record: Record) -> int:
    """Count the distinct answers of a tool for a record's own values, by going through all records."""
    tool = world.tool[name]

    def row(other: Record, datatypes: tuple[str, ...]) -> tuple[str, ...] | None:
        values = [other.values.get(datatype) for datatype in datatypes]
        return None if None in values else tuple(text_form(value) for value in values)

    wanted = row(record, tool.inputs)
    found = {row(other, tool.output_datatypes) for other in world.records if row(other, tool.inputs) == wanted}
    return 0 if wanted is None else len(found - {None})


def _check_claims(world: World, task: Task, plan: BlockPlan, claims: Certificate) -> Iterator[str]:
    everything, left = _graph(world), _graph(world, plan.blocked)
    for claimed, graph, when in (
        (claims.shortest_before, everything, "before"),
        (claims.shortest_after, left, "after"),
    ):
        size = shortest(graph, task.inputs, task.targets).size
        if size != claimed:
            yield f"L* is {size} {when} blocking, not {claimed}"
    if claims.path_bound is None and plan.remaining == 1:
        # Another path exists exactly if the targets can be reached without some tool of the kept one.
        for name in plan.kept_path:
            if set(task.targets) <= reachable(left, task.inputs, [name]):
                yield f"another path survives, one without '{name}'"
    else:
        limit = plan.remaining + 1
        paths = minimal_tool_sets(left, task.inputs, task.targets, max_tools=claims.path_bound, limit=limit)
        count = sum(1 for _ in paths)
        if count != plan.remaining:
            yield f"{'more than ' * (count == limit)}{min(count, limit)} paths remain, not {plan.remaining}"
    reached = {
        "blocked_tools": len(plan.blocked),
        "raise_shortest": claims.shortest_after,
    }.get(claims.aim, plan.remaining)
    if abs(reached - claims.wanted) != claims.miss:
        yield f"the aim is missed by {abs(reached - claims.wanted)}, not by {claims.miss}"
