from __future__ import annotations

import asyncio
import http.client
import json
import re
import signal
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

mcp = pytest.importorskip("mcp")

from mcp import Client  # noqa: E402
from starlette.testclient import TestClient  # noqa: E402

from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.errors import UsageError  # noqa: E402
from planbench_xl.integrations.mcp.desk import open_desk  # noqa: E402
from planbench_xl.integrations.mcp.http import Gate, check_address, make_app  # noqa: E402
from planbench_xl.integrations.mcp.server import Player  # noqa: E402
from planbench_xl.runs.request import Request  # noqa: E402
from planbench_xl.world import World  # noqa: E402
from tests.conftest import REPOSITORY  # noqa: E402
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


def run_documented(address: str) -> None:
    """Run the documentation's example for a client."""
    text = (REPOSITORY / "docs" / "mcp.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0].replace("http://127.0.0.1:8321/mcp/", address)
    exec(compile(code, "docs/mcp.md", "exec"), {})


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


def test_clients_of_both_kinds_play_and_malformed_requests_cost_nothing(
    mini: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
        run_documented(address)
        assert "Search result" in capsys.readouterr().out
        late = Plain(address, QUERY)
        late.hello()
        assert late.call("retrieve_tools", {})["isError"]
    (episode,) = read_episodes(tmp_path)
    assert (episode.query_id, episode.status, len(episode.turns)) == (QUERY, "success", len(calls))


@pytest.mark.slow
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


def test_idle_sessions_are_put_away_and_come_back(mini: World, tmp_path: Path) -> None:
    player = Player(open_desk(Request(world="mini", agent="mcp", out=str(tmp_path)), "default"))
    headers = {"accept": "application/json, text/event-stream"}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "plain", "version": "1"},
    }

    def call(client: TestClient, name: str, arguments: dict[str, Any]) -> str:
        params = {"name": name, "arguments": arguments, "_meta": meta}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        own = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name}
        answer = client.post(f"/mcp/{QUERY}", json=body, headers=headers | own)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["result"]["content"][0]["text"])

    first, second, *_ = calls_of(mini, QUERY)
    with TestClient(make_app(player, idle_seconds=0.2), base_url="http://127.0.0.1:80") as client:
        call(client, *first)
        until = time.monotonic() + 10
        while player.desk._sessions and time.monotonic() < until:
            time.sleep(0.05)
        assert not player.desk._sessions
        assert "98 turns left" in call(client, *second)
        assert client.post("/mcp/%0A", json={}, headers=headers).status_code == 404
    player.close()


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
