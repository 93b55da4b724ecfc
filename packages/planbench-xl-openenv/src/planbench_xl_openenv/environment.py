"""The environment of one session of a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

from openenv.core.env_server.interfaces import Environment as OpenEnvironment
from openenv.core.env_server.types import EnvironmentMetadata, State

from planbench_xl import __version__
from planbench_xl.environment import Environment, Observation, Setting
from planbench_xl.episodes.record import Episode
from planbench_xl.errors import UsageError
from planbench_xl.metrics.episode import score_episode
from planbench_xl.protocols import make_protocol
from planbench_xl.runs.rollout import record
from planbench_xl.world import World
from planbench_xl_openenv.models import PlanBenchAction, PlanBenchObservation

Keep = Callable[[Episode], None]


class Game:
    """What the sessions of a server share.

    Args:
        world: The world.
        setting: The setting.
        queries: Identifiers of the queries to play.
        keep: Called with every episode that has ended, by the thread of its session.
    """

    def __init__(self, world: World, setting: Setting, queries: tuple[str, ...], keep: Keep | None = None) -> None:
        self.world = world
        self.setting = setting
        self.queries = queries
        self.keep = keep


class PlanBenchEnvironment(OpenEnvironment[PlanBenchAction, PlanBenchObservation, State]):
    """Plays one episode after the other: texts in, texts out, in the text protocol.

    The reward of the last step is 1 for a correct answer that rests on trusted values, else 0; all others are 0.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, game: Game) -> None:
        super().__init__()
        self._game = game
        # Of its own: every session has its own thread, and the records are read by one thread only.
        self._environment = Environment(game.world, game.setting)
        self._protocol = make_protocol("text", setting=game.setting)
        self._random = Random()
        self._episode_id: str | None = None
        self._started = 0.0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, query_id: str | None = None, **options: Any
    ) -> PlanBenchObservation:
        """Start the episode of a query: the one named, or one drawn at random, with the seed if one is given.

        Raises:
            UsageError: An option is unknown, or the query isn't among those played here.
        """
        if options:
            raise UsageError(f"There is no option '{min(options)}'; `query_id`, `seed` and `episode_id` are all.")
        if seed is not None:
            self._random.seed(seed)
        query_id = query_id or self._random.choice(self._game.queries)
        if query_id not in self._game.queries:
            raise UsageError(f"Query '{query_id}' isn't among the {len(self._game.queries)} played here.")
        self._episode_id, self._started = episode_id, time.perf_counter()
        observation = self._environment.reset(query_id)
        system, query = self._protocol.opening(observation)
        return self._shown(observation, text=query.content, system=system.content)

    def step(self, action: PlanBenchAction, timeout_s: float | None = None, **options: Any) -> PlanBenchObservation:
        """Take one turn.

        Raises:
            UsageError: There is no episode, or it is over.
        """
        observation = self._environment.step(action.text)
        text = self._protocol.message(observation)
        if not observation.done:
            return self._shown(observation, text=text, reward=0.0)
        episode = record(self._environment, None, 0, 0, self._protocol.name, time.perf_counter() - self._started)
        if self._game.keep is not None:
            self._game.keep(episode)
        score = score_episode(self._game.world, episode)
        reason = score.reason.value if score.reason else ""
        return self._shown(observation, text=text, reward=float(score.success), reason=reason, figures=score.numbers)

    @property
    def state(self) -> State:
        """How far the episode is."""
        return State(episode_id=self._episode_id, step_count=len(self._environment.turns))

    def get_metadata(self) -> EnvironmentMetadata:
        """Say what is served."""
        world, setting = self._game.world, self._game.setting
        description = f"World {world.name}, setting {setting.name}, {len(self._game.queries)} queries."
        return EnvironmentMetadata(name="planbench-xl", description=description, version=__version__)

    def _shown(self, observation: Observation, **fields: Any) -> PlanBenchObservation:
        query_id = self._environment.state.query.query_id
        return PlanBenchObservation(
            done=observation.done, query_id=query_id, turns_left=observation.turns_left, **fields
        )
