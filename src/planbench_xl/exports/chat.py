"""Episodes as chat messages, one conversation a line, in the form that fine-tuning services and libraries read.

Each episode is played again, so that the conversation is word for word what a model would have read and written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from planbench_xl.environment import Action, Environment, Setting
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.episodes.store import replace_file
from planbench_xl.errors import UsageError
from planbench_xl.protocols import (
    ChatProtocol,
    FunctionCall,
    FunctionSpec,
    Message,
    NativeProtocol,
    ProtocolKind,
    Reply,
    make_protocol,
    parse_raw,
)
from planbench_xl.protocols.native import ANSWER, RETRIEVE, parse_written
from planbench_xl.runs.loading import LoadedRun
from planbench_xl.world import World

Outcome = Literal["success", "failure", "any"]
TRAINING = "dev"
"""The split that may be trained on."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which episodes to export.

    Attributes:
        outcome: Only successes, only failures, or both; infrastructure errors never.
        min_turns: Only episodes of at least this many turns.
        max_turns: Only episodes of at most this many; None for no limit.
        any_split: Also queries that are for testing.
    """

    outcome: Outcome = "success"
    min_turns: int = 1
    max_turns: int | None = None
    any_split: bool = False

    def takes(self, world: World, episode: Episode) -> bool:
        """Say whether an episode is chosen."""
        if episode.status is Status.ERROR or self.outcome not in ("any", episode.status.value):
            return False
        if not self.any_split and world.query[episode.query_id].split != TRAINING:
            return False
        return self.min_turns <= len(episode.turns) and (self.max_turns is None or len(episode.turns) <= self.max_turns)


def write_chat(runs: Iterable[LoadedRun], path: Path, kind: ProtocolKind, choice: Choice) -> int:
    """Write the chosen episodes of runs as JSON Lines, at once or not at all.

    Args:
        runs: The runs.
        path: The file.
        kind: `text` for tagged text, `native` for function calls; whatever the episodes were played with.
        choice: Which episodes.

    Returns:
        Number of conversations.

    Raises:
        UsageError: A world has no training split (unless any is asked for), a run doesn't tell its setting, an
            episode doesn't come out as recorded, or nothing is left to export.
        OSError: The file can't be written.
    """
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        for run in runs:
            for conversation in conversations(run, kind, choice):
                count += 1
                yield msgspec.json.encode(conversation) + b"\n"
        if not count:
            raise UsageError("No episode is left to export. Ask for another outcome, more turns or more runs.")

    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, lines())
    return count


def conversations(run: LoadedRun, kind: ProtocolKind, choice: Choice) -> Iterator[dict[str, Any]]:
    """Yield the conversations of a run; raises as `write_chat`."""
    if not choice.any_split and not any(query.split == TRAINING for query in run.world.queries):
        raise UsageError(
            f"World '{run.world.name}' has no split '{TRAINING}', so all its queries are for testing. A model trained "
            "on them can't be tested on them any more; give --any-split if that is what you want."
        )
    if run.details is None:
        raise UsageError(f"{run.label} doesn't tell its whole setting, so its episodes can't be played again.")
    environment = Environment(run.world, run.details)
    for episode in run.episodes:
        if choice.takes(run.world, episode):
            yield conversation(environment, run.details, episode, kind, run.agent)


def conversation(
    environment: Environment, setting: Setting, episode: Episode, kind: ProtocolKind, agent: str
) -> dict[str, Any]:
    """Play an episode again and return its conversation, up to the error if it ended with one.

    Raises:
        UsageError: It doesn't come out as recorded.
    """
    protocol = make_protocol(kind, setting=setting)
    observation = environment.reset(episode.query_id)
    messages = [_plain(message) for message in protocol.opening(observation)]
    for number, turn in enumerate(episode.turns, 1):
        if environment.status is not None:
            break
        reply = _reply(protocol, episode.protocol, turn.raw, f"call_{number}")
        step = protocol.read(reply)[0]
        observation = environment.step(step.action)
        messages.append(_said(reply))
        if not observation.done:
            messages.append(_plain(protocol.respond(observation, step)))
    if (environment.status or Status.ERROR, environment.reason) != (episode.status, episode.reason):
        raise UsageError(
            f"The episode of query '{episode.query_id}', epoch {episode.epoch} doesn't come out as recorded when it is "
            f"played again in `{kind}`. Export it with the version that played it ({episode.package})."
        )
    found: dict[str, Any] = {"messages": messages}
    if functions := protocol.functions():
        found["tools"] = [_function(function) for function in functions]
    found["metadata"] = {
        "query_id": episode.query_id,
        "epoch": episode.epoch,
        "world": environment.world.name,
        "world_fingerprint": episode.world,
        "setting": episode.setting,
        "agent": agent,
        "protocol": protocol.name,
        "status": episode.status.value,
        "turns": len(episode.turns),
    }
    return found


def _reply(protocol: ChatProtocol, recorded: str, raw: str, call_id: str) -> Reply:
    """Return a recorded response as a reply in a protocol, whichever it was given in."""
    written = parse_written(raw) if recorded.startswith("native") else None
    if not isinstance(protocol, NativeProtocol):
        return Reply(protocol_text(parse_raw(recorded, raw)) if written else raw)
    if written is None:
        return _called(parse_raw(recorded, raw), protocol, call_id)
    if written.function is None:
        return Reply(written.text)
    name = protocol.called(written.tool) if written.tool else written.function
    return Reply(written.text, (FunctionCall(call_id, name, written.arguments),))


def protocol_text(action: Action) -> str:
    """Return an action as tagged text, without what else was in the reply."""
    from planbench_xl.environment import tags

    return tags.render(msgspec.structs.replace(action, raw="")) if action.kind != "invalid" else action.raw


def _called(action: Action, protocol: NativeProtocol, call_id: str) -> Reply:
    """Return an action of tagged text as a function call."""
    if action.kind == "invalid":
        return Reply(action.raw)
    if action.kind == "answer":
        arguments = msgspec.json.encode({"answer": action.body}).decode()
        return Reply(calls=(FunctionCall(call_id, ANSWER, arguments),))
    body = action.body if isinstance(action.body, str) else msgspec.json.encode(action.body).decode()
    if action.kind == "retrieve":
        return Reply(calls=(FunctionCall(call_id, RETRIEVE, body),))
    return Reply(calls=(protocol.write_call(body, call_id),))


def _plain(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
    return {"role": message.role, "content": message.content}


def _said(reply: Reply) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
    return said


def _function(function: FunctionSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": function.name,
            "description": function.description,
            "parameters": function.parameters,
        },
    }
