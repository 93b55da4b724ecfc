from __future__ import annotations

import asyncio
import http.client
import json
import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

mcp = pytest.importorskip("mcp")

from mcp import Client  # noqa: E402

from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.errors import UsageError  # noqa: E402
from planbench_xl.integrations.mcp.http import Gate, check_address  # noqa: E402
from planbench_xl.world import World  # noqa: E402
from tests.integrations.mcp.calls import calls_of, http_server  # noqa: E402

QUERY = "library_query_03"


class Plain:
    """A client of our own: JSON-RPC over HTTP in the handshake's way."""

    def __init__(self, address: str, name: str, **headers: str) -> None:
        place = urlsplit(address)
        self.path = place.path + name
        self.connection = http.client.HTTPConnection(place.netloc, timeout=20)
        self.headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **{key.replace("_", "-"): value for key, value in headers.items()},
        }
        self._number = 0

    def post(self, body: bytes, path: str | None = None, **headers: str) -> tuple[int, dict[str, Any]]:
        """Return the status and the last message of the answer."""
        self.connection.request("POST", path or self.path, body, self.headers | headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        session = response.getheader("mcp-session-id")
        if session is not None:
            self.headers["Mcp-Session-Id"] = session
        if response.getheader("content-type", "").startswith("text/event-stream"):
            text = [line for line in text.splitlines() if line.startswith("data: ")][-1].removeprefix("data: ")
        try:
            return response.status, json.loads(text) if text else {}
        except ValueError:
            return response.status, {"text": text}

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        return self.post(json.dumps(body).encode())[1]

    def hello(self) -> dict[str, Any]:
        answer = self.ask(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "plain", "version": "1"}
        )
        self.post(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return answer

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", name=name, arguments=arguments)["result"]
        return result


async def play(address: str, name: str, calls: list[tuple[str, dict[str, Any]]], mode: str) -> None:
    async with Client(f"{address}{name}", mode=mode) as client:
        for call in calls:
            assert not (await client.call_tool(*call)).is_error


MALFORMED = [
    (b"{", 400, -32700),
    (b"\xff", 400, -32700),
    (b"", 400, -32700),
    (b"[" * 10_000, 400, -32700),
    (b"7", 400, -32602),
    (b"[]", 400, -32602),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/destroy"}', 200, -32601),
    (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": 3}}', 200, -32602),
    (b"x" * (5 << 20), 413, None),
]


def test_clients_of_both_kinds_play_and_malformed_requests_cost_nothing(mini: World, tmp_path: Path) -> None:
    with http_server(tmp_path) as (address, _):
        plain = Plain(address, QUERY)
        assert mini.query[QUERY].text in plain.hello()["result"]["instructions"]
        for body, status, code in MALFORMED:
            found = plain.post(body)
            assert found[0] == status, body[:80]
            assert found[1].get("error", {}).get("code") == code, body[:80]
        assert plain.post(b"{}", "/mcp")[1]["error"]["message"].startswith("Name a session")
        assert plain.post(b"{}", "/elsewhere")[0] == 404
        assert plain.post(b"{}", Host="evil.example")[0] == 421
        assert plain.post(b"{}", Origin="http://evil.example")[0] == 403
        calls = calls_of(mini, QUERY)
        for call in calls[:2]:
            assert not plain.call(*call)["isError"]
        # The connection is lost; another client goes on in the other way of connecting.
        asyncio.run(play(address, QUERY, calls[2:], "auto"))
        late = Plain(address, QUERY)
        late.hello()
        assert late.call("retrieve_tools", {})["isError"]
    (episode,) = read_episodes(tmp_path)
    assert (episode.query_id, episode.status, len(episode.turns)) == (QUERY, "success", len(calls))


def test_a_killed_server_loses_nothing(mini: World, tmp_path: Path) -> None:
    calls = calls_of(mini, QUERY)
    with http_server(tmp_path) as (address, server):
        asyncio.run(play(address, QUERY, calls[:2], "legacy"))
        server.kill()
        server.wait()
    with http_server(tmp_path) as (address, server):
        asyncio.run(play(address, QUERY, calls[2:], "auto"))
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=20) == 0
    (episode,) = read_episodes(tmp_path)
    assert (episode.status, len(episode.turns)) == ("success", len(calls))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_64_sessions_at_once(mini: World, tmp_path: Path, mode: str) -> None:
    calls = {query: calls_of(mini, query) for query in mini.query}
    names = [(query, epoch) for epoch in range(6) for query in calls][:64]

    async def play_all(address: str) -> None:
        await asyncio.gather(*(play(address, f"{query}:{epoch}", calls[query], mode) for query, epoch in names))

    with http_server(tmp_path, "--epochs", "6") as (address, _):
        asyncio.run(play_all(address))
    episodes = read_episodes(tmp_path)
    assert [episode.key for episode in episodes] == sorted(names)
    for episode in episodes:
        assert (episode.status, len(episode.turns)) == ("success", len(calls[episode.query_id]))


def test_a_token_is_asked_for() -> None:
    seen = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["path"])

    async def knock(gate: Gate, *headers: tuple[bytes, bytes]) -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/mcp/x", "headers": [(b"host", b"127.0.0.1:80"), *headers]}
        await gate(scope, None, send)  # type: ignore[arg-type]
        return sent

    gate = Gate(app, "s3cret-é", [])
    for wrong in ((), ((b"authorization", b"s3cret"),), ((b"authorization", b"Bearer s3cret"),)):
        head, body = asyncio.run(knock(gate, *wrong))
        assert head["status"] == 401 and (b"www-authenticate", b"Bearer") in head["headers"]
        assert b"s3cret" not in body["body"]
    assert not seen
    asyncio.run(knock(gate, (b"authorization", "Bearer s3cret-é".encode())))
    asyncio.run(knock(Gate(app, "", [])))
    assert len(seen) == 2


def test_others_are_only_let_in_with_a_token() -> None:
    for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost"):
        check_address(host, "")
    for host in ("0.0.0.0", "::", "192.168.0.7", "example.org"):
        with pytest.raises(UsageError, match="PLANBENCH_XL_TOKEN"):
            check_address(host, "")
        check_address(host, "long random text")
