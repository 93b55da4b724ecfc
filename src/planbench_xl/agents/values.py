"""Judges what tools return: is it a message of failure, is it possible for what was asked?

The vocabulary is general English about software and records. It knows nothing of any world.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime

from planbench_xl.agents.phrases import word_set
from planbench_xl.world import Value

_ERROR = re.compile(
    r"^\W*(?:\w*error|\w*exception|failed|failure|fatal|invalid|traceback)\b"
    r"|\bhttp(?: status)? [345]\d\d\b"
    r"|\b(?:unavailable|not (?:available|supported|found|allowed|permitted|implemented)|no longer supported|try again"
    r"|timed? ?out|access denied|internal error|can only be used)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:no|not|never|nothing|none|without|cannot|can't|couldn't|won't|unable|missing|refus\w+|reject\w+|den(?:y|ied)"
    r"|declin\w+|withdrawn|removed|retired|expired|closed|cancel\w+|abort\w+|unsupported|unreachable|required"
    r"|too many|only|deprecat\w+|fail\w*|busy|down|blocked|forbidden|gone)\b",
    re.IGNORECASE,
)
"""Words of a sentence that says why there is no answer."""

_FAULT_KEYS = word_set("error errors exception fault failure traceback")
_STATE_KEYS = word_set("status state ok success result")
_BAD_STATES = word_set("error failed failure fail false")
_NOTHING = frozenset({"", "none", "null", "nil", "nan", "inf", "undefined", "unknown", "n/a", "na", "-", "?", "tbd"})
_TIME_WORDS = word_set("time timestamp date moment when deadline")
_DAY_WORDS = word_set("day date")
_NUMBER_WORDS = word_set("price amount total quantity count units cost number_of rate fee sum")
_PROSE = word_set("address name title description note message text comment reason summary location place")
_NAMING = word_set("id identifier number reference code key token")
_MAIL = re.compile(r"[^@\s,]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?")
_SENSIBLE = re.compile(r"[\w\s.,:;@/+&'()#-]")
_PLACEHOLDER = re.compile(
    r"\b(?:same as|see (?:above|below|attach\w*|notes?|file)|as (?:above|before|discussed)|lorem|ask (?:again|later)|"
    r"to be (?:determined|confirmed|decided)|not applicable|placeholder|x{3,}|foo|asdf\w*)\b|0{5,}(?!\d)|123456",
    re.IGNORECASE,
)
_WAIT = re.compile(r"\b(\d{1,2})\s+(?:more\s+|further\s+)?(?:turn|step|round|call|move|request)s?\b", re.IGNORECASE)

SENTENCE_WORDS = 4
"""From so many words on, a value is read as a sentence."""


def is_error(value: Value) -> bool:
    """Say whether a returned value is a message of failure."""
    if isinstance(value, dict):
        keys = {str(key).lower(): part for key, part in value.items()}
        if any(keys.get(key) for key in _FAULT_KEYS):
            return True
        states = {str(keys[key]).lower() for key in _STATE_KEYS if isinstance(keys.get(key), str | bool)}
        return not states.isdisjoint(_BAD_STATES) or ("message" in keys and "code" in keys)
    if isinstance(value, list):
        return any(map(is_error, value))
    if not isinstance(value, str):
        return False
    return bool(_ERROR.search(value)) or (len(value.split()) >= SENTENCE_WORDS and bool(_REFUSAL.search(value)))


def waiting_time(value: Value) -> int:
    """Return for how many turns a message of failure asks to wait; 0 if it doesn't say."""
    found = _WAIT.search(value if isinstance(value, str) else json.dumps(value))
    return min(int(found[1]), 20) if found else 0


def oddness(value: Value, topic: frozenset[str]) -> float:
    """Return how implausible a value is for its topic: 0 nothing wrong, 1 impossible.

    Args:
        value: A returned value.
        topic: Lower-case words that name what was to be returned.
    """
    text = value.strip() if isinstance(value, str) else json.dumps(value)
    prose = not topic.isdisjoint(_PROSE)
    if (
        text.lower() in _NOTHING
        or not any(map(str.isalnum, text))
        or (is_error(value) and not (prose and len(text) > 60))
    ):
        return 1.0
    if _strange(text) or _PLACEHOLDER.search(text) or (_NUMBER.fullmatch(text) and text.startswith("-")):
        return 1.0
    if topic & _TIME_WORDS and not topic & {"status", "id", "zone", "year"}:
        return 0.0 if _is_time(text) else 1.0
    if "email" in topic or "mail" in topic:
        return 0.0 if _MAIL.fullmatch(text) else 1.0
    if topic & _NUMBER_WORDS and not topic & {"id", "reference", "code", "status", "number"}:
        return 0.0 if _NUMBER.fullmatch(text) else 0.6
    if "status" in topic or "state" in topic:
        return 0.8 if _NUMBER.fullmatch(text) or len(text) <= 2 else 0.0
    if not topic.isdisjoint(_NAMING) and "T" in text and _is_time(text):
        return 0.8
    return 0.5 if len(text.split()) >= SENTENCE_WORDS and not prose else 0.0


def _strange(text: str) -> bool:
    """Say whether a text is full of characters that no stored value is made of, or repeats one senselessly."""
    strange = sum(not _SENSIBLE.match(character) for character in text)
    runs = max((len(match[0]) for match in re.finditer(r"[^\w\s]+", text)), default=0)
    return strange * 3 > len(text) or runs >= 3 or (runs >= 2 and not re.search(r"[.,:;)] |://", text) and strange > 0)


def is_time_like(text: str) -> bool:
    """Say whether a text names a moment (created_at does, chart_at_the_bed doesn't)."""
    text = re.sub(r"[_ ]at$", " time", text)
    return not (_TIME_WORDS | _DAY_WORDS).isdisjoint(re.findall(r"[a-z]+", text.lower().replace("_", " ")))


def shape(value: Value) -> str:
    """Return what kind of thing a value looks like: a time, a number, or text by its letters and digits."""
    text = value.strip() if isinstance(value, str) else json.dumps(value)
    if _is_time(text):
        return "time"
    if _NUMBER.fullmatch(text):
        return "number"
    return "code" if any(map(str.isdigit, text)) else "words"


def year(value: Value) -> int | None:
    """Return the year of a value that is a moment or a day."""
    found = re.match(r"(\d{4})-\d\d-\d\d", value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def misfit(value: Value, phrases: Sequence[str]) -> float:
    """Return how badly the look of a value fits what a concept is called by all its names, from 0 to 1."""
    if not phrases:
        return 0.0
    share = sum(map(is_time_like, phrases)) / len(phrases)
    if shape(value) == "time":
        return 0.5 if share == 0 and len(phrases) > 1 else 0.0
    return 0.7 if share > 0.5 and not {"year", "zone"} & set(" ".join(phrases).split()) else 0.0


def _is_time(text: str) -> bool:
    if _CLOCK.fullmatch(text):
        return True
    try:
        datetime.fromisoformat(re.sub(r"\s*(?:UTC|Z)$", "", text.replace(" ", "T", 1)))
    except ValueError:
        return False
    return not text.isdigit()
