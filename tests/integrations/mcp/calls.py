"""Calls to play with, and servers to play at."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planbench_xl.agents import make_agent
from planbench_xl.environment import Action, Environment, Setting
from planbench_xl.episodes.record import Episode
from planbench_xl.protocols import NativeProtocol
from planbench_xl.runs.rollout import rollout
from planbench_xl.world import World

Call = tuple[str, dict[str, Any]]
SERVE = [sys.executable, "-m", "planbench_xl", "serve", "mcp"]


class Noting:
    """An agent that notes what another one does."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.actions: list[Action] = []

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act(self, observation: Any) -> Action:
        action = self._agent.act(observation)
        assert isinstance(action, Action)
        self.actions.append(action)
        return action


def played(world: World, query_id: str, agent: str = "oracle", setting: Setting | None = None) -> Episode:
    """Return the episode of a scripted agent, played without MCP."""
    return _play(world, query_id, agent, setting)[0]


def calls_of(
    world: World, query_id: str, agent: str = "oracle", setting: Setting | None = None, *, dynamic: bool = False
) -> list[Call]:
    """Return the calls that a scripted agent would make."""
    return [_call(action, dynamic) for action in _play(world, query_id, agent, setting)[1]]


def _play(world: World, query_id: str, agent: str, setting: Setting | None) -> tuple[Episode, list[Action]]:
    environment = Environment(world, setting)
    noting = Noting(make_agent(agent, environment))
    return rollout(environment, noting, query_id, protocol=NativeProtocol()), noting.actions


def _call(action: Action, dynamic: bool) -> Call:
    body: Any = action.body
    if action.kind == "retrieve":
        return "retrieve_tools", dict(body)
    if action.kind == "answer":
        return "final_answer", {"answer": body}
    return (body["name"], body["arguments"]) if dynamic else ("call_tool", dict(body))


def result_text(result: Any) -> str:
    """Return the text of a tool's result."""
    (content,) = result.content
    return str(content.text)


@contextmanager
def http_server(out: Path, *options: str, token: str = "") -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run a server over HTTP; yield the address of its sessions, and its process."""
    command = [*SERVE, "--world", "mini", "--out", str(out), "--transport", "http", "--port", "0", "--json", *options]
    environment = {**os.environ, "PLANBENCH_XL_TOKEN": token}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stdout is not None and server.stderr is not None
        head = ""
        while not head.endswith("}\n"):
            line = server.stdout.readline()
            assert line, server.stderr.read()
            head += line
        yield json.loads(head)["address"], server
    finally:
        server.terminate()
        server.communicate(timeout=20)


def tools_named_in(text: str) -> set[str]:
    """Return the names in a list of tools that a result holds."""
    found = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    return {tool["name"] for tool in json.loads(found[1]).get("tools", ())} if found else set()
