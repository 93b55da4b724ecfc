"""How values are made: a small language, one line per field, drawn from a seeded generator.

    B-{d5}{A2}                      a pattern: digits, capital letters, {X3} either, {street} a word of that list
    pick: card | voucher / cheque   one of several; what follows a slash is never true, only what imitations say
    integer: 1 .. 40                a whole number
    money: 110.00 .. 980.00         an amount; never a whole multiple of 0.10, so that all are written alike
    time: 2026-01-05 .. 2026-05-30  a moment, in UTC, to the minute
    time: paid_at + 2h .. 3d        a moment after another field's (m, h or d)
    time: on ordered_on             a moment on another field's day
    date: 2026-01-05 .. 2026-05-30  a day
    share: 0.10 .. 0.35 of total    a part of another field's amount

Nothing here depends on a library of names: the same recipe has to give the same bytes for years.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Protocol

from planbench_xl.world import Value
from planbench_xl.world.model import ValueType

Words = Mapping[str, tuple[str, ...]]

_TOKEN = re.compile(r"\{(?:(?P<kind>[dAX])(?P<count>\d+)|(?P<words>[a-z_]+))\}")
_RANGE = re.compile(r"\s*(\S+)\s*\.\.\s*(\S+)\s*$")
_AFTER = re.compile(r"\s*(\w+)\s*\+\s*(\d+)([mhd])\s*\.\.\s*(\d+)([mhd])\s*$")
_SHARE = re.compile(r"\s*([\d.]+)\s*\.\.\s*([\d.]+)\s+of\s+(\w+)\s*$")
_MINUTES = {"m": 1, "h": 60, "d": 1440}
_CHARACTERS = {"d": "0123456789", "A": "ABCDEFGHJKLMNPRSTUVWXYZ", "X": "ABCDEFGHJKLMNPRSTUVWXYZ23456789"}


class Maker(Protocol):
    """Makes values of one kind.

    Attributes:
        value_type: The type of its values.
        unique: Whether no two instances share a value, unless the field says otherwise.
        base: The field whose value it starts from, or None.
    """

    @property
    def value_type(self) -> ValueType:
        """The type of its values."""

    @property
    def unique(self) -> bool:
        """Whether values differ by default."""

    @property
    def base(self) -> str | None:
        """The field that it starts from."""

    def draw(self, rng: Random, base: Value) -> Value:
        """Make a value; `base` is that of the field it starts from, else None."""

    def impossible(self, rng: Random) -> Value:
        """Make a value of the right type that can't be true."""


@dataclass(frozen=True)
class Pattern:
    """Text with random parts."""

    text: str
    words: Words
    value_type: ValueType = "string"
    unique: bool = True
    base: str | None = None

    def draw(self, rng: Random, base: Value) -> Value:
        """Fill the pattern."""
        return _TOKEN.sub(lambda match: self._fill(rng, match), self.text)

    def _fill(self, rng: Random, match: re.Match[str]) -> str:
        if match["words"]:
            return rng.choice(self.words[match["words"]])
        return "".join(rng.choice(_CHARACTERS[match["kind"]]) for _ in range(int(match["count"])))

    def impossible(self, rng: Random) -> Value:
        """Fill the random parts with zeros, or leave the value empty."""
        if any(match["kind"] for match in _TOKEN.finditer(self.text)):
            zero = rng.choice("0X")
            return _TOKEN.sub(lambda match: zero * int(match["count"]) if match["kind"] else "Unassigned", self.text)
        return rng.choice(("(unassigned)", "to be entered", "see attachment", "same as above", "not on file"))


@dataclass(frozen=True)
class Pick:
    """One of several texts; the others look like them and are never true."""

    options: tuple[str, ...]
    others: tuple[str, ...] = ()
    value_type: ValueType = "string"
    unique: bool = False
    base: str | None = None

    def draw(self, rng: Random, base: Value) -> Value:
        """Choose one."""
        return rng.choice(self.options)

    def impossible(self, rng: Random) -> Value:
        """Return a text that is none of them."""
        return rng.choice(self.others or ("undefined", "option_0", "code 99", "mixed", "all of the above", "not set"))


@dataclass(frozen=True)
class Number:
    """A whole number, or an amount in hundredths."""

    low: int
    high: int
    cents: bool
    value_type: ValueType = "number"
    base: str | None = None

    @property
    def unique(self) -> bool:
        """Amounts differ, counts need not."""
        return self.cents

    def draw(self, rng: Random, base: Value) -> Value:
        """Draw from the range."""
        return _amount(rng, self.low, self.high) if self.cents else rng.randint(self.low, self.high)

    def impossible(self, rng: Random) -> Value:
        """Return a negative number, or one far too large."""
        number = rng.randint(1, max(2, self.high))
        odd = rng.choice((-number, number * 10_000 + 9))
        return round(odd / 100, 2) if self.cents else odd


