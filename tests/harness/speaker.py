"""Speaks the oracle's choices as a model would write them: as tagged text, or as calls of the functions on offer."""

from __future__ import annotations

import json
import re
from typing import Any

from planbench_xl.agents import make_agent
from planbench_xl.environment import Action, Environment, Setting
from planbench_xl.environment.tags import render
from planbench_xl.world import World

Body = dict[str, Any]


class Speaker:
    """Knows, for each query of a world in a setting, what the oracle does turn by turn."""

    def __init__(self, world: World, setting: Setting | None = None) -> None:
        environment = Environment(world, setting)
        oracle = make_agent("oracle", environment)
        self.actions: dict[str, list[Action]] = {}
        for query in world.queries:
            observation = environment.reset(query.query_id)
            oracle.reset(0)
            taken = self.actions[query.text] = []
            while not observation.done:
                action = oracle.act(observation)
                assert isinstance(action, Action)
                taken.append(action)
                observation = environment.step(action)
        self._known: dict[str, str] = {}
        self._longest_first = sorted(self.actions, key=len, reverse=True)

    def query(self, body: Body) -> str:
        """Return the query that a conversation is about."""
        return self._query(next(m["content"] for m in body["messages"] if m["role"] == "user"))

    def _query(self, opening: str) -> str:
        known = self._known.get(opening)
        if known is None:
            known = self._known[opening] = next(text for text in self._longest_first if text in opening)
        return known

    def say(self, opening: str, turn: int) -> str:
        """Return the tagged text of a turn of the conversation that a message opens."""
        return render(self.actions[self._query(opening)][turn])

    def turn(self, body: Body) -> int:
        """Return how many turns a conversation has had."""
        if body.get("tools"):
            return sum(m["role"] == "tool" for m in body["messages"])
        return sum(m["role"] == "assistant" for m in body["messages"])

    def message(self, body: Body) -> Body:
        """Return the oracle's next message."""
        action = self.actions[self.query(body)][self.turn(body)]
        if not body.get("tools"):
            return {"role": "assistant", "content": render(action)}
        return {"role": "assistant", "content": None, "tool_calls": [function_call(action, body, self.turn(body))]}


def function_call(action: Action, body: Body, number: int) -> Body:
    """Return an action as the call of a function on offer."""
    name, arguments = _call(action, [tool["function"]["name"] for tool in body["tools"]])
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def _call(action: Action, offered: list[str]) -> tuple[str, Any]:
    if action.kind == "answer":
        return "final_answer", {"answer": action.body}
    assert not isinstance(action.body, str)
    if action.kind == "retrieve":
        return "retrieve_tools", action.body
    tool = str(action.body["name"])
    stem = re.sub(r"[^a-zA-Z0-9_-]+", "_", tool)[:55]
    for name in (tool, *(name for name in offered if re.fullmatch(re.escape(stem) + "_[0-9a-f]{8}", name))):
        if name in offered:
            return name, action.body["arguments"]
    return "call_tool", action.body
