"""The solution paths of tasks, a row per task: how many, how long, through what; each figure exact or a bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache, partial
from typing import Any, Literal

import msgspec

from planbench_xl.audit.context import graph_of
from planbench_xl.engines import EngineName, parts, spread
from planbench_xl.errors import UsageError
from planbench_xl.paths import ToolGraph, count_minimal, legal_orders, minimal_tool_sets, summarise, useful
from planbench_xl.runs.worlds import open_world
from planbench_xl.world import Query, Task, World
from planbench_xl.world.lookups import Lookups

GraphLevel = Literal["type", "record"]
MAX_TOOLS = 9
"""Paths of at most so many tools are counted apart, and listed."""


class Bounded(msgspec.Struct, frozen=True):
    """A figure that may be out of reach.

    Attributes:
        value: The figure if `exact`, else a bound; None if there is none (no path, or none found in time).
        exact: Whether it is exact.
    """

    value: int | None
    exact: bool


class PathRow(msgspec.Struct, frozen=True, kw_only=True):
    """The minimal tool sets of one task.

    Attributes:
        task_id: The task.
        level: `type`: all executable tools count; `record`: only those that answer on the record.
        queries: At record level, the queries that the row holds for; else empty.
        inputs: The datatypes given.
        targets: The datatypes wanted.
        count: Number of minimal tool sets; a lower bound if not exact.
        max_tools: What `up_to` is counted to.
        up_to: Number of those of at most `max_tools` tools; a lower bound if not exact.
        shortest: L*; an upper bound if not exact.
        longest: Most tools of a minimal set; a lower bound if not exact.
        useful_datatypes: Datatypes on some minimal set: inputs taken, intermediate ones and targets.
        useful_datatypes_exact: They are all of them.
        tool_sets: The sets of at most `max_tools` tools, smallest first, each in a legal order; None if not asked for.
        listing_complete: These are all of them.
    """

    task_id: str
    level: GraphLevel
    queries: tuple[str, ...]
    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    count: Bounded
    max_tools: int
    up_to: Bounded
    shortest: Bounded
    longest: Bounded
    useful_datatypes: tuple[str, ...]
    useful_datatypes_exact: bool
    tool_sets: tuple[tuple[str, ...], ...] | None = None
    listing_complete: bool = True

    @property
    def exact(self) -> bool:
        """Whether every figure is exact."""
        figures = (self.count, self.up_to, self.shortest, self.longest)
        return all(figure.exact for figure in figures) and self.useful_datatypes_exact and self.listing_complete


def solution_paths(
    world: World,
    tasks: Sequence[str] = (),
    *,
    max_tools: int = MAX_TOOLS,
    level: GraphLevel = "type",
    listing: bool = False,
    time_limit: float | None = None,
) -> Iterator[PathRow]:
    """Yield the rows of tasks, in file order.

    At record level, a task with queries on records that differ in the tools that matter has a row for each kind of
    record, and a task without queries has none.

    Args:
        world: The world.
        tasks: Identifiers of tasks; empty for all.
        max_tools: Count sets of at most so many tools apart, and list only those.
        level: Count all executable tools, or those that answer on the record of a query.
        listing: List the sets.
        time_limit: Seconds per row; beyond it figures are bounds.

    Raises:
        UsageError: The world has no such task.
    """
    chosen = _chosen(world, tasks)
    graph = graph_of(world)
    if level == "type":
        return (_row(graph, task, (), max_tools, level, listing, time_limit) for task in chosen)
    return _record_rows(world, graph, chosen, max_tools, listing, time_limit)


def spread_paths(
    world_name: str, tasks: Sequence[str] = (), *, workers: int = 1, engine: EngineName = "local", **options: Any
) -> Iterator[PathRow]:
    """Do as `solution_paths` for a packaged world or a folder, in several processes.

    Raises:
        UsageError: There is no such world or task.
    """
    names = [task.task_id for task in _chosen(_world(world_name), tasks)]
    work = partial(_paths_of, world_name, options)
    for rows in spread(work, parts(names, workers), workers=workers, engine=engine):
        yield from rows


def _paths_of(world_name: str, options: dict[str, Any], tasks: Sequence[str]) -> list[PathRow]:
    return list(solution_paths(_world(world_name), tasks, **options))


@lru_cache(maxsize=1)
def _world(name: str) -> World:
    """Load a world once for all parts that a process works on."""
    return open_world(name)


def _chosen(world: World, names: Sequence[str]) -> list[Task]:
    for name in names:
        if name not in world.task:
            near = get_close_matches(name, world.task, 1) or list(world.task)[:1]
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UsageError(f"World '{world.name}' has no task '{name}'.{hint}")
    return [task for task in world.tasks if not names or task.task_id in names]


def _record_rows(
    world: World, graph: ToolGraph, tasks: Sequence[Task], max_tools: int, listing: bool, time_limit: float | None
) -> Iterator[PathRow]:
    lookups = Lookups(world)
    answering = {record.record_id: frozenset(lookups.answering(record)) for record in world.records}
    queries_of: dict[str, list[Query]] = {}
    for query in world.queries:
        queries_of.setdefault(query.task_id, []).append(query)
    for task in tasks:
        matters = useful(graph, task.inputs, task.targets, time_limit)
        kinds: dict[frozenset[str], list[str]] = {}
        for query in queries_of.get(task.task_id, ()):
            if query.record_id in answering:
                # Records that differ only in tools which lie on no path have the same paths.
                tools = answering[query.record_id] & (matters.tools | matters.undecided)
                kinds.setdefault(tools, []).append(query.query_id)
        for tools, names in kinds.items():
            yield _row(graph.restrict(tools), task, tuple(names), max_tools, "record", listing, time_limit)


def _row(
    graph: ToolGraph,
    task: Task,
    queries: tuple[str, ...],
    max_tools: int,
    level: GraphLevel,
    listing: bool,
    time_limit: float | None,
) -> PathRow:
    summary = summarise(graph, task.inputs, task.targets, time_limit=time_limit)
    counted = summary.count
    if not counted.exact:
        # Up to a bound on the size, counting may still come to an end.
        counted = count_minimal(graph, task.inputs, task.targets, max_tools, time_limit=time_limit)
    tool_sets, complete = None, True
    if listing:
        tool_sets, complete = _listing(graph, task, max_tools, time_limit)
    return PathRow(
        task_id=task.task_id,
        level=level,
        queries=queries,
        inputs=task.inputs,
        targets=task.targets,
        count=Bounded(summary.count.value, summary.count.exact),
        max_tools=max_tools,
        up_to=Bounded(counted.up_to(max_tools), counted.exact),
        shortest=Bounded(summary.shortest.size, summary.shortest.exact),
        longest=Bounded(summary.longest.size, summary.longest.exact),
        useful_datatypes=tuple(sorted(summary.useful.datatypes)),
        useful_datatypes_exact=summary.useful.exact,
        tool_sets=tool_sets,
        listing_complete=complete,
    )


def _listing(
    graph: ToolGraph, task: Task, max_tools: int, time_limit: float | None
) -> tuple[tuple[tuple[str, ...], ...], bool]:
    sets = minimal_tool_sets(graph, task.inputs, task.targets, max_tools, time_limit=time_limit)
    ordered = tuple(next(legal_orders(graph, task.inputs, tools)) for tools in sets)
    return ordered, sets.complete
