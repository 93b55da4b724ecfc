"""Protocols: how actions and observations are put into words, for models that read and write them."""

from __future__ import annotations

from planbench_xl.protocols.chat import ChatProtocol, FunctionCall, FunctionSpec, Message, Reply, Step
from planbench_xl.protocols.estimate import estimate_tokens
from planbench_xl.protocols.native import NATIVE_PROTOCOL, NativeProtocol
from planbench_xl.protocols.prompts import Prompts, load_prompts
from planbench_xl.protocols.registry import ProtocolKind, make_protocol, parse_raw, protocol_for
from planbench_xl.protocols.text import TEXT_PROTOCOL, TextProtocol

__all__ = [
    "NATIVE_PROTOCOL",
    "TEXT_PROTOCOL",
    "ChatProtocol",
    "FunctionCall",
    "FunctionSpec",
    "Message",
    "NativeProtocol",
    "Prompts",
    "ProtocolKind",
    "Reply",
    "Step",
    "TextProtocol",
    "estimate_tokens",
    "load_prompts",
    "make_protocol",
    "parse_raw",
    "protocol_for",
]
