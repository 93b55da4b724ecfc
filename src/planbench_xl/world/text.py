"""The text form of values, by which they are compared everywhere (reference protocol, section 4)."""

from __future__ import annotations

import json

from planbench_xl.world.model import Value


def text_form(value: Value) -> str:
    """Return `str(value)`, or JSON with sorted keys for objects and arrays."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    return str(value)
