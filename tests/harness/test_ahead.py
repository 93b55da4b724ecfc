"""A retriever that asks an endpoint keeps no other episode waiting."""

from __future__ import annotations

import struct
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")
pytest.importorskip("numpy")

from planbench_xl.environment.actions import answer, retrieve
from planbench_xl.environment.tags import render
from planbench_xl.episodes.record import Status
from planbench_xl.errors import RetrieverError
from planbench_xl.harness.ahead import Ahead
from tests.harness.conftest import Evaluate
from tests.harness.playing import stored
from tests.harness.server import Server
from tests.retrieval.embedders import WordHash


class Embeddings:
    """Embeds by words. The first request of an agent waits for a second one, which proves that nobody else waits."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.together: list[bool] = []
        self._second = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        if len(texts) == 1:
            with self._lock:
                self.asked += texts
                first = len(self.asked) == 1
            if first:
                self.together.append(self._second.wait(10))
            else:
                self._second.set()
        model = WordHash()
        return [list(struct.unpack(f"<{model.size}f", vector)) for vector in model.embed(texts)]


def speak(body: dict[str, Any]) -> dict[str, Any]:
    """Look for something of one's own, then give up."""
    opening = next(message["content"] for message in body["messages"] if message["role"] == "user")
    asked = any(message["role"] == "assistant" for message in body["messages"])
    action = answer("no idea") if asked else retrieve(output=f"the end of {opening[-30:]}")
    return {"role": "assistant", "content": render(action)}


def speak_native(body: dict[str, Any]) -> dict[str, Any]:
    """Do the same by calls of functions, with two searches in one reply."""
    if any(message["role"] == "assistant" for message in body["messages"]):
        calls = [("final_answer", '{"answer": "no idea"}')]
    else:
        request = '{"meta_tool": "by_output_info", "output_information": "%s"}'
        calls = [("retrieve_tools", request % word) for word in ("author", "genre")]
    functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{i}", "type": "function", "function": f} for i, f in enumerate(functions)],
    }


def dense(server: Server) -> dict[str, Any]:
    return {
        "limit": 2,
        "overrides": ("retrieval.retriever=dense", "retrieval.model=m", f"retrieval.endpoint={server.url}"),
    }


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANBENCH_XL_CACHE", str(tmp_path / "cache"))


def test_episodes_ask_an_endpoint_at_the_same_time(evaluate: Evaluate) -> None:
    embeddings = Embeddings()
    with Server(speak, embed=embeddings) as server:
        result = evaluate(server, dense(server), max_connections=2)
    assert embeddings.together == [True]
    # Asked ahead, and found in the cache by the step.
    assert len(embeddings.asked) == 2
    episodes = list(stored(result.folder).values())
    assert [episode.status for episode in episodes] == [Status.FAILURE] * 2
    assert all(episode.turns[0].tools for episode in episodes)


def test_a_solver_of_ones_own_takes_turns_in_order(evaluate: Evaluate) -> None:
    embeddings = Embeddings()
    with Server(speak_native, embed=embeddings) as server:
        result = evaluate(server, dense(server), max_connections=2, solver="tests.harness.solvers:reacting")
    assert embeddings.together == [True]
    for episode in stored(result.folder).values():
        wanted = [turn.request["output_information"] for turn in episode.turns[:2] if turn.request]
        assert wanted == ["author", "genre"]


def test_an_endpoint_that_fails_stops_the_run(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(self: Ahead, action: Any) -> None:
        raise RetrieverError("Embedding model 'm' can't be used")

    monkeypatch.setattr(Ahead, "ask", fail)
    with Server(speak) as server, pytest.raises(RetrieverError, match="can't be used"):
        evaluate(server, {"limit": 2})
