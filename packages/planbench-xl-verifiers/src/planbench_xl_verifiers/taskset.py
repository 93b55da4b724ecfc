"""The tasks: one for each query of a world."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import verifiers.v1 as vf

from planbench_xl.environment import Environment, Setting
from planbench_xl.protocols import TextProtocol, make_protocol
from planbench_xl.runs.presets import check_setting, load_setting
from planbench_xl.runs.run import split_queries
from planbench_xl.runs.worlds import open_world


class PlanBenchConfig(vf.TasksetConfig):
    """Which queries are played, and in which setting."""

    world: str = "retail"
    """Name of a packaged world, or a folder."""
    split: str = "dev"
    """Split of the queries: `dev` is for training, `test` for reports, `all` for both."""
    setting: str = "default"
    """Name of a setting; see `planbench-xl settings`."""
    seed: int | None = None
    """Seed of block plans and tool order, in place of the setting's."""
    max_turns: int | None = None
    """Turn limit of an episode, in place of the setting's."""


class PlanBenchData(vf.TaskData):
    """A query: what the model is told of it, and its identifier."""

    query_id: str


class PlanBenchTask(vf.Task[PlanBenchData]):
    """A query. Its rewards are given by the environment, which knows how the episode went."""


class PlanBenchTaskset(vf.Taskset[PlanBenchTask, PlanBenchConfig]):
    """The queries of a world.

    Raises:
        PlanBenchError: World, split or setting is unknown or faulty.
    """

    def __init__(self, config: PlanBenchConfig) -> None:
        super().__init__(config)
        self.world = open_world(config.world)
        self.setting = _setting(config)
        self.queries = split_queries(self.world, None if config.split == "all" else config.split)
        self._environment = Environment(self.world, self.setting)

    def load(self) -> Iterator[PlanBenchTask]:
        """Yield a task for each query, in the order of the world."""
        environment, protocol = self.environment(), self.protocol()
        for query_id in self.queries:
            system, query = protocol.opening(environment.reset(query_id))
            data = PlanBenchData(
                id=query_id, name=query_id, system_prompt=system.content, prompt=query.content, query_id=query_id
            )
            yield PlanBenchTask(data, self.config.task)

    def environment(self) -> Environment:
        """Return an environment for one episode; it shares with the others what doesn't change."""
        return copy(self._environment)

    def protocol(self) -> TextProtocol:
        """Return a protocol for one episode: the tagged text."""
        protocol = make_protocol("text", setting=self.setting)
        assert isinstance(protocol, TextProtocol)
        return protocol


def _setting(config: PlanBenchConfig) -> Setting:
    changes = {"seed": config.seed, "max_turns": config.max_turns}
    overrides = [f"{field}={value}" for field, value in changes.items() if value is not None]
    setting = load_setting(config.setting, overrides)
    check_setting(setting)
    return setting
