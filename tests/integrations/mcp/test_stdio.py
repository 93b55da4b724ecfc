from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters  # noqa: E402

from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.world import World  # noqa: E402
from tests.integrations.mcp.calls import SERVE, calls_of, result_text  # noqa: E402

QUERY = "library_query_02"


def options(out: Path, *more: str) -> list[str]:
    return [*SERVE, "--world", "mini", "--out", str(out), "--session", QUERY, *more]


class Plain:
    """A client of our own: JSON-RPC, one message per line."""

    def __init__(self, out: Path, *more: str) -> None:
        self.server = subprocess.Popen(
            options(out, *more), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._number = 0
        self._lines: Queue[bytes] = Queue()
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.server.stdout is not None
        for line in self.server.stdout:
            self._lines.put(line)

    def send(self, line: bytes) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(line + b"\n")
        self.server.stdin.flush()

    def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._lines.get(timeout=20))
        return message

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}).encode())
        while True:
            message = self.read()
            if message.get("id") == self._number:
                return message

    def hello(self) -> dict[str, Any]:
        answer = self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "plain", "version": "1"},
        )
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return answer

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", name=name, arguments=arguments)["result"]
        return result

    def leave(self) -> tuple[int, bytes]:
        """Close standard input; return the exit status and what came on standard error."""
        assert self.server.stdin is not None and self.server.stderr is not None
        self.server.stdin.close()
        errors = self.server.stderr.read()
        return self.server.wait(timeout=20), errors


@pytest.mark.slow
def test_the_official_client_plays(mini: World, tmp_path: Path) -> None:
    command, *arguments = options(tmp_path, "--dynamic")

    async def play() -> None:
        async with Client(StdioServerParameters(command=command, args=arguments)) as client:
            for call in calls_of(mini, QUERY, dynamic=True):
                result = await client.call_tool(*call)
                assert not result.is_error
            assert "over" in result_text(result)

    asyncio.run(play())
    (episode,) = read_episodes(tmp_path)
    assert (episode.query_id, episode.status) == (QUERY, "success")


def test_a_client_of_our_own_plays_and_a_killed_server_goes_on(mini: World, tmp_path: Path) -> None:
    calls = calls_of(mini, QUERY)
    first = Plain(tmp_path)
    assert mini.query[QUERY].text in first.hello()["result"]["instructions"]
    said = [first.call(*call) for call in calls[:3]]
    first.server.kill()
    first.leave()

    second = Plain(tmp_path)
    second.hello()
    shown = second.ask("prompts/get", name="transcript")["result"]["messages"]
    assert [message["content"] for message in shown[2::2]] == [result["content"][0] for result in said]
    for call in calls[3:]:
        assert not second.call(*call)["isError"]
    status, errors = second.leave()
    assert status == 0 and b"1 of 11 episodes are stored" in errors
    (episode,) = read_episodes(tmp_path)
    assert (len(episode.turns), episode.status) == (len(calls), "success")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_in_good_order(mini: World, tmp_path: Path, number: int) -> None:
    plain = Plain(tmp_path)
    plain.hello()
    plain.call(*calls_of(mini, QUERY)[0])
    plain.server.send_signal(number)
    assert plain.server.wait(timeout=20) == 0
    plain.leave()
    assert len((tmp_path / "journal" / f"{QUERY}#0.jsonl").read_bytes().splitlines()) == 1


MALFORMED = [
    (b"", -32700),
    (b"{", -32700),
    (b"hello", -32700),
    (b"\xff\xfe\x00", -32700),
    (b'{"jsonrpc": "2.0", "id": 1, "method": ', -32700),
    (b"[" * 10_000, -32700),
    (b"[]", -32600),
    (b"null", -32600),
    (b"7", -32600),
    (b'{"jsonrpc": "1.0", "id": 9, "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 9, "method": 5}', -32600),
    (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "method": "tools/list"}', -32600),
    (b'[{"jsonrpc": "2.0", "id": 9, "method": "tools/list"}]', -32600),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/destroy"}', -32601),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}', -32601),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call"}', -32602),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": 3}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "call_tool", "arguments": []}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "prompts/get", "params": {"name": "../gold"}}', -32602),
]


def test_malformed_frames_get_protocol_errors_and_cost_no_turn(mini: World, tmp_path: Path) -> None:
    plain = Plain(tmp_path)
    plain.hello()
    for line, code in MALFORMED:
        plain.send(line)
        assert plain.read()["error"]["code"] == code, line[:100]
    for call in calls_of(mini, QUERY):
        assert not plain.call(*call)["isError"]
    assert plain.leave()[0] == 0
    (episode,) = read_episodes(tmp_path)
    assert episode.status == "success"


@pytest.mark.slow
def test_before_the_handshake_nothing_is_served(tmp_path: Path) -> None:
    plain = Plain(tmp_path)
    plain.send(b"{")
    assert plain.read()["error"]["code"] == -32700
    assert plain.ask("tools/list")["error"]["code"] == -32602
    assert "result" in plain.hello()
    assert plain.leave()[0] == 0


@pytest.mark.slow
def test_one_process_writes_the_folder(tmp_path: Path) -> None:
    plain = Plain(tmp_path)
    plain.hello()
    other = subprocess.run(options(tmp_path), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30)
    assert other.returncode == 1 and other.stdout == "" and "is being written" in other.stderr
    plain.leave()
