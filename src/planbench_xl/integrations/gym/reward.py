"""Rewards: sparse, and shaped by the exact remaining distance so that the best policy stays the best.

Potential-based shaping adds `discount · Φ(next) − Φ(now)` to each reward, with Φ = 0 once the episode is over (Ng,
Harada and Russell 1999). Summed up with discounts over an episode, the additions come to −Φ(start), whatever was done:
no policy gains on another.
"""

from __future__ import annotations

from planbench_xl.environment import Environment
from planbench_xl.paths import ToolGraph, shortest
from planbench_xl.world import World

LIMIT = 5.0
"""Seconds for one distance; then the best bound is used, the same one every time that the state is met."""


class Potential:
    """Φ = 1 − (fewest calls that still reach the targets) / (fewest at the start): 0 at the start, 1 at the targets.

    Calls are counted on all paths that blocked tools leave, listed or not.
    """

    def __init__(self, world: World) -> None:
        tools = world.executable
        self._graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in tools)
        self._distances: dict[tuple[str, frozenset[str], frozenset[str]], int | None] = {}

    def __call__(self, environment: Environment) -> float:
        """Return the potential of the episode's state; 0 where it is over or the targets can't be reached."""
        if environment.status is not None:
            return 0.0
        state = environment.state
        start = self._distance(environment, frozenset(state.task.inputs))
        now = self._distance(environment, frozenset(state.obtained))
        return 0.0 if not start or now is None else 1.0 - now / start

    def _distance(self, environment: Environment, obtained: frozenset[str]) -> int | None:
        task = environment.state.task
        blocked = frozenset(environment.plan.blocked) if environment.plan else frozenset()
        key = (task.task_id, obtained, blocked)
        if key not in self._distances:
            graph = self._graph.without(blocked) if blocked else self._graph
            self._distances[key] = shortest(graph, obtained, task.targets, time_limit=LIMIT).size
        return self._distances[key]
