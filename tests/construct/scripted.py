"""A completer that does as a test says, and a writer and a filter in its place that say nothing wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from planbench_xl.construct.completion import Arrived, Prompt

Reply = Callable[[Prompt], str]

ALL_HOLD = {name: {"holds": True, "reason": "so"} for name in ("needs_backend", "plausible", "gains_information")}


class Scripted:
    """Replies with a function, and remembers what it was asked."""

    model = "scripted/model"

    def __init__(self, reply: Reply) -> None:
        self.asked: list[Prompt] = []
        self._reply = reply

    def complete(self, prompts: Sequence[Prompt], arrived: Arrived) -> None:
        for prompt in prompts:
            self.asked.append(prompt)
            arrived(prompt, self._reply(prompt))


def question(prompt: Prompt) -> dict[str, Any]:
    return json.loads(prompt.user)


def answer(item: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """Answer an item of any kind so that no rule is broken."""
    facts = item["facts"]
    if "register" in facts:
        return {"id": item["id"], **ALL_HOLD}
    if "write" not in facts:
        return {"id": item["id"], "text": f"Hello there! {facts['draft']}"}
    if facts["write"] == "message":
        return {"id": item["id"], "text": f"fault: {facts['draft']}", "returns": ""}
    returns = facts.get("returns", about.get("returns"))
    phrases = [phrase for phrase in returns if phrase.casefold() in facts["draft"].casefold()]
    return {"id": item["id"], "text": f"In short: {facts['draft']}", "returns": max(phrases, key=len)}


def good(prompt: Prompt) -> str:
    return json.dumps({"items": answers(prompt)})


def answers(prompt: Prompt) -> list[dict[str, Any]]:
    asked = question(prompt)
    return [answer(item, asked["about"]) for item in asked["items"]]
