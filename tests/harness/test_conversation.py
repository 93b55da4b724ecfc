"""The conversation and its journal, with a partner that needs no provider."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import msgspec
import pytest

from planbench_xl.environment import Environment
from planbench_xl.environment.tags import render
from planbench_xl.episodes.record import Status, Usage
from planbench_xl.errors import StoreError
from planbench_xl.harness.conversation import Conversation, Spoiled, Stopped, total
from planbench_xl.harness.journal import Asked, Journal
from planbench_xl.protocols import FunctionSpec, Message, Reply, TextProtocol
from planbench_xl.world import World
from tests.harness.speaker import Speaker

QUERY = "library_query_01"
ONE = Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5)


class Parrot:
    """Says the texts it was given, one after the other; None is a death in flight."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self.texts = list(texts)
        self.heard: list[str] = []
        self.asked = 0

    def tell(self, message: Message) -> None:
        self.heard.append(message.content)

    def hear(self, asked: Asked) -> None:
        self.heard.append(asked.reply.text)

    async def ask(self, functions: Sequence[FunctionSpec]) -> Asked:
        text = self.texts[self.asked]
        self.asked += 1
        if text is None:
            raise KeyboardInterrupt
        return Asked(reply=Reply(text), usage=ONE, spoiled=text if text.startswith("time_out") else "")


@pytest.fixture
def texts(mini: World, speaker: Speaker) -> list[str | None]:
    return [render(action) for action in speaker.actions[mini.query[QUERY].text]]


def conversation(world: World, parrot: Parrot, folder: Path | None, limit: int | None = None) -> Conversation:
    journal = Journal(folder, (QUERY, 0))
    return Conversation(Environment(world), TextProtocol(), parrot, journal, token_limit=limit)


def test_an_episode_is_taken_up_from_its_journal(mini: World, texts: list[str | None], tmp_path: Path) -> None:
    whole = Parrot(texts)
    undisturbed = conversation(mini, whole, None)
    asyncio.run(undisturbed.play(QUERY))
    assert undisturbed.environment.status is Status.SUCCESS
    first = Parrot([*texts[:4], None])
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(conversation(mini, first, tmp_path).play(QUERY))
    second = Parrot(texts[4:])
    resumed = conversation(mini, second, tmp_path)
    asyncio.run(resumed.play(QUERY))
    assert second.heard == whole.heard
    assert second.asked == len(texts) - 4
    assert resumed.environment.turns == undisturbed.environment.turns
    assert resumed.usage == undisturbed.usage
    third = Parrot([])
    asyncio.run(conversation(mini, third, tmp_path).play(QUERY))
    assert third.asked == 0


def test_a_torn_line_is_asked_again_and_a_faulty_one_refused(
    mini: World, texts: list[str | None], tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(conversation(mini, Parrot([*texts[:4], None]), tmp_path).play(QUERY))
    (path,) = (tmp_path / "journal").iterdir()
    data = path.read_bytes()
    path.write_bytes(data[:-5])
    parrot = Parrot(texts[3:])
    asyncio.run(conversation(mini, parrot, tmp_path).play(QUERY))
    assert parrot.asked == len(texts) - 3
    path.write_bytes(b"nonsense\n" + data)
    with pytest.raises(StoreError, match=r"#0.jsonl, line 1: can't be used .* Remove the file"):
        asyncio.run(conversation(mini, Parrot([]), tmp_path).play(QUERY))


def test_a_full_disk_leaves_no_torn_reply(
    mini: World, texts: list[str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the third reply still fits. With room again, the episode goes on from the second."""
    real, writes = os.write, count(1)

    def write(file: int, data: bytes) -> int:
        number = next(writes)
        if number > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, bytes(data)[: len(data) // 2] if number == 3 else data)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(StoreError, match="disk or its quota is full"):
        asyncio.run(conversation(mini, Parrot(texts), tmp_path).play(QUERY))
    monkeypatch.undo()
    (path,) = (tmp_path / "journal").iterdir()
    assert path.read_bytes().count(b"\n") == 2 and path.read_bytes().endswith(b"\n")
    parrot = Parrot(texts[2:])
    asyncio.run(conversation(mini, parrot, tmp_path).play(QUERY))
    assert parrot.asked == len(texts) - 2


def test_a_spoiled_turn_is_paid_for_but_not_taken(mini: World, texts: list[str | None], tmp_path: Path) -> None:
    with pytest.raises(Spoiled, match="time_out: no"):
        asyncio.run(conversation(mini, Parrot([*texts[:2], "time_out: no"]), tmp_path).play(QUERY))
    resumed = conversation(mini, Parrot(texts[2:]), tmp_path)
    asyncio.run(resumed.play(QUERY))
    assert resumed.environment.status is Status.SUCCESS
    assert resumed.usage.calls == len(texts) + 1


def test_the_token_limit_ends_an_episode(mini: World, texts: list[str | None]) -> None:
    parrot = Parrot(texts)
    with pytest.raises(Spoiled, match="token_limit: 36 tokens used, 30 allowed"):
        asyncio.run(conversation(mini, parrot, None, limit=30).play(QUERY))
    assert parrot.asked == 3


def test_a_run_that_stops_leaves_the_episode(mini: World, texts: list[str | None], tmp_path: Path) -> None:
    left = [3]

    def check(usage: Usage | None) -> None:
        if usage is not None:
            left[0] -= 1
        elif left[0] == 0:
            raise Stopped

    journal = Journal(tmp_path, (QUERY, 0))
    stopped = Conversation(Environment(mini), TextProtocol(), Parrot(texts), journal, check=check)
    with pytest.raises(Stopped):
        asyncio.run(stopped.play(QUERY))
    assert len(journal.read()) == 3


def test_unknown_costs_are_not_free() -> None:
    assert total([]) == Usage(cost=0.0)
    assert total([ONE, ONE]).cost == 1.0
    assert total([ONE, msgspec.structs.replace(ONE, cost=None)]).cost is None
    assert total([ONE, ONE]).tokens == 24
