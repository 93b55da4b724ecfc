"""Guesses from a schema how the values of a field are made."""

from __future__ import annotations

import re

import msgspec

from planbench_xl.construct.catalogues.model import Slot
from planbench_xl.construct.catalogues.unify import Merged
from planbench_xl.construct.catalogues.words import material

MOST_OPTIONS = 12
MANY = 20_000
"""A range of so many numbers has a value of its own for each record."""

YEAR = "2026-01-05 .. 2026-11-27"

_FORMATS = {
    "date-time": f"time: {YEAR}",
    "uuid": "{X8}-{X4}-{X6}",
    "uri": "https://files.example/{X8}",
    "url": "https://files.example/{X8}",
    "ipv4": "10.{d2}.1{d2}.1{d2}",
    "byte": "{X12}",
    "time": "{d2}:{d2}",
}
_SMALL = {
    "year": (1980, 2025),
    "month": (1, 12),
    "day": (1, 28),
    "hour": (0, 23),
    "minute": (0, 59),
    "age": (18, 90),
    "percent": (1, 100),
    "percentage": (1, 100),
    "rating": (1, 5),
    "score": (1, 100),
}
_COUNTS = material().lexicon.counts
_TIMES = material().lexicon.times
_LATER = material().lexicon.later
_RUN = re.compile(r"[A-Za-z0-9]+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Made(msgspec.Struct, frozen=True):
    """How values are made.

    Attributes:
        make: The line of the domain file.
        many: Each record can have a value of its own.
        finds: People look things up by it.
        later: A moment that comes after the first one of its entity.
        doubt: What a person should check, or empty.
    """

    make: str
    many: bool = False
    finds: bool = False
    later: bool = False
    doubt: str = ""


def identifier(slot: Slot, label: str, entity: str) -> Made:
    """Say how the values are made that identify an entity."""
    if slot.kind in ("integer", "number"):
        return Made("integer: 100000 .. 999999", many=True)
    if slot.format == "uuid":
        return Made(_FORMATS["uuid"], many=True)
    made = _like(slot.example) or _by_words(label)
    if made is not None and made.many:
        return made
    letters = "".join(word[0] for word in entity.split()) if " " in entity else entity[:3]
    return Made(f"{letters.upper()}-{{d6}}", many=True)


def value(merged: Merged) -> Made:
    """Say how the values of a field are made."""
    slot = merged.slot
    options = _options(slot.enum)
    if len(options) > 1:
        return Made(f"pick: {' | '.join(options)}")
    if slot.kind == "boolean":
        return Made("pick: yes | no")
    if slot.kind in ("integer", "number"):
        return _number(merged)
    return _string(merged)


def _options(enum: tuple[str, ...]) -> tuple[str, ...]:
    """Return what can stand in a list of options, where a stroke and a slash have a meaning."""
    kept = (" ".join(text.replace("|", " ").replace("/", " ").split()) for text in enum)
    return tuple(dict.fromkeys(text for text in kept if text))[:MOST_OPTIONS]


def _number(merged: Merged) -> Made:
    slot, last = merged.slot, merged.label.split()[-1]
    if slot.low is not None and slot.high is not None and slot.high - slot.low >= 1:
        low, high = int(slot.low), int(slot.high)
        if slot.kind == "integer" or high - low < 100:
            return Made(f"integer: {low} .. {high}", many=high - low >= MANY)
        return Made(f"money: {low}.01 .. {high}.00", many=True)
    doubt = "the catalogue gives no range"
    if last in _SMALL:
        low, high = _SMALL[last]
        return Made(f"integer: {low} .. {high}", doubt=doubt)
    if slot.kind == "number":
        return Made("money: 110.00 .. 980.00", many=True, doubt=doubt)
    if _is_time(merged.label):
        return Made("integer: 1767600000 .. 1795700000", many=True, doubt="taken for seconds since 1970")
    if last in _COUNTS or last.endswith("s") or merged.label.startswith("number of "):
        return Made("integer: 1 .. 40", doubt=doubt)
    return Made("integer: 10000 .. 99999", many=True, doubt=doubt)


def _string(merged: Merged) -> Made:
    slot, label = merged.slot, merged.label
    later = bool(_LATER & set(label.split()))
    if slot.format == "date" or (label.split()[-1] in ("date", "day") and slot.format != "date-time"):
        born = "birth" in label or "born" in label
        return Made("date: 1950-01-01 .. 2007-12-31" if born else f"date: {YEAR}")
    if slot.format == "date-time" or _DAY.match(slot.example) or (_is_time(label) and slot.format in ("", "time")):
        return Made(_FORMATS["date-time"], many=True, later=later)
    guessed = _by_words("email" if slot.format == "email" else label)
    if guessed is not None:
        return guessed
    if slot.format in _FORMATS:
        return Made(_FORMATS[slot.format], many=slot.format != "time")
    made = _like(slot.example)
    return made or Made("{X3}-{d5}", many=True, doubt="nothing tells what its values look like")


def _is_time(label: str) -> bool:
    return label.split()[-1] in _TIMES


def _by_words(label: str) -> Made | None:
    parts = label.split()
    endings = {" ".join(parts[-size:]) for size in range(1, len(parts) + 1)}
    best: Made | None = None
    longest = 0
    for guess in material().value:
        for word in endings & set(guess.words):
            if len(word) > longest:
                longest = len(word)
                best = Made(guess.make, many=guess.many, finds=guess.finds and word == label)
    return best


def _like(example: str) -> Made | None:
    """Return a pattern of the same form as an example: `BK-20391` gives `BK-{d5}`; None if it varies too little."""
    if not 5 <= len(example) <= 40 or _DAY.match(example) or any(char in example for char in "{}:"):
        return None
    drawn = 0

    def draw(match: re.Match[str]) -> str:
        nonlocal drawn
        run = match[0]
        if run.isalpha():
            return run
        drawn += len(run)
        return f"{{{'d' if run.isdigit() else 'X'}{min(len(run), 12)}}}"

    pattern = _RUN.sub(draw, example)
    return Made(pattern, many=True) if drawn > 4 else None
