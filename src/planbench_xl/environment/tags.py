"""Reads and writes actions as tagged text (reference protocol, section 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from planbench_xl.environment.actions import Action
from planbench_xl.episodes.record import ActionKind

TAGS: Mapping[str, ActionKind] = {"retrieve_tools": "retrieve", "tool_call": "call", "final_answer": "answer"}
"""Tag of each kind of action."""

_TAG_OF = {kind: tag for tag, kind in TAGS.items()}
_MARK = re.compile(rf"<(/?)({'|'.join(TAGS)})>", re.IGNORECASE | re.ASCII)


def parse(text: str) -> Action:
    """Return the one action that a response holds, or an invalid one if it holds none or several.

    A block runs from a tag to its next end tag. The three tags are looked for independently, so a block within
    another counts too. Takes time linear in the length of the text, whatever it holds.
    """
    opened: dict[str, int] = {}
    block: tuple[str, int, int] | None = None
    for mark in _MARK.finditer(text):
        tag = mark[2].lower()
        if not mark[1]:
            opened.setdefault(tag, mark.end())
        elif tag in opened:
            if block is not None:
                return Action("invalid", raw=text)
            block = (tag, opened.pop(tag), mark.start())
    if block is None:
        return Action("invalid", raw=text)
    tag, start, end = block
    return Action(TAGS[tag], text[start:end].strip(), text)


def render(action: Action) -> str:
    """Return the tagged text of an action: its own response, or the shortest text that parses to it."""
    if action.raw or action.kind == "invalid":
        return action.raw
    tag = _TAG_OF[action.kind]
    body = action.body if isinstance(action.body, str) else msgspec.json.encode(action.body).decode()
    return f"<{tag}>{body}</{tag}>"
