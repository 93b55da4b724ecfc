"""Another client library, fastmcp, plays over both transports. It is in no extra: `.ci/slow` installs it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")
fastmcp = pytest.importorskip("fastmcp")

from fastmcp.client.transports import StdioTransport  # noqa: E402
from fastmcp.exceptions import ToolError  # noqa: E402

from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.world import World  # noqa: E402
from tests.integrations.mcp.calls import SERVE, calls_of, http_server, tools_named_in  # noqa: E402

QUERY = "library_query_03"
TOKEN = "a token of this test"

pytestmark = pytest.mark.slow


def test_over_http_with_a_token(mini: World, tmp_path: Path) -> None:
    calls = calls_of(mini, QUERY)

    async def take(client: Any, chosen: list[tuple[str, dict[str, Any]]]) -> None:
        async with client:
            prompt = await client.get_prompt("query")
            assert mini.query[QUERY].text in prompt.messages[0].content.text
            assert {tool.name for tool in await client.list_tools()} == {"retrieve_tools", "call_tool", "final_answer"}
            for call in chosen:
                await client.call_tool(*call)

    async def refused(client: Any) -> None:
        async with client:
            pass

    with http_server(tmp_path, token=TOKEN) as (address, _):
        with pytest.raises(Exception, match="bearer token"):
            asyncio.run(refused(fastmcp.Client(address + QUERY)))
        for part in (calls[:2], calls[2:]):  # The second connection goes on where the first one left.
            asyncio.run(take(fastmcp.Client(address + QUERY, auth=TOKEN), part))
    (episode,) = read_episodes(tmp_path)
    assert (episode.query_id, episode.status, len(episode.turns)) == (QUERY, "success", len(calls))


def test_over_stdio_with_tools_that_appear(mini: World, tmp_path: Path) -> None:
    arguments = [*SERVE[1:], "--world", "mini", "--out", str(tmp_path), "--session", QUERY, "--dynamic"]
    calls = calls_of(mini, QUERY, dynamic=True)

    async def play() -> None:
        async with fastmcp.Client(StdioTransport(SERVE[0], arguments)) as client:
            assert {tool.name for tool in await client.list_tools()} == {"retrieve_tools", "final_answer"}
            found = tools_named_in((await client.call_tool(*calls[0])).content[0].text)
            assert found
            assert {tool.name for tool in await client.list_tools()} == {"retrieve_tools", "final_answer"} | found
            with pytest.raises(ToolError):
                await client.call_tool("no_such_tool", {})
            for call in calls[1:]:
                await client.call_tool(*call)

    asyncio.run(play())
    (episode,) = read_episodes(tmp_path)
    assert (episode.query_id, episode.status, len(episode.turns)) == (QUERY, "success", len(calls) + 1)
