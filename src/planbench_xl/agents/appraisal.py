"""Judges what an agent reads: does a description disclose a flaw, is a value possible, is it an error?

The vocabulary is general English about software and records. It knows nothing of any world.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from functools import lru_cache

from planbench_xl.agents.phrases import word_set
from planbench_xl.world import Value

_FLAWS: tuple[tuple[float, str], ...] = (
    (1.0, r"deprecat\w+|obsolete|legacy|discontinued|sunset|retired|superseded|switched off|shut down|dismantled"),
    (1.0, r"no longer|not any ?more|(?:can ?not|can't) (?:answer|serve)|used to (?:return|give|serve|be)|has ended"),
    (1.0, r"backward compatib\w+|(?:compatibility|older|old) (?:route|path|workflows?|version|scripts?)|early version"),
    (
        1.0,
        r"outdated|stale|cached?|lagging|out of date|old(?:er)? (?:cached? |copy|copies|values?|data|numbers?|state)",
    ),
    (
        1.0,
        r"nightly|last (?:night|week|month|year)(?:'s)? (?:copy|archive|snapshot|export|dump)|still (?:show|list)\w*",
    ),
    (1.0, r"frozen|historical value|has been replaced|the former|before the (?:migration|upgrade|move|update)"),
    (1.0, r"not (?:be )?(?:valid|usable|suitable|appropriate|authoritative|dependable|reliable|final|official|meant)"),
    (1.0, r"(?:should|must|do) not be (?:used|relied)|non[- ]authoritative|unofficial|unverified|unconfirmed"),
    (1.0, r"unreliable|undependable|noisy|unstable|flaky|erratic|miswired|misrouted|broken|faulty|mix-?ups?"),
    (1.0, r"(?:supposed|meant|intended) to (?:return|give|show)|known (?:to be|issues?|bugs?)|off by (?:one|a)"),
    (1.0, r"shifted|swapped|mixed up|drift\w*|slips?|wrong (?:field|value|column|row|record)|no telling"),
    (1.0, r"(?:nearby|neighbou?ring|adjacent|related but) (?:\w+ )?(?:field|value|column|row|entry|record)"),
    (1.0, r"(?:may|might|can|could) (?:also |still |well |even )*(?:not|serve|surface|drift|map|pull|read|lag|slip)"),
    (1.0, r"(?:may|might|could) (?:well |also |still )*(?:be|return|differ|appear|contain|show)"),
    (
        1.0,
        r"sometimes|often answers|occasionally|intermittent\w*|at times|now and then|hit[- ]or[- ]miss|best[- ]effort",
    ),
    (1.0, r"only (?:works?|opens?|available|answers?|under|during|valid|serves?|covers?)|only for|but only|stays shut"),
    (1.0, r"limited (?:\w+ )?conditions?|special (?:\w+ )?conditions?|uncommon|rare|narrow|restricted to|gated"),
    (1.0, r"(?:is|are) refused|not covered|not expected|provided (?:that|the)|excluded|outside such"),
    (1.0, r"preview|provisional|tentative|pencilled|placeholder|predict\w+|guess\w*|suggests?|sandbox|mock|dummy"),
    (
        1.0,
        r"estimated? (?:value|before)|serves an estimated?|instead of the (?:final|current|committed|actual|confirmed)",
    ),
    (1.0, r"experimental|beta|prototype|test (?:data|copy|system)|demo|rough|approximate\w*|forecast\w*|projects? a"),
    (0.6, r"estimated?|archives?|planned|expected|rather than the|older|temporary|conditions?|treat it as|early|dead"),
)
"""Weight and pattern of words that disclose a flaw. From 1 a description counts as flawed; lighter ones add up."""

_PATTERNS = tuple((weight, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for weight, pattern in _FLAWS)
_TICKED = re.compile(r"`[^`]*`")
_PURPOSE = re.compile(
    r"(?:^|(?<=[.;] ))(?:use|reach|useful|helpful|handy|good|(?:it|this|that)(?: is| lets|'s)? "
    r"(?:helps?|useful|helpful|handy|good|lets|you))\b[^.]*\.?"
    r"|\b(?:whether|such as)\b[^.]*",
    re.IGNORECASE,
)
"""What a tool is good for, and the states that a value can have, disclose nothing about the tool itself."""

FLAWED = 1.0
"""A description from this score on is taken to disclose a flaw."""


def flaw_score(description: str, topic: frozenset[str] = frozenset()) -> float:
    """Return how strongly a description discloses a flaw; from `FLAWED` on it does.

    Args:
        description: What the tool says about itself.
        topic: Lower-case words that name the tool's inputs and output. A word of the domain (a *draft* order, a
            price *estimate*) discloses nothing.
    """
    return _score(_PURPOSE.sub("", _TICKED.sub("", description.lower())), topic)


@lru_cache(maxsize=65_536)
def _score(text: str, topic: frozenset[str]) -> float:
    score = 0.0
    for weight, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not topic.issuperset(re.findall(r"\w+", match[0])):
                score += weight
                break
    return score


_ERROR = re.compile(
    r"^\W*(?:error|exception|failed|failure|fatal|invalid|traceback)\b"
    r"|\b(?:unavailable|not (?:available|supported|found|allowed|permitted|implemented)|no longer supported|try again"
    r"|timed? ?out|access denied|internal error|can only be used)\b",
    re.IGNORECASE,
)
_NOTHING = frozenset({"", "none", "null", "nil", "nan", "inf", "undefined", "unknown", "n/a", "na", "-", "?", "tbd"})
_TIME_WORDS = word_set("time timestamp date moment when deadline at")
_NUMBER_WORDS = word_set("price amount total quantity count units cost number_of rate fee sum")
_PROSE = word_set("address name title description note message text comment reason summary location place")
_MAIL = re.compile(r"[^@\s,]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_SENSIBLE = re.compile(r"[\w\s.,:;@/+&'()#-]")


def is_error(value: Value) -> bool:
    """Say whether a returned value is a message of failure."""
    return isinstance(value, str) and bool(_ERROR.search(value))


def oddness(value: Value, topic: frozenset[str]) -> float:
    """Return how implausible a value is for its topic: 0 nothing wrong, 1 impossible.

    Args:
        value: A returned value.
        topic: Lower-case words that name what was to be returned.
    """
    text = value.strip() if isinstance(value, str) else json.dumps(value)
    if text.lower() in _NOTHING or is_error(value) or not any(map(str.isalnum, text)):
        return 1.0
    if _strange(text) or (_NUMBER.fullmatch(text) and text.startswith("-")):
        return 1.0
    if topic & _TIME_WORDS and not topic & {"status", "id", "zone"}:
        return 0.0 if _is_time(text) else 1.0
    if "email" in topic or "mail" in topic:
        return 0.0 if _MAIL.fullmatch(text) else 1.0
    if topic & _NUMBER_WORDS and not topic & {"id", "reference", "code", "status"}:
        return 0.0 if _NUMBER.fullmatch(text) else 0.6
    if "status" in topic or "state" in topic:
        return 0.8 if _NUMBER.fullmatch(text) or len(text) <= 2 else 0.0
    if len(text.split()) > 3 and topic.isdisjoint(_PROSE):
        return 0.5
    return 0.0


def _strange(text: str) -> bool:
    """Say whether a text is full of characters that no stored value is made of, or repeats one senselessly."""
    strange = sum(not _SENSIBLE.match(character) for character in text)
    runs = max((len(match[0]) for match in re.finditer(r"[^\w\s]+", text)), default=0)
    return strange * 3 > len(text) or runs >= 3 or (runs >= 2 and not re.search(r"[.,:;)] |://", text) and strange > 0)


def is_time_like(text: str) -> bool:
    """Say whether a text names a moment."""
    return not _TIME_WORDS.isdisjoint(re.findall(r"[a-z]+", text.lower().replace("_", " ")))


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(re.sub(r"\s*(?:UTC|Z)$", "", text.replace(" ", "T", 1)))
    except ValueError:
        return False
    return True
