"""Makes the block plans of a world under a configuration, by the planner that it names."""

from __future__ import annotations

from planbench_xl.blocking.config import BlockingConfig
from planbench_xl.blocking.exact import ExactPlanner
from planbench_xl.blocking.plan import BlockPlan
from planbench_xl.blocking.reference import plan_reference
from planbench_xl.errors import SettingError
from planbench_xl.world import World

REFERENCE_AIMS = ("remaining_paths", "disabled_ratio", "blocked_paths")


class Planner:
    """Plans the tasks of a world, each once.

    Raises:
        SettingError: The planner can't take the aim.
    """

    def __init__(self, world: World, config: BlockingConfig, seed: int) -> None:
        if config.planner == "reference" and config.aim not in REFERENCE_AIMS:
            names = ", ".join(REFERENCE_AIMS)
            raise SettingError(f"blocking.aim '{config.aim}' needs the exact planner; the reference one takes {names}.")
        self._world = world
        self._config = config
        self._seed = seed
        self._exact: ExactPlanner | None = None
        self._plans: dict[str, BlockPlan] = {}

    def plan(self, task_id: str) -> BlockPlan:
        """Return the plan of a task."""
        if task_id not in self._plans:
            self._plans[task_id] = self._make(task_id)
        return self._plans[task_id]

    def _make(self, task_id: str) -> BlockPlan:
        if self._config.planner == "reference":
            paths = self._world.tool_sets.get(task_id, ())
            return plan_reference(task_id, paths, self._config, self._seed)
        if self._exact is None:
            self._exact = ExactPlanner(self._world)
        return self._exact.plan(task_id, self._config, self._seed)
