"""Makes protocols, and finds the one that an episode was played under."""

from __future__ import annotations

from typing import Literal

from planbench_xl.environment import Action, Setting, tags
from planbench_xl.errors import UsageError
from planbench_xl.protocols.native import MAX_FUNCTIONS, Mode, NativeProtocol, parse_native
from planbench_xl.protocols.prompts import Prompts
from planbench_xl.protocols.text import TextProtocol

ProtocolKind = Literal["text", "native"]

_TAGGED = ("text", "reference", "release")
"""What the names of protocols begin with whose replies are tagged text: ours, recorded behaviour, the release's own."""


def make_protocol(
    kind: ProtocolKind,
    prompts: Prompts | None = None,
    setting: Setting | None = None,
    *,
    mode: Mode = "auto",
    max_functions: int = MAX_FUNCTIONS,
) -> TextProtocol | NativeProtocol:
    """Make a protocol for a setting.

    Args:
        kind: `text` (tagged text) or `native` (function calls).
        prompts: A prompt pack of that kind; the packaged one by default.
        setting: The setting that is played; the default one if none is given.
        mode: Native only: how tools are called; see `NativeProtocol`.
        max_functions: Native only: largest number of functions on offer at a time, in mode `auto`.
    """
    setting = setting or Setting()
    ids, every, free = setting.tool_ids, setting.all_tools, setting.retrieval.free_text
    if kind == "text":
        return TextProtocol(prompts, tool_ids=ids, all_tools=every, free_text=free)
    return NativeProtocol(
        prompts, tool_ids=ids, all_tools=every, free_text=free, mode=mode, max_functions=max_functions
    )


def protocol_for(name: str) -> ProtocolKind:
    """Return the kind of the protocol that an episode names, as in `text/1` or `native/1:call_tool+0a1b2c`.

    Raises:
        UsageError: This version of the package doesn't know it.
    """
    kind = name.partition("/")[0]
    if kind in _TAGGED:
        return "text"
    if kind == "native":
        return "native"
    raise UsageError(f"There is no protocol '{name}'. Known: text, native. Read it with a later planbench-xl.")


def parse_raw(protocol: str, raw: str) -> Action:
    """Return the action that a turn's recorded `raw` text stands for.

    Args:
        protocol: Name of the protocol, as the episode has it.
        raw: The turn's `raw`.

    Raises:
        UsageError: There is no such protocol.
    """
    return tags.parse(raw) if protocol_for(protocol) == "text" else parse_native(raw)
