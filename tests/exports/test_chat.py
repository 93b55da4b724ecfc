from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.environment import Environment
from planbench_xl.errors import UsageError
from planbench_xl.exports.chat import Choice, write_chat
from planbench_xl.protocols import FunctionCall, Reply, make_protocol
from planbench_xl.runs.loading import LoadedRun, load_runs
from planbench_xl.runs.run import run
from planbench_xl.world import World

ANY = Choice(outcome="any", any_split=True)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[LoadedRun]:
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("oracle", "explorer", "random", "do-nothing"):
        run("mini", folder / agent, agent=agent)
    return load_runs([folder])


def exported(runs: list[LoadedRun], path: Path, kind: Any, choice: Choice = ANY) -> list[dict[str, Any]]:
    count = write_chat(runs, path / "out.jsonl", kind, choice)
    lines = [json.loads(line) for line in (path / "out.jsonl").read_text().splitlines()]
    assert len(lines) == count
    return lines


@pytest.mark.parametrize("kind", ["text", "native"])
def test_conversations_play_again(runs: list[LoadedRun], tmp_path: Path, kind: Any, mini: World) -> None:
    """What the assistant says in the file leads to just the messages that follow it there."""
    found = exported(runs, tmp_path, kind)
    assert len(found) == 4 * len(mini.queries)
    for conversation in found:
        assert runs[0].details is not None
        environment, protocol = Environment(mini, runs[0].details), make_protocol(kind)
        messages = conversation["messages"]
        observation = environment.reset(conversation["metadata"]["query_id"])
        assert [m.content for m in protocol.opening(observation)] == [m["content"] for m in messages[:2]]
        for said, answer in zip(messages[2::2], [*messages[3::2], None], strict=False):
            calls = tuple(
                FunctionCall(c["id"], c["function"]["name"], c["function"]["arguments"])
                for c in said.get("tool_calls", ())
            )
            step = protocol.read(Reply(said["content"], calls))[0]
            observation = environment.step(step.action)
            if answer is not None:
                assert protocol.respond(observation, step).content == answer["content"]
        assert environment.status == conversation["metadata"]["status"]


def test_native_calls_are_offered_and_answered(runs: list[LoadedRun], tmp_path: Path) -> None:
    for conversation in exported(runs[:1], tmp_path, "native"):
        offered = {tool["function"]["name"] for tool in conversation["tools"]}
        ids = []
        for message in conversation["messages"]:
            for call in message.get("tool_calls", ()):
                assert call["function"]["name"] in offered
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
                ids.append(call["id"])
        answers = [message["tool_call_id"] for message in conversation["messages"] if message["role"] == "tool"]
        assert answers == ids[:-1]


def test_text_offers_no_functions(runs: list[LoadedRun], tmp_path: Path) -> None:
    assert all("tools" not in conversation for conversation in exported(runs, tmp_path, "text"))


def test_choices(runs: list[LoadedRun], tmp_path: Path) -> None:
    everything = exported(runs, tmp_path, "text")
    lengths = [c["metadata"]["turns"] for c in everything]
    won = exported(runs, tmp_path, "text", Choice(any_split=True))
    lost = exported(runs, tmp_path, "text", Choice(outcome="failure", any_split=True))
    assert {c["metadata"]["status"] for c in won} == {"success"}
    assert {c["metadata"]["status"] for c in lost} == {"failure"}
    assert len(won) + len(lost) == len(everything)
    some = exported(runs, tmp_path, "text", Choice(outcome="any", any_split=True, min_turns=5, max_turns=9))
    assert len(some) == sum(5 <= length <= 9 for length in lengths)


def test_queries_for_testing_are_left_out(runs: list[LoadedRun], tmp_path: Path, mini: World) -> None:
    with pytest.raises(UsageError, match=r"has no split 'dev'.*--any-split"):
        exported(runs, tmp_path, "text", Choice())
    queries = tuple(msgspec.structs.replace(q, split="dev" if n < 3 else "test") for n, q in enumerate(mini.queries))
    divided = msgspec.structs.replace(mini, queries=queries)
    found = exported([msgspec.structs.replace(runs[0], world=divided)], tmp_path, "text", Choice(outcome="any"))
    assert sorted(c["metadata"]["query_id"] for c in found) == sorted(list(mini.query)[:3])


def test_nothing_left(runs: list[LoadedRun], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No episode is left"):
        exported(runs, tmp_path, "text", Choice(any_split=True, min_turns=99))
    assert not (tmp_path / "out.jsonl").exists()


def test_episodes_that_do_not_play_again(runs: list[LoadedRun], tmp_path: Path) -> None:
    whole = next(episode for run in runs for episode in run.episodes if len(episode.turns) > 1)
    broken = msgspec.structs.replace(whole, turns=whole.turns[:-1])
    with pytest.raises(UsageError, match="doesn't come out as recorded"):
        exported([msgspec.structs.replace(runs[-1], episodes=(broken,))], tmp_path, "text")
    with pytest.raises(UsageError, match="doesn't tell its whole setting"):
        exported([msgspec.structs.replace(runs[-1], details=None)], tmp_path, "text")
