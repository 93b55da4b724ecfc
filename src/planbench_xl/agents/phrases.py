"""Reads English about tools and questions: words, names of tools, values in a query, what a question asks for."""

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

_FILLER = word_set(
    "actual actually associated attached case confirm connected corresponding current currently "
    "downstream exact exactly file final finally find identify latest linked matching now order's precise "
    "precisely provide pull recorded related resulting return right same specific tell thing tied "
    "ultimately value"
)
"""Words of requests that say nothing about what is asked for."""

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_FROM = (re.compile("_from_"), re.compile("_(?:by|for|using|given|with|via)_"), re.compile("_of_"))
_VERB = re.compile(r"^(?:get|fetch|find|lookup|look_up|read|retrieve|query|list|show|resolve|search|load|pull)_")


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


class KnownValue(msgspec.Struct, frozen=True):
    """A value that a query gives.

    Attributes:
        forms: The value as it may be stored, the likeliest first.
        phrases: What the words around it call it, the closest first.
    """

    forms: tuple[Value, ...]
    phrases: tuple[str, ...]


_VALUE = re.compile(
    r"`(?P<tick>[^`]+)`"
    r"|(?P<time>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?(?:\s?(?:UTC|Z))?)"
    r"|(?P<money>[$€£]\s?\d[\d,]*(?:\.\d+)?)"
    r"|(?P<mail>[\w.+-]+@[\w-]+\.[\w.]+\w)"
    r"|(?P<code>\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z]\w*[-_]\w[\w-]*)"
    r"|(?P<number>(?<![\w.-])\d+(?:\.\d+)?(?![\w-]|\.\d))"
)
_CLAUSE = re.compile(r"[.;:!?()]\s|\n")
_BREAK = re.compile(
    r"\b(?:the|a|an|this|that|his|her|our|my|your|their|its|and|of|with|for|under|to|by|from|in|on|as|also|only|just)\b"
    r"|[,;:(]",
    re.IGNORECASE,
)


def known_values(query: str) -> list[KnownValue]:
    """Return the values that a query gives, in their order."""
    matches = list(_VALUE.finditer(query))
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
    before = _VALUE.split(before)[-1] or ""
    after = _CLAUSE.split(query[match.end() :] + " ")[0]
    # Words that lead up to another value are about that one.
    after = "" if _VALUE.search(after) else after
    nouns = [" ".join(_topic(piece)) for piece in _BREAK.split(before)]
    nouns = [noun for noun in nouns if noun]
    close = _BREAK.split(before)[-1].strip()
    phrases = [*nouns[-1:], " ".join(_topic(before)[-5:]), " ".join(_topic(after)[:5])]
    if not close and len(nouns) > 1:
        phrases.insert(1, nouns[-2])
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))


def _topic(text: str) -> list[str]:
    """Return the words of a phrase that carry a topic, unstemmed."""
    return [word for word in _WORD.findall(text.lower().replace("-", " ")) if word not in _STOP]


_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_ASK = re.compile(
    r"\b(?:(?P<question>what|which|when|how much|how many|where|who|whose)|return|provide|tell me|tell us|give me|"
    r"give us|confirm|identify|pull|report|show|look up|retrieve|see|find|fetch|need|know|want|determine|recover)\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"^\s*(?:is|are|was|were|does|did|me|us|to|out|whether|if)\b", re.IGNORECASE)
_TAIL = re.compile(
    r"\b(?:for|of|on|to|tied|linked to|associated|attached|connected|that|which|belongs?|belonging|used|so|from|does|"
    r"did|is|are|was|were|has|had|can|in|at|with|by|he|she|it|they|we|until)\b.*|[,;:?!.]\s.*",
    re.IGNORECASE | re.DOTALL,
)
_KINDS = (
    (re.compile(r"\bwhen\b|\bwhat (?:time|moment|day)\b|\bat what\b", re.IGNORECASE), "time"),
    (re.compile(r"\bhow much\b|\bcosts?\b", re.IGNORECASE), "amount"),
    (re.compile(r"\bhow many\b", re.IGNORECASE), "quantity"),
    (re.compile(r"\bwhere\b", re.IGNORECASE), "location"),
    (re.compile(r"\bwho(?:se|m)?\b", re.IGNORECASE), "name"),
)

_VAGUE = word_set("time date moment amount quantity number price cost name location two things thing reference")
"""Words that don't tell, alone, what is asked for."""


def question_phrases(query: str) -> list[str]:
    """Return phrases for what a query asks for, the most telling first."""
    sentences = [sentence for sentence in _SENTENCE.split(query.strip()) if sentence]
    # The request is mostly last; sentences like "What is it?" point back to the one before.
    asking = [s for s in reversed(sentences) if _ASK.search(s) and len(_asked(_VALUE.sub(" ", s))) > 0]
    phrases: list[str] = []
    for sentence in asking[:3]:
        plain = _VALUE.sub(" ", sentence)
        kind = next((noun for pattern, noun in _KINDS if pattern.search(plain)), "")
        phrases += [_with_kind(head, kind) for head in _heads(plain)]
        whole = " ".join(_asked(plain))
        phrases.append(_with_kind(whole, kind))
        if set(phrases[0].split()) <= _VAGUE and len(phrases[0].split()) > 1:
            phrases[0] = phrases[-1]
    return list(dict.fromkeys(phrase for phrase in phrases if phrase)) or [query]


def _with_kind(phrase: str, kind: str) -> str:
    return phrase if not kind or not phrase or kind in phrase.split() else f"{phrase} {kind}"


def _heads(sentence: str) -> list[str]:
    """Return the noun phrases that a request names: those after a question word first, else from its end."""
    found = []
    for question in (True, False):
        for match in reversed(list(_ASK.finditer(sentence))):
            if bool(match["question"]) is question:
                tail = _LINK.sub("", sentence[match.end() :])
                found.append(" ".join(_head(tail)))
    return [head for head in found if head]


def _head(text: str) -> list[str]:
    """Return the noun phrase that a text begins with; of "the number of the receipt" both nouns."""
    cut = _TAIL.search(text)
    head = _asked(text[: cut.start()] if cut else text)
    if cut and set(head) <= _VAGUE and re.match(r"of\b", cut[0], re.IGNORECASE):
        head = _asked(_TAIL.sub("", cut[0][2:])) + head
    return head


def _asked(text: str) -> list[str]:
    return [word for word in _topic(text) if word not in _FILLER]
