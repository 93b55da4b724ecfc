"""Plays a recorded episode again, action by action, and compares what comes of it with the record."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from planbench_xl.environment import Action, Environment
from planbench_xl.episodes.record import Episode, Status, Turn

Parse = Callable[[str], Action]
"""Reads the action that a turn's `raw` text stands for: the protocol's `parse`."""

SHOWN = 120


def replay(environment: Environment, episode: Episode, parse: Parse) -> str | None:
    """Play an episode again.

    Args:
        environment: The world and setting that it was played in.
        episode: The record.
        parse: Reads actions from the recorded responses.

    Returns:
        What first differs from the record, naming turn and field; None if all of it comes out as recorded.

    Raises:
        UsageError: The world has no such query.
    """
    environment.reset(episode.query_id)
    for number, turn in enumerate(episode.turns, 1):
        if environment.status is not None:
            return f"turn {number} comes after the end of the episode"
        environment.step(parse(turn.raw))
        difference = _differing(environment.turns[-1], turn)
        if difference:
            return f"turn {number}: {difference}"
    return _outcome(environment, episode)


def _differing(played: Turn, recorded: Turn) -> str | None:
    if played == recorded:
        return None
    for field in Turn.__struct_fields__:
        # Compared as stored: a list and a tuple are the same there.
        now, then = (msgspec.json.encode(getattr(turn, field)) for turn in (played, recorded))
        if now != then:
            return f"`{field}` is recorded as {_short(then)}, but comes out as {_short(now)}"
    return None


def _short(encoded: bytes) -> str:
    text = encoded.decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _outcome(environment: Environment, episode: Episode) -> str | None:
    if episode.status is Status.ERROR:
        over = environment.status is not None
        return "it is recorded as an infrastructure error, but was over by its last turn" if over else None
    plan = environment.plan
    plans = (plan, environment.failure_plan)
    played = {
        "status": environment.status,
        "reason": environment.reason,
        "blocked": {tool: tuple(map(str, kinds)) for tool, kinds in plan.blocked.items()} if plan else {},
        "unresolved": any(not made.resolved for made in plans if made is not None),
        "task_id": environment.state.task.task_id,
    }
    for field, value in played.items():
        if value != getattr(episode, field):
            return f"`{field}` is recorded as {getattr(episode, field)!s:.120}, but comes out as {value!s:.120}"
    return None
