"""Compares plain data field by field, and says where it differs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

TOLERANCE = 1e-12
"""Largest difference of two floating-point numbers that count as equal, absolute and relative."""

SHOWN = 160
"""Longest text of a value in a message."""


class Absent:
    """Stands for a field that isn't there."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


class Difference(msgspec.Struct, frozen=True):
    """One difference from recorded behaviour.

    Attributes:
        file: The recorded file.
        place: Where in it: query and step, task, phrase; empty for the file itself.
        field: The field, as a dotted path.
        expected: What was recorded, shortened, as JSON (`absent` if nothing was).
        got: What this package does, likewise.
    """

    file: str
    place: str
    field: str
    expected: str
    got: str

    def __str__(self) -> str:
        parts = [part for part in (self.file, self.place, self.field) if part]
        return f"{', '.join(parts)}: expected {self.expected}, got {self.got}"


class Place(msgspec.Struct, frozen=True):
    """Where one is in a recorded file."""

    file: str
    within: str = ""

    def inside(self, part: str) -> Place:
        """Return a place within this one."""
        return Place(self.file, f"{self.within}, {part}" if self.within else part)

    def compare(self, expected: Any, got: Any, field: str = "") -> Iterator[Difference]:
        """Yield every difference between two plain values.

        Keys that only one side has are differences too, so that nothing recorded is passed over. Types must agree:
        1, 1.0 and true are three values. The order of keys doesn't count, that of lists does.
        """
        if isinstance(expected, Mapping) and isinstance(got, Mapping):
            for key in dict.fromkeys([*expected, *got]):
                name = f"{field}.{key}" if field else str(key)
                yield from self.compare(expected.get(key, ABSENT), got.get(key, ABSENT), name)
        elif isinstance(expected, list) and isinstance(got, list):
            if len(expected) != len(got):
                yield self.difference(f"{field}.length" if field else "length", len(expected), len(got))
            for i, (one, other) in enumerate(zip(expected, got, strict=False)):
                yield from self.compare(one, other, f"{field}[{i}]")
        elif not _equal(expected, got):
            yield self.difference(field, expected, got)

    def difference(self, field: str, expected: Any, got: Any) -> Difference:
        """Return one difference at this place."""
        return Difference(self.file, self.within, field, _shown(expected), _shown(got))


def _equal(expected: Any, got: Any) -> bool:
    if type(expected) is not type(got):
        return False
    if isinstance(expected, float):
        return math.isclose(expected, got, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(expected == got)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, Absent) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
