"""Estimates how much of a model's context a conversation takes. No tokenizer: it is for telling what can't fit."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from planbench_xl.protocols.chat import FunctionSpec, Message

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text and JSON. It is off by a quarter or more, either way, with some tokenizers."""


def estimate_tokens(messages: Iterable[Message], functions: Iterable[FunctionSpec] = ()) -> int:
    """Return an estimate of the number of tokens that messages and functions take, rounded up."""
    characters = sum(len(message.content) for message in messages)
    characters += sum(len(msgspec.json.encode(function)) for function in functions)
    return -(-characters // CHARACTERS_PER_TOKEN)
