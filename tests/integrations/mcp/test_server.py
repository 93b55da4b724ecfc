from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

mcp = pytest.importorskip("mcp")

from mcp import Client  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402
from mcp.shared.subscriptions import ToolsListChanged  # noqa: E402

from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.errors import StoreError  # noqa: E402
from planbench_xl.integrations.mcp.desk import open_desk  # noqa: E402
from planbench_xl.integrations.mcp.server import Player, SessionServer  # noqa: E402
from planbench_xl.runs.request import Request  # noqa: E402
from planbench_xl.world import World  # noqa: E402
from tests.integrations.mcp.calls import calls_of, result_text, tools_named_in  # noqa: E402

QUERY = "library_query_01"
ERAS = ("legacy", "2026-07-28")

Work = Callable[[SessionServer], Awaitable[None]]


def serve(out: Path, work: Work, *, dynamic: bool = False) -> None:
    request = Request(world="mini", agent="mcp", out=str(out))
    player = Player(open_desk(request, "default", dynamic=dynamic))

    async def run() -> None:
        await work(SessionServer(await player.open(QUERY), player))

    try:
        asyncio.run(run())
    finally:
        player.close()


@pytest.mark.parametrize("era", ERAS)
def test_a_client_plays_an_episode(mini: World, tmp_path: Path, era: str) -> None:
    async def work(server: SessionServer) -> None:
        async with Client(server, mode=era) as client:
            if era == "legacy":
                assert client.instructions is not None and mini.query[QUERY].text in client.instructions
                assert client.server_capabilities.tools is not None
                assert not client.server_capabilities.tools.list_changed
            prompt = await client.get_prompt("query")
            assert mini.query[QUERY].text in prompt.messages[0].content.text  # type: ignore[union-attr]
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["retrieve_tools", "final_answer", "call_tool"]
            for name, arguments in calls_of(mini, QUERY):
                result = await client.call_tool(name, arguments)
                assert not result.is_error
            assert "over" in result_text(result)
            again = await client.call_tool("retrieve_tools", {})
            assert again.is_error and "over" in result_text(again)

    serve(tmp_path, work)
    (episode,) = read_episodes(tmp_path)
    assert (episode.query_id, episode.status) == (QUERY, "success")


@pytest.mark.parametrize("era", ERAS)
def test_found_tools_are_announced(mini: World, tmp_path: Path, era: str) -> None:
    notices: list[object] = []

    async def note(message: Any) -> None:
        notices.append(type(message).__name__)

    async def work(server: SessionServer) -> None:
        async with Client(server, mode=era, message_handler=note) as client:
            calls = calls_of(mini, QUERY, dynamic=True)
            if era == "legacy":
                assert client.server_capabilities.tools is not None
                assert client.server_capabilities.tools.list_changed
                found = await client.call_tool(*calls[0])
                assert "ToolListChangedNotification" in notices
            else:
                async with client.listen(tools_list_changed=True) as events:
                    found = await client.call_tool(*calls[0])
                    with anyio.fail_after(5):
                        assert isinstance(await anext(aiter(events)), ToolsListChanged)
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert tools_named_in(result_text(found))
            assert names == {"retrieve_tools", "final_answer"} | tools_named_in(result_text(found))
            for call in calls[1:]:
                assert not (await client.call_tool(*call)).is_error

    serve(tmp_path, work, dynamic=True)
    (episode,) = read_episodes(tmp_path)
    assert (episode.protocol, episode.status) == ("native/1:functions", "success")


def test_two_connections_share_a_session(mini: World, tmp_path: Path) -> None:
    async def work(server: SessionServer) -> None:
        first, second, *_ = calls_of(mini, QUERY)
        async with Client(server) as one, Client(server, mode="legacy") as two:
            await one.call_tool(*first)
            await two.call_tool(*second)
            prompt = await one.get_prompt("transcript")
            texts = [message.content.text for message in prompt.messages]  # type: ignore[union-attr]
            assert len(texts) == 5 and texts[3].startswith(second[0])
            answers = await asyncio.gather(*(client.call_tool("retrieve_tools", {}) for client in (one, two)))
            assert all(answer.is_error for answer in answers)

    serve(tmp_path, work)


def test_faults_of_the_game_are_results_and_faults_of_the_request_are_errors(tmp_path: Path) -> None:
    async def work(server: SessionServer) -> None:
        async with Client(server, mode="legacy") as client:
            unknown = await client.call_tool("get_everything", {})
            assert unknown.is_error and "get_everything" in result_text(unknown)
            with pytest.raises(MCPError, match="no such prompt"):
                await client.get_prompt("solution")
            with pytest.raises(MCPError, match="Method not found"):
                await client.list_resources()

    serve(tmp_path, work)


@pytest.mark.parametrize("era", ERAS)
def test_a_failure_of_ours_tells_nothing_and_takes_no_turn(
    mini: World, tmp_path: Path, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(server: SessionServer) -> None:
        session = server._session
        async with Client(server, mode=era) as client:
            for error in (StoreError("/secret/disk is full"), RuntimeError("secret")):

                def fail(raw: str, error: Exception = error) -> None:
                    raise error

                keep, session._keep = session._keep, fail
                with pytest.raises(MCPError) as caught:
                    await client.call_tool("retrieve_tools", {})
                assert "secret" not in str(caught.value)
                session._keep = keep
            assert session.environment.turns == []
            assert (await client.call_tool("retrieve_tools", {})).is_error
            assert len(session.environment.turns) == 1

    serve(tmp_path, work)
    assert "secret" in caplog.text
