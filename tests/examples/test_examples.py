"""The examples run, with models that follow a script."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from planbench_xl.agents import make_agent
from planbench_xl.environment import Action, Environment, Observation
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.metrics import score_run
from planbench_xl.protocols import FunctionCall, FunctionSpec, Message, Reply, parse_raw
from planbench_xl.runs.run import run
from planbench_xl.world import World
from tests.conftest import REPOSITORY

EXAMPLES = REPOSITORY / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Watched(Environment):
    """An environment whose last observation a scripted model can see."""

    def reset(self, query_id: str) -> Observation:
        self.last = super().reset(query_id)
        return self.last

    def step(self, action: Action | str) -> Observation:
        self.last = super().step(action)
        return self.last


class Script:
    """A model that does what the oracle does, by function calls; it thinks aloud first, without one."""

    def __init__(self, environment: Watched) -> None:
        self.environment = environment
        self.oracle = make_agent("oracle", environment)
        self.seen: list[list[str]] = []

    def __call__(self, messages: list[Message | Reply], functions: list[FunctionSpec]) -> Reply:
        self.seen.append([function.name for function in functions])
        if len(self.seen) == 1:
            self.oracle.reset(0)
            return Reply("Let me think.")
        action = self.oracle.act(self.environment.last if len(self.seen) > 2 else self.first())
        assert isinstance(action, Action)
        return Reply("", (as_call(f"call-{len(self.seen)}", action),))

    def first(self) -> Observation:
        return Environment(self.environment.world).reset(self.environment.state.query.query_id)

    async def ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        roles = {message["role"] for message in messages}
        assert roles <= {"system", "user", "assistant", "tool"} and json.dumps(messages) and json.dumps(tools)
        parts = [FunctionSpec(**tool["function"]) for tool in tools]
        reply = self([], parts)
        calls = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in reply.calls]
        return {"role": "assistant", "content": reply.text, "tool_calls": calls}


def as_call(identifier: str, action: Action) -> FunctionCall:
    """Return the function call that stands for an action."""
    if action.kind == "answer":
        return FunctionCall(identifier, "final_answer", json.dumps({"answer": action.body}))
    body = action.body
    assert not isinstance(body, str)
    if action.kind == "retrieve":
        return FunctionCall(identifier, "retrieve_tools", json.dumps(body))
    return FunctionCall(identifier, body["name"], json.dumps(body["arguments"]))


def check(world: World, episode: Episode, script: Script) -> None:
    assert episode.status is Status.SUCCESS and episode.protocol == "native/1"
    assert [parse_raw(episode.protocol, turn.raw).kind for turn in episode.turns] == [t.action for t in episode.turns]
    assert episode.turns[0].action == "invalid" and len(script.seen[-1]) > len(script.seen[0]) == 2
    assert score_run(world, [episode]).metrics["accuracy"].value == 1


def test_the_graph_loop(mini: World) -> None:
    environment = Watched(mini)
    script = Script(environment)
    check(mini, load("graph_loop").play(environment, mini.queries[0].query_id, script), script)


def test_the_runner_loop(mini: World) -> None:
    environment = Watched(mini)
    script = Script(environment)
    check(mini, asyncio.run(load("runner_loop").play(environment, mini.queries[0].query_id, script.ask)), script)


def test_the_agent_of_ones_own(mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    result = run(mini, tmp_path / "run", agent="own_agent:Simple")
    monkeypatch.delitem(sys.modules, "own_agent")
    assert result.progress.errors == 0 and result.progress.played == len(mini.queries)
    assert result.progress.turns > len(mini.queries)


def test_the_page_shows_the_examples_as_they_are() -> None:
    page = (REPOSITORY / "docs" / "your-agent.md").read_text(encoding="utf-8")
    blocks = set(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    for path in (EXAMPLES / f"{name}.py" for name in ("own_agent", "graph_loop", "runner_loop")):
        assert path.read_text(encoding="utf-8") in blocks, path.name
