"""Reads English about tools and queries: words, names of tools, and the values that a query gives."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from planbench_xl.world import Value


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


_STOP = word_set(
    "a about after all also an and any are as at be been before being both but by can could did do does "
    "each either exactly for from get gets give given gives had has have he her him his how i if in "
    "instead into is it its just me more most my need needs no not of on one only onto or other our out "
    "over own please she should so some such than that the their them then there these they this those "
    "through to too under up us use used uses using via want wants was we were what when where which who "
    "whom whose why will with would you your"
)
"""Words that carry no topic."""

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_FROM = (re.compile("_from_"), re.compile("_(?:by|for|using|given|with|via)_"), re.compile("_of_"))
_VERB = re.compile(r"^(?:get|fetch|find|lookup|look_up|read|retrieve|query|list|show|resolve|search|load|pull)_")


def content_words(text: str) -> list[str]:
    """Return the words of a phrase that carry a topic, unstemmed."""
    return [word for word in _WORD.findall(text.lower().replace("-", " ")) if word not in _STOP]


def words(text: str) -> list[str]:
    """Return the words of a text that carry a topic, as stems, in order."""
    return list(_stems(text))


@lru_cache(maxsize=65_536)
def _stems(text: str) -> tuple[str, ...]:
    found = _WORD.findall(text.lower().replace("_", " ").replace("-", " "))
    return tuple(stem(word) for word in found if word not in _STOP)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a word without the commonest English endings."""
    word = word.removesuffix("'s")
    for ending in ("ations", "ation", "ing", "ied", "ies", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 4 else word


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the share of the smaller set that the other one has, from 0 to 1."""
    if not a or not b:
        return 0.0
    return len(a & b) / min(len(a), len(b))


def resemblance(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the share of two sets' words that they have in common, from 0 to 1."""
    common = len(a & b)
    return common / (len(a) + len(b) - common) if common else 0.0


def output_phrases(name: str) -> tuple[str, ...]:
    """Return what a tool's name says it returns, one phrase per output; empty if the name doesn't say."""
    for pattern in _FROM:
        head, *rest = pattern.split(name, maxsplit=1)
        if rest:
            return tuple(part.replace("_", " ") for part in _VERB.sub("", head).split("_and_") if part)
    return ()


def input_phrases(name: str) -> tuple[str, ...]:
    """Return what a tool's name says it takes, one phrase per input; the last may end in the name of a variant."""
    rest = _FROM[0].split(re.sub(r"_v\d+$", "", name), maxsplit=1)[1:]
    return tuple(part.replace("_", " ") for part in rest[0].split("_and_")) if rest else ()


IDENTIFIERS = frozenset(words("id identifier reference record number no code key"))
"""Words that name an identifier of whatever else a phrase names."""


class KnownValue(msgspec.Struct, frozen=True):
    """A value that a query gives.

    Attributes:
        forms: The value as it may be stored, the likeliest first.
        phrases: What the words around it call it, the closest first.
    """

    forms: tuple[Value, ...]
    phrases: tuple[str, ...]


VALUE = re.compile(
    r"`(?P<tick>[^`]+)`"
    r"|(?P<time>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?(?:\s?(?:UTC|Z))?)"
    r"|(?P<money>[$€£]\s?\d[\d,]*(?:\.\d+)?)"
    r"|(?P<mail>[\w.+-]+@[\w-]+\.[\w.]+\w)"
    r"|(?P<code>\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z]\w*[-_]\w[\w-]*)"
    r"|(?P<number>(?<![\w.-])\d+(?:\.\d+)?(?![\w-]|\.\d))"
)
_CLAUSE = re.compile(r"[.;:!?()]\s|\n")
_BREAK = re.compile(
    r"\b(?:i|we|you|they|he|she)\s+(?:only\s+|just\s+|also\s+)?[a-z]+\b"
    r"|\b(?:that|which|whose)\s+(?=\w+\s*$)"
    r"|\b(?:reads?|says?|said|shows?|posted|filed|made|dated|marked|called|named|numbered|labell?ed|quot(?:es|ed|ing))\b"
    r"|\b(?:the|a|an|this|that|his|her|our|my|your|their|its|and|of|with|for|under|to|by|from|in|on|as|also|only|just)\b"
    r"|[,;:(]",
    re.IGNORECASE,
)


def known_values(query: str) -> list[KnownValue]:
    """Return the values that a query gives, in their order."""
    matches = list(VALUE.finditer(query))
    ticked = [match for match in matches if match["tick"]]
    found = []
    for match in matches:
        if match["number"] and len(ticked) + len(matches) == 2 * len(ticked):
            continue
        found.append(KnownValue(_forms(match), _around(query, match)))
    return found


def _forms(match: re.Match[str]) -> tuple[Value, ...]:
    """Return the forms in which a backend may hold a value that a person wrote."""
    text = match[0].strip("`").strip()
    if match["money"] or match["number"]:
        number = float(text.strip("$€£ ").replace(",", ""))
        whole = int(number) if number.is_integer() else None
        plain: Value = number if match["money"] or whole is None else whole
        forms: list[Value] = [plain, *([] if whole is None else [whole, number]), f"{number:.2f}"]
        return tuple({str(form): form for form in forms}.values())
    if match["time"]:
        day, _, clock = re.sub(r"\s?(?:UTC|Z)$", "", text).replace("T", " ").partition(" ")
        if not clock:
            return (day,)
        full = clock if clock.count(":") == 2 else f"{clock}:00"
        return (f"{day}T{full}Z", f"{day}T{full}", f"{day} {full}", f"{day} {clock}", text)
    return (text,)


def _around(query: str, match: re.Match[str]) -> tuple[str, ...]:
    """Return what the words around a value call it: the noun before it, then the clause before, then the one after."""
    before = _CLAUSE.split(query[: match.start()])[-1]
    before = VALUE.split(before)[-1] or ""
    after = _CLAUSE.split(query[match.end() :] + " ")[0]
    # Words that lead up to another value are about that one.
    after = "" if VALUE.search(after) else after
    nouns = [" ".join(content_words(piece)) for piece in _BREAK.split(before) if piece]
    nouns = [noun for noun in nouns if noun]
    close = _BREAK.split(before)[-1].strip()
    behind = [" ".join(content_words(piece)) for piece in _BREAK.split(after) if piece]
    behind = [noun for noun in behind if noun][:1]
    phrases = [*nouns[-1:], " ".join(content_words(before)[-5:]), *behind, " ".join(content_words(after)[:5])]
    if len(nouns) > 1 and set(words(nouns[-1])) <= IDENTIFIERS:
        phrases.insert(0, f"{nouns[-2]} {nouns[-1]}")
    elif not close and len(nouns) > 1:
        phrases.insert(1, nouns[-2])
    if nouns and "@" not in match[0] and any(map(str.isdigit, match[0])) and IDENTIFIERS.isdisjoint(words(nouns[-1])):
        phrases.insert(0 if len(nouns[-1].split()) == 1 else 1, f"{nouns[-1]} number")
    if "@" in match[0]:
        phrases.insert(0, "email address")
    if not any(map(str.isdigit, match[0])):
        # A name may say itself what it is of.
        phrases.append(" ".join(content_words(match[0])))
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))
