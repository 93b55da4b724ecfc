"""The client: one connection plays one episode after the other."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

from planbench_xl_openenv.models import PlanBenchAction, PlanBenchObservation


class PlanBenchClient(EnvClient[PlanBenchAction, PlanBenchObservation, State]):
    """Plays on a server: `reset(query_id=…)` or `reset(seed=…)`, then `step(PlanBenchAction(text=…))`."""

    def _step_payload(self, action: PlanBenchAction) -> dict[str, Any]:
        return {"text": action.text}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[PlanBenchObservation]:
        done, reward = payload.get("done", False), payload.get("reward")
        observation = PlanBenchObservation(**{**payload.get("observation", {}), "done": done, "reward": reward})
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
