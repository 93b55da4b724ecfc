"""Counts in words."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless there is exactly one: `1 query`, `2 queries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"
