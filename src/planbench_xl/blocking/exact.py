"""The exact planner: meets its aim on the full set of solution paths, and says what it claims.

Paths are inclusion-minimal tool sets of the executable tools, whether listed in the world or not. At least one of those
that remain executes on the records of the task's queries.
"""

from __future__ import annotations

from itertools import islice
from random import Random

from planbench_xl.blocking.aims import Choice, Problem, aim_for
from planbench_xl.blocking.config import BlockingConfig
from planbench_xl.blocking.plan import BlockPlan, Certificate, PlanStatus
from planbench_xl.blocking.reference import draw_alternatives
from planbench_xl.paths import ToolGraph, legal_orders, minimal_tool_sets, shortest
from planbench_xl.world import Task, World
from planbench_xl.world.lookups import Lookups

MAX_PATHS = 20_000
"""Paths listed per task at most; beyond it the bound on their length shrinks."""


class ExactPlanner:
    """Plans the tasks of a world. Plans depend on world, configuration, seed and task only."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in world.executable)
        self._lookups = Lookups(world)
        self._records = {record.record_id: record for record in world.records}
        self._queries: dict[str, list[str]] = {}
        for query in world.queries:
            self._queries.setdefault(query.task_id, []).append(query.record_id)
        self._answering: dict[str, frozenset[str]] = {}

    def plan(self, task_id: str, config: BlockingConfig, seed: int) -> BlockPlan:
        """Choose the tools to block for a task."""
        task = self._world.task[task_id]
        problem = self._problem(task, config)
        if problem is None:
            reason = "no solution path executes on the records of the task's queries"
            return BlockPlan(task_id, PlanStatus.UNRESOLVED, {}, 0, reason=reason)
        rng = Random(f"{seed}||{task_id}")
        choice = aim_for(config)(problem, config, rng)
        if isinstance(choice, str):
            return BlockPlan(task_id, PlanStatus.UNRESOLVED, {}, len(problem.paths), reason=choice)
        return self._finish(task, problem, choice, config, rng)

    def _problem(self, task: Task, config: BlockingConfig) -> Problem | None:
        """List the task's paths up to the bound; None if none of all its paths executes on the records."""
        found = shortest(self._graph, task.inputs, task.targets)
        if found.tool_set is None:
            return None
        bound = len(found.tool_set) + config.max_extra
        paths = self._list(task, bound)
        while len(paths) > MAX_PATHS and bound > len(found.tool_set):
            bound -= 1
            paths = [path for path in paths if len(path) <= bound]
        answering = self._answering_all(task)
        executing = [number for number, path in enumerate(paths) if path <= answering]
        if not executing:
            return None
        return Problem(self._graph, task.inputs, task.targets, tuple(paths), tuple(executing), bound)

    def _list(self, task: Task, bound: int) -> list[frozenset[str]]:
        listing = minimal_tool_sets(self._graph, task.inputs, task.targets, max_tools=bound)
        return list(islice(listing, MAX_PATHS + 1))

    def _answering_all(self, task: Task) -> frozenset[str]:
        """Return the tools that give exactly one answer on the record of every query of the task."""
        tools = frozenset(self._graph.tools)
        for record_id in self._queries.get(task.task_id, ()):
            if record_id not in self._answering:
                self._answering[record_id] = frozenset(self._lookups.answering(self._records[record_id]))
            tools &= self._answering[record_id]
        return tools

    def _finish(self, task: Task, problem: Problem, choice: Choice, config: BlockingConfig, rng: Random) -> BlockPlan:
        kept = next(legal_orders(self._graph, task.inputs, choice.kept))
        left = self._graph.without(choice.blocked)
        after = shortest(left, task.inputs, task.targets)
        certificate = Certificate(
            aim=config.aim,
            wanted=choice.wanted,
            miss=choice.miss,
            nearest=choice.nearest,
            fewest=choice.fewest,
            shortest_before=min(map(len, problem.paths)),
            shortest_after=after.size or 0,
            path_bound=choice.path_bound,
            paths_before=len(problem.paths),
        )
        status = PlanStatus.SUCCESS if choice.blocked else PlanStatus.NOT_BLOCKABLE
        blocked = {tool: draw_alternatives(config, rng) for tool in sorted(choice.blocked)}
        reason = "" if choice.blocked else "the aim holds with nothing blocked"
        return BlockPlan(task.task_id, status, blocked, choice.remaining, kept, reason, certificate)
