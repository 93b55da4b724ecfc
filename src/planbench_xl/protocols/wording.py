"""What the protocols have in common: putting observations into words by the templates of a prompt pack."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from textwrap import indent
from typing import Any

import msgspec

from planbench_xl.environment import Event, Observation, ToolView
from planbench_xl.protocols.prompts import Prompts


class Wording(ABC):
    """Words observations.

    Attributes:
        prompts: The prompt pack.
        free_text: Tools can be searched for by a text of one's own.
    """

    def __init__(self, prompts: Prompts, free_text: bool = False) -> None:
        self.prompts = prompts
        self.free_text = free_text
        self._texts: dict[str, tuple[ToolView, str]] = {}

    @abstractmethod
    def shown(self, tool: ToolView) -> dict[str, Any]:
        """Return what a list of tools shows of one."""

    def called(self, name: str) -> str:
        """Return the name by which the model calls a tool."""
        return name

    def message(self, observation: Observation) -> str:
        """Return the text for an observation."""
        text = self.prompts.fill(observation.event, **self._values(observation))
        if observation.event is Event.QUERY:
            listed = self.listed(observation)
            if listed:
                text += "\n\n" + self.prompts.fill("inventory", result=self.listing({}, listed))
        return text

    def system(self, name: str, call_format: str) -> str:
        """Return a system prompt."""
        values = {"call_format": call_format}
        if name == "system":
            values["free_text"] = f"\n\n{self.prompts.fill('free_text')}" if self.free_text else ""
        return self.prompts.fill(name, **values)

    def listed(self, observation: Observation) -> Sequence[ToolView]:
        """Return the tools that the message for a query lists: those of a setting that shows all at once."""
        return observation.tools

    def listing(self, head: dict[str, Any], tools: Sequence[ToolView]) -> str:
        """Return a list of tools as indented JSON; its slow part, the tools, is put together from pieces."""
        text = dump({**head, "tool_count": len(tools)})[: -len("\n}")]
        if not tools:
            return f'{text},\n  "tools": []\n}}'
        known = self._texts
        pieces = []
        for tool in tools:
            entry = known.get(tool.name)
            if entry is None or entry[0] is not tool:
                entry = known[tool.name] = (tool, indent(dump(self.shown(tool)), "    "))
            pieces.append(entry[1])
        joined = ",\n".join(pieces)
        return f'{text},\n  "tools": [\n{joined}\n  ]\n}}'

    def _values(self, observation: Observation) -> dict[str, str]:
        values = {"turn": str(observation.turn), "turns_left": str(observation.turns_left)}
        match observation.event:
            case Event.QUERY:
                values |= {"query": observation.query, "overview": observation.overview}
            case Event.TOOLS:
                head: dict[str, Any] = {"request": observation.request}
                if observation.note is not None:
                    head["note"] = self.prompts.fill(observation.note)
                values["result"] = self.listing(head, observation.tools)
            case Event.RESULT:
                values |= {"tool": self.called(observation.tool), "value": dump(observation.value)}
            case Event.ERROR_RETRIEVAL_SEMANTIC:
                values["free_text"] = self.prompts.fill("error_free_text") if self.free_text else ""
            case _:
                named = ", ".join(f"`{name}`" for name in observation.arguments)
                values |= {"tool": _inline(self.called(observation.tool)), "arguments": named}
        return values


def dump(value: Any) -> str:
    """Return a value as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _inline(name: str) -> str:
    """Return a name that an agent made up as it can stand in a line of text."""
    return " ".join(name.split())[:200]
