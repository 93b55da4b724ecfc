"""Hand-made episodes on the packaged mini world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from planbench_xl.environment import Environment
from planbench_xl.episodes.record import Answer, Episode, Reason, Status, Turn, TurnError
from planbench_xl.world import World

Make = Callable[..., Episode]


def seen(*tools: str, by: str = "by_inputs", error: TurnError | None = None) -> Turn:
    """Return a retrieval that showed some tools."""
    if error is not None:
        return Turn(action="retrieve", error=error)
    return Turn(action="retrieve", request={"domain": "library", "meta_tool": by}, tools=tools)


def called(name: str, value: Any = "x", *, success: bool = True, error: TurnError | None = None, **more: Any) -> Turn:
    """Return a call of a tool."""
    request = {"name": name, "arguments": {}}
    if error is not None:
        return Turn(action="call", error=error, request=None if error is TurnError.CALL_JSON else request)
    return Turn(action="call", request=request, success=success, value=value, **more)


def answered(text: str, *, continued: bool = False) -> Turn:
    """Return an answer; its recorded checks don't matter for scoring."""
    return Turn(action="answer", answer=Answer(text=text, correct=False, reached=False, continued=continued))


@pytest.fixture
def make(mini: World) -> Make:
    """Return a maker of episodes of query 04 (loan by card and title, …, repair cost 57.2)."""

    def maker(*turns: Turn, **changes: Any) -> Episode:
        status = Status.SUCCESS if changes.pop("success", False) else Status.FAILURE
        fields: dict[str, Any] = {
            "query_id": "library_query_06",
            "task_id": "library_task_04",
            "world": mini.fingerprint,
            "setting": "default",
            "protocol": "text/1",
            "judge": "contains",
            "package": "0",
            "status": status,
            "reason": None if status is Status.SUCCESS else Reason.MAX_TURNS,
            "turns": turns,
        }
        return Episode(**{**fields, **changes})

    return maker


def play(environment: Environment, query_id: str, responses: list[str]) -> Episode:
    """Return the episode that some responses make."""
    environment.reset(query_id)
    for response in responses:
        environment.step(response)
    assert environment.status is not None
    return Episode(
        query_id=query_id,
        task_id=environment.state.task.task_id,
        world=environment.world.fingerprint,
        setting=environment.setting.name,
        protocol="text/1",
        judge=environment.setting.judge,
        package="0",
        status=environment.status,
        reason=environment.reason,
        turns=tuple(environment.turns),
    )


def changed(episode: Episode, **changes: Any) -> Episode:
    """Return an episode with some fields changed."""
    return msgspec.structs.replace(episode, **changes)