@dataclass(frozen=True)
class Share:
    """A part of another amount."""

    low: float
    high: float
    base: str | None
    value_type: ValueType = "number"
    unique: bool = True

    def draw(self, rng: Random, base: Value) -> Value:
        """Draw between two shares of the other amount."""
        whole = round(float(base) * 100)
        return _amount(rng, int(whole * self.low), max(int(whole * self.low) + 1, int(whole * self.high)))

    def impossible(self, rng: Random) -> Value:
        """Return a negative amount, or one far too large."""
        return round(rng.choice((-1, 1_000)) * rng.randint(1_001, 9_999) / 100, 2)


@dataclass(frozen=True)
class Time:
    """A moment in UTC, to the minute: in a range, some time after another one, or on a day."""

    start: datetime | None
    minutes: tuple[int, int]
    base: str | None = None
    value_type: ValueType = "timestamp"
    unique: bool = True

    def draw(self, rng: Random, base: Value) -> Value:
        """Draw a moment."""
        start = self.start or datetime.fromisoformat(str(base).removesuffix("Z"))
        return f"{(start + timedelta(minutes=rng.randint(*self.minutes))).isoformat(timespec='minutes')}:00Z"

    def impossible(self, rng: Random) -> Value:
        """Return a moment long before or after anything that can have happened."""
        year = rng.choice((1900, 1970, 2099, 2150))
        return f"{year}-01-{rng.randint(1, 9):02d}T00:{rng.randint(0, 59):02d}:00Z"


@dataclass(frozen=True)
class Date:
    """A day in a range."""

    start: datetime
    days: int
    base: str | None = None
    value_type: ValueType = "timestamp"
    unique: bool = False

    def draw(self, rng: Random, base: Value) -> Value:
        """Draw a day."""
        return (self.start + timedelta(days=rng.randint(0, self.days))).date().isoformat()

    def impossible(self, rng: Random) -> Value:
        """Return a day long before or after anything that can have happened."""
        return f"{rng.choice((1900, 1970, 2099))}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


def _amount(rng: Random, low: int, high: int) -> float:
    cents = rng.randint(low, high)
    # 12.50 would be written 12.5, which is part of 112.5; two digits after the point keep amounts apart.
    return (cents if cents % 10 else cents + rng.randint(1, 9)) / 100


def parse_maker(text: str, words: Words) -> Maker:
    """Read one line of the language.

    Raises:
        ValueError: It isn't one; the message says what is expected.
    """
    kind, colon, rest = text.partition(":")
    if not colon or kind not in _PARSERS:
        return _pattern(text, words)
    try:
        return _PARSERS[kind](rest)
    except (ValueError, TypeError) as error:
        raise ValueError(f"'{text}' is not a line of the form `{_FORMS[kind]}`") from error


def _pattern(text: str, words: Words) -> Maker:
    for match in _TOKEN.finditer(text):
        if match["words"] and not words.get(match["words"]):
            raise ValueError(f"'{text}' uses the word list '{match['words']}', which `words` doesn't have")
    if not _TOKEN.search(text):
        raise ValueError(f"'{text}' has no random part; write {{d4}}, {{A2}}, {{X3}}, a word list, or `pick: a | b`")
    return Pattern(text, words)


def _pick(rest: str) -> Maker:
    true, _, false = rest.partition("/")
    options, others = (tuple(map(str.strip, part.split("|"))) if part else () for part in (true, false))
    if len(options) < 2 or not all((*options, *others)):
        raise ValueError(rest)
    return Pick(options, others)


def _ends(rest: str) -> tuple[str, str]:
    match = _RANGE.match(rest)
    if not match:
        raise ValueError(rest)
    return match[1], match[2]


def _integer(rest: str) -> Maker:
    low, high = map(int, _ends(rest))
    return Number(low, high, cents=False)


def _money(rest: str) -> Maker:
    low, high = (round(float(end) * 100) for end in _ends(rest))
    return Number(low, high, cents=True)


def _time(rest: str) -> Maker:
    if rest.split()[:1] == ["on"]:
        _, base = rest.split()
        return Time(None, (6 * 60, 22 * 60), base)
    match = _AFTER.match(rest)
    if match:
        low, high = int(match[2]) * _MINUTES[match[3]], int(match[4]) * _MINUTES[match[5]]
        return Time(None, (low, high), match[1])
    start, end = map(datetime.fromisoformat, _ends(rest))
    return Time(start, (0, int((end - start).total_seconds()) // 60))


def _date(rest: str) -> Maker:
    start, end = map(datetime.fromisoformat, _ends(rest))
    return Date(start, (end - start).days)


def _share(rest: str) -> Maker:
    match = _SHARE.match(rest)
    if not match:
        raise ValueError(rest)
    return Share(float(match[1]), float(match[2]), match[3])


_PARSERS = {"pick": _pick, "integer": _integer, "money": _money, "time": _time, "date": _date, "share": _share}
_FORMS = {
    "pick": "pick: a | b` or `pick: a | b / never c",
    "integer": "integer: 1 .. 40",
    "money": "money: 110.00 .. 980.00",
    "time": "time: 2026-01-05 .. 2026-05-30`, `time: FIELD + 2h .. 3d` or `time: on FIELD",
    "date": "date: 2026-01-05 .. 2026-05-30",
    "share": "share: 0.10 .. 0.35 of FIELD",
}
