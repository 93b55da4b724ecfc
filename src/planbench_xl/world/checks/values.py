"""Do values fit their datatype, and are two of them the same?"""

from __future__ import annotations

from datetime import datetime

from planbench_xl.world.model import Value, ValueType
from planbench_xl.world.text import text_form


def fits(value: Value, value_type: ValueType) -> bool:
    """Say whether a value is of a type; null fits every type."""
    if value is None:
        return True
    match value_type:
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "timestamp":
            return isinstance(value, str) and _is_timestamp(value)


def _is_timestamp(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def same(one: Value, other: Value, value_type: ValueType | None) -> bool:
    """Say whether two values are the same: numbers by value, whether written as text or not; else by text form."""
    if text_form(one) == text_form(other):
        return True
    if value_type != "number" or isinstance(one, bool) or isinstance(other, bool):
        return False
    try:
        return float(text_form(one)) == float(text_form(other))
    except ValueError:
        return False
