"""Nothing that a client can list, read or provoke tells what an agent must not know."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")

from mcp import Client  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402

from planbench_xl.environment import Action, Environment  # noqa: E402
from planbench_xl.integrations.mcp.desk import open_desk  # noqa: E402
from planbench_xl.integrations.mcp.server import Player, SessionServer  # noqa: E402
from planbench_xl.runs.presets import load_setting  # noqa: E402
from planbench_xl.runs.request import Request  # noqa: E402
from planbench_xl.world import Role, World  # noqa: E402
from tests.integrations.mcp.calls import calls_of  # noqa: E402

QUERY = "library_query_01"
SETTING = "one-path"

PROVOCATIONS: list[tuple[str, dict[str, Any]]] = [
    ("call_tool", {}),
    ("call_tool", {"name": "", "arguments": {}}),
    ("call_tool", {"name": "get_everything", "arguments": {"gold": True}}),
    ("call_tool", {"tool_name": "../../world", "arguments": {}}),
    ("retrieve_tools", {}),
    ("retrieve_tools", {"meta_tool": "all_tools", "role": "any"}),
    ("retrieve_tools", {"meta_tool": "by_inputs", "input_information": ["nothing of the sort", 3]}),
    ("final_answer", {"answer": ["?"]}),
    ("final_answer", {"answer": ""}),
    ("state", {}),
    ("__dict__", {}),
]


def everything(out: Path, provocations: list[tuple[str, dict[str, Any]]], *, dynamic: bool) -> list[str]:
    """Return all that a server says, as JSON: what can be listed and read, then the answer to each provocation."""
    request = Request(world="mini", agent="mcp", out=str(out), epochs=len(provocations))
    player = Player(open_desk(request, SETTING, dynamic=dynamic))
    said: list[str] = []

    async def ask(number: int, call: tuple[str, dict[str, Any]]) -> None:
        server = SessionServer(await player.open(f"{QUERY}:{number}"), player)
        async with Client(server, mode="legacy") as client:
            read = [client.list_tools(), client.list_prompts(), client.call_tool(*call)]
            read += [client.get_prompt(name) for name in ("query", "transcript")]
            heads = [client.instructions, client.server_info, client.server_capabilities]
            said.append("\n".join(map(str, [*heads, *[(await result).model_dump_json() for result in read]])))
            for refused in (client.get_prompt("plan"), client.list_resources(), client.read_resource("world://x")):
                with pytest.raises(MCPError) as caught:
                    await refused
                said[-1] += str(caught.value)

    async def ask_all() -> None:
        for number, call in enumerate(provocations):
            await ask(number, call)

    try:
        asyncio.run(ask_all())
    finally:
        player.close()
    return said


@pytest.mark.parametrize("dynamic", [False, True])
def test_nothing_is_told(mini: World, tmp_path: Path, dynamic: bool) -> None:
    said = "\n".join(everything(tmp_path, PROVOCATIONS, dynamic=dynamic))
    query = mini.query[QUERY]
    assert query.text in said
    secrets = {query.query_id, query.task_id, mini.fingerprint, SETTING, "blocked", *Role}
    secrets |= {*mini.task[query.task_id].targets, *(str(value) for value in query.answers.values())}
    secrets |= set(mini.tool)
    secrets |= {tool.kind.value for tool in mini.tools if tool.kind is not None}
    for secret in secrets:
        assert not re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", said), secret


def test_tools_that_were_not_found_look_like_tools_that_are_not_there(mini: World, tmp_path: Path) -> None:
    names = [next(tool.name for tool in mini.tools if tool.role is role) for role in Role]
    names += ["no_such_tool"]
    calls = [("call_tool", {"name": name, "arguments": {"a": 1}}) for name in names]
    answers = everything(tmp_path, calls, dynamic=False)
    assert len({answer.replace(name, "NAME") for answer, name in zip(answers, names, strict=True)}) == 1


def test_what_is_found_shows_names_texts_and_parameters_only(mini: World, tmp_path: Path) -> None:
    call = calls_of(mini, QUERY, setting=load_setting(SETTING))[0]
    (said,) = everything(tmp_path, [call], dynamic=True)
    environment = Environment(mini, load_setting(SETTING))
    environment.reset(QUERY)
    plan = environment.plan
    assert plan is not None and plan.blocked
    found = environment.step(Action("retrieve", call[1]))
    shown = {tool.name for tool in found.tools}
    assert {name for name in mini.tool if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)} == shown
