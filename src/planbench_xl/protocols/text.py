"""The text-tag protocol: model text → action, observation → message (reference protocol, section 2)."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import msgspec

from planbench_xl.environment import Action, Event, Observation, ToolView
from planbench_xl.environment.tags import parse, render
from planbench_xl.protocols.prompts import Prompts, load_prompts

TEXT_PROTOCOL = "text/1"
"""Name and version of the protocol; the version grows when a change of its wording or rules can move scores."""


class Message(msgspec.Struct, frozen=True):
    """A chat message."""

    role: str
    content: str


class TextProtocol:
    """Words observations for a model and reads its replies.

    Args:
        prompts: The prompt pack; the packaged one by default.
        tool_ids: Tools are called by the handles that retrieval hands out.
    """

    name = TEXT_PROTOCOL

    def __init__(self, prompts: Prompts | None = None, *, tool_ids: bool = False) -> None:
        self.prompts = prompts or load_prompts()
        self.tool_ids = tool_ids
        self._tools: dict[str, tuple[ToolView, str]] = {}

    def parse(self, text: str) -> Action:
        """Return the action that a reply holds."""
        return parse(text)

    def render(self, action: Action) -> str:
        """Return the reply that stands for an action."""
        return render(action)

    def opening(self, observation: Observation) -> list[Message]:
        """Return the messages that open a conversation: the system prompt and the query."""
        call_format = self.prompts.fill("call_format_ids" if self.tool_ids else "call_format")
        system = self.prompts.fill("system", call_format=call_format)
        return [Message("system", system), Message("user", self.message(observation))]

    def message(self, observation: Observation) -> str:
        """Return the user message for an observation."""
        return self.prompts.fill(observation.event, **self._values(observation))

    def _values(self, observation: Observation) -> dict[str, str]:
        values = {"turn": str(observation.turn), "turns_left": str(observation.turns_left)}
        match observation.event:
            case Event.QUERY:
                values |= {"query": observation.query, "overview": observation.overview}
            case Event.TOOLS:
                values["result"] = self._result(observation)
            case Event.RESULT:
                values |= {"tool": observation.tool, "value": _dump(observation.value)}
            case _:
                named = ", ".join(f"`{name}`" for name in observation.arguments)
                values |= {"tool": _inline(observation.tool), "arguments": named}
        return values

    def _result(self, observation: Observation) -> str:
        """Return a retrieval's result as indented JSON; its slow part, the tools, is put together from pieces."""
        head: dict[str, Any] = {"request": observation.request}
        if observation.note is not None:
            head["note"] = self.prompts.fill(observation.note)
        head["tool_count"] = len(observation.tools)
        text = _dump(head)[: -len("\n}")]
        if not observation.tools:
            return f'{text},\n  "tools": []\n}}'
        known = self._tools
        pieces = []
        for tool in observation.tools:
            entry = known.get(tool.name)
            if entry is None or entry[0] is not tool:
                entry = known[tool.name] = (tool, _tool_text(tool))
            pieces.append(entry[1])
        tools = ",\n".join(pieces)
        return f'{text},\n  "tools": [\n{tools}\n  ]\n}}'


def _tool_text(tool: ToolView) -> str:
    shown: dict[str, Any] = {"type": "function"}
    if tool.tool_id is not None:
        shown["tool_id"] = tool.tool_id
    shown |= {
        "name": tool.name,
        "description": tool.description,
        "strict": True,
        "parameters": tool.parameters,
    }
    return indent(_dump(shown), "    ")


def _dump(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _inline(name: str) -> str:
    """Return a name that an agent made up as it can stand in a line of text."""
    return " ".join(name.split())[:200]
