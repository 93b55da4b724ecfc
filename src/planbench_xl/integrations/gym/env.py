"""A world in a setting as a Gymnasium environment: texts in, texts out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, SupportsFloat

import gymnasium

from planbench_xl.environment import Environment, Observation, Setting
from planbench_xl.episodes.record import Episode, Reason, Status
from planbench_xl.errors import UsageError
from planbench_xl.integrations.gym.reward import Potential
from planbench_xl.integrations.gym.spaces import UnicodeText
from planbench_xl.metrics.episode import score_episode
from planbench_xl.protocols import TEXT_PROTOCOL, TextProtocol
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.rollout import record
from planbench_xl.runs.run import known_queries, split_queries
from planbench_xl.runs.worlds import open_world
from planbench_xl.world import World

MAX_OBSERVATION = 2**24
MAX_ACTION = 2**20
"""Length of the longest texts in the spaces, in characters."""

Reward = Literal["sparse", "shaped"]


@lru_cache(maxsize=8)
def _world(name: str) -> World:
    """Load a world once for all environments of a process."""
    return open_world(name)


class WorldEnv(gymnasium.Env[str, str]):
    """Plays the queries of a world, one an episode.

    An action is a model's reply in the text protocol (`<tool_call>…</tool_call>` and so on); whatever it holds, the
    environment answers it or counts it as an error. An observation is what the model would read; the first one is the
    whole opening, rules included. An episode is terminated by an answer or by too many errors in a row, truncated at
    the turn limit.

    Args:
        world: A world, a packaged world's name, or a folder.
        setting: A setting, or the name of a preset.
        queries: Identifiers of the queries to play; all by default.
        split: Play only the queries of this split (`dev` for training, `test`).
        reward: `sparse`: 1 for a correct and grounded answer, else 0. `shaped`: with potential-based shaping.
        discount: Discount of the shaping; give the one that you train with.
        render_mode: `ansi` makes `render` return the last observation.

    Raises:
        PlanBenchError: World, setting, split or a query is unknown or faulty.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        world: World | str | Path = "retail",
        setting: Setting | str = "default",
        *,
        queries: Sequence[str] | None = None,
        split: str | None = None,
        reward: Reward = "sparse",
        discount: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        self.world = world if isinstance(world, World) else _world(str(world))
        self.setting = setting if isinstance(setting, Setting) else load_setting(setting)
        if reward not in ("sparse", "shaped"):
            raise UsageError(f"There is no reward '{reward}'. Choose sparse or shaped.")
        if not 0 <= discount <= 1:
            raise UsageError(f"The discount is {discount}; give a number from 0 to 1.")
        self.queries = split_queries(self.world, split) if queries is None else known_queries(self.world, queries)
        self.discount = discount
        self.render_mode = render_mode
        self.environment = Environment(self.world, self.setting)
        self.observation_space = UnicodeText(MAX_OBSERVATION)
        self.action_space = UnicodeText(MAX_ACTION)
        self._protocol = TextProtocol(
            tool_ids=self.setting.tool_ids,
            all_tools=self.setting.all_tools,
            free_text=self.setting.retrieval.free_text,
        )
        self._potential = Potential(self.world) if reward == "shaped" else None
        self._level = 0.0
        self._shown = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start the episode of a query: `options["query_id"]`, or one drawn at random.

        Raises:
            UsageError: An option is unknown, or the world has no such query.
        """
        super().reset(seed=seed)
        unknown = set(options or ()) - {"query_id"}
        if unknown:
            raise UsageError(f"There is no option '{min(unknown)}'; `query_id` is the only one.")
        query_id = (options or {}).get("query_id") or self.queries[int(self.np_random.integers(len(self.queries)))]
        observation = self.environment.reset(query_id)
        self._shown = "\n\n".join(message.content for message in self._protocol.opening(observation))
        self._level = self._potential(self.environment) if self._potential else 0.0
        return self._shown, self._info(observation)

    def step(self, action: str) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take one turn.

        Raises:
            UsageError: There is no episode, it is over, or the action is no text.
        """
        if not isinstance(action, str):
            raise UsageError(f"An action is a text, not {type(action).__name__}: a reply as a model writes it.")
        observation = self.environment.step(action)
        self._shown = self._protocol.message(observation)
        environment = self.environment
        reward = 1.0 if environment.status is Status.SUCCESS else 0.0
        if self._potential:
            level = self._potential(environment)
            reward += self.discount * level - self._level
            self._level = level
        truncated = environment.reason is Reason.MAX_TURNS
        return self._shown, reward, observation.done and not truncated, truncated, self._info(observation)

    def render(self) -> str | None:
        """Return the last observation in mode `ansi`, else None."""
        return self._shown if self.render_mode == "ansi" else None

    def episode(self) -> Episode:
        """Return the record of the episode so far, which can be stored and scored as any other."""
        return record(self.environment, None, 0, 0, TEXT_PROTOCOL, 0.0)

    def _info(self, observation: Observation) -> dict[str, Any]:
        info: dict[str, Any] = {
            "query_id": self.environment.state.query.query_id,
            "turn": observation.turn,
            "turns_left": observation.turns_left,
        }
        if observation.done:
            score = score_episode(self.world, self.episode())
            info |= {"success": score.success, "reason": score.reason.value if score.reason else ""}
            info["metrics"] = score.numbers
        return info
