"""Reads the JSON that an agent wrote. It is hostile text: nothing in it may raise anything but `ReadError`."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from planbench_xl.environment import tags
from planbench_xl.environment.actions import Action
from planbench_xl.world import Value

MAX_DEPTH = 64
"""JSON nested deeper than this is refused."""


class ReadError(ValueError):
    """A body that is no usable JSON."""


def read_json(body: str | Mapping[str, Value]) -> Value:
    """Return the value of a request's body.

    Refused are, beyond what JSON forbids, values that can't be stored and read back everywhere: lone surrogates,
    integers of thousands of digits, nesting deeper than `MAX_DEPTH`.

    Raises:
        ReadError: The body is not usable.
    """
    try:
        value = json.loads(body) if isinstance(body, str) else body
        # Encoding finds what can't be represented; only a body with many brackets can be too deep.
        encoded = msgspec.json.encode(value)
        if value is body:
            value = msgspec.json.decode(encoded)
        if encoded.count(b"[") + encoded.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
            raise ReadError("it is nested too deeply")
    except (ValueError, RecursionError, OverflowError, TypeError) as error:
        raise ReadError(str(error)) from error
    return value


def _depth(value: Value) -> int:
    deepest, pending = 0, [(value, 1)]
    while pending:
        item, depth = pending.pop()
        deepest = max(deepest, depth)
        if isinstance(item, dict):
            pending += [(child, depth + 1) for child in item.values()]
        elif isinstance(item, list):
            pending += [(child, depth + 1) for child in item]
    return deepest


def raw_text(action: Action) -> str:
    """Return the response that an action came from, as it can be stored; empty if it can't be written as JSON."""
    try:
        return storable(tags.render(action))
    except (ValueError, RecursionError, OverflowError, TypeError):
        return ""


def storable(text: str) -> str:
    """Return a text as it can be stored as UTF-8: lone surrogates become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
