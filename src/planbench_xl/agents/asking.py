"""Reads what a query asks for: one question per thing that is wanted, each with phrases to look it up by."""

from __future__ import annotations

import re

import msgspec

from planbench_xl.agents.phrases import VALUE, content_words, word_set

_FILLER = word_set(
    "actual actually associated attached case confirm connected corresponding current currently "
    "downstream exact exactly file final finally find identify latest linked matching now order's precise "
    "precisely provide pull recorded related resulting return right same specific tell thing tied "
    "ultimately value"
)
"""Words of requests that say nothing about what is asked for."""

_VAGUE = word_set("time date moment amount quantity number price cost name location two things thing reference")
"""Words that don't tell, alone, what is asked for."""

_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_ASK = re.compile(
    r"\b(?:(?P<question>what|which|when|how much|how many|how|where|who|whose)|return|provide|tell me|tell us|give me|"
    r"give us|confirm|identify|pull|report|show|look up|retrieve|see|find|fetch|need|know|want|determine|recover)\b",
    re.IGNORECASE,
)
_PREPOSITION = r"(?:at|from|in|into|under|on|by|with|to|for|of|through)"
_QUESTION = re.compile(
    rf"\b(?:{_PREPOSITION}\s+)?(?:what|which|when|how\s+\w+|how|where|whose|whom|who)\b"
    r"(?!\s+(?:i|we)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    rf"^\s*(?:{_PREPOSITION}\s+)?(?:what|which|when|how much|how many|how|where|whose|whom|who)?\s*"
    r"(?:(?:time|moment|day)\b)?\s*(?:(?:is|are|was|were|does|did|do|has|have|can|me|us|to|out|whether|if)\b)?\s*",
    re.IGNORECASE,
)
_NOUN_BEFORE = re.compile(r"\b(?:the|an?|this|that|my|our|your|its|their|his|her|incident|payment|\w+'s)\s*$", re.I)
_ASIDE = re.compile(r"^(?:it|this|that|thanks?|there|some(?:body|one) is|i was)\b", re.IGNORECASE)
_LINK = re.compile(r"^\s*(?:is|are|was|were|does|did|me|us|to|out|whether|if)\b", re.IGNORECASE)
_TAIL = re.compile(
    r"\b(?:for|of|on|to|tied|linked to|associated|attached|connected|that|which|belongs?|belonging|used|so|from|does|"
    r"did|is|are|was|were|has|had|can|in|at|with|by|he|she|it|they|we|until)\b.*|[,;:?!.]\s.*",
    re.IGNORECASE | re.DOTALL,
)
_KINDS = (
    (re.compile(r"\bwhen\b|\bwhat (?:time|moment|day)\b|\bat what\b(?! (?:price|cost|rate))", re.I), "time"),
    (re.compile(r"\bhow much\b|\bcosts?\b", re.IGNORECASE), "amount"),
    (re.compile(r"\bhow heavy\b|\bwhat did\b.{0,40}\bweigh\b", re.IGNORECASE), "weight"),
    (re.compile(r"\bhow long\b", re.IGNORECASE), "duration"),
    (re.compile(r"\bhow far\b", re.IGNORECASE), "distance"),
    (re.compile(r"\bhow old\b", re.IGNORECASE), "age"),
    (re.compile(r"\bhow many\b", re.IGNORECASE), "quantity"),
    (re.compile(r"\bwhere\b", re.IGNORECASE), "location"),
    (re.compile(r"\bwho(?:se|m)?\b", re.IGNORECASE), "name"),
)
_VERBAL = re.compile(r"^\W*(?:when|(?:at|on|in|by) what)\b", re.IGNORECASE)
"""A question after the moment of an event, which a noun alone doesn't name."""

_MONEY = re.compile(
    r"(?:^|\b(?:what|which)\b)\W*(?:(?:is|was|are|were)\s+)?(?:the\s+)?(?:\w+\s+)?(?:price|sum|amount|fee|cost)\b", re.I
)

_LEADS = {
    "time": "moment at which",
    "amount": "amount",
    "quantity": "number of",
    "location": "place where",
    "name": "name of the person who",
}
"""How a description would begin that answers a question of each kind."""

_AND_ASKED = re.compile(
    rf"[,;]?\s+(?:and|as well as|plus)\s+(?:also\s+)?(?=(?:{_PREPOSITION}\s+)?"
    r"(?:what|which|when|how|where|whose|whom|who)\b)",
    re.IGNORECASE,
)
_AND_THING = re.compile(r"[,;]?\s+(?:and|as well as|plus)\s+(?:also\s+)?(?=(?:the|its|their|an?)\b)", re.IGNORECASE)
_THING = re.compile(r"^\W*(?:the|its|their|an?)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:two|both|three|several)\b|:\s", re.IGNORECASE)


class Question(msgspec.Struct, frozen=True):
    """One thing that a query asks for.

    Attributes:
        phrases: What it may be called, the likeliest first.
        head: The noun phrase that names it.
        kind: What kind of thing it is (time, amount, name …); empty if the question doesn't say.
        said: Everything that is said about it.
    """

    phrases: tuple[str, ...]
    head: str
    kind: str
    said: str


def questions(query: str) -> list[Question]:
    """Return what a query asks for, a question for each thing."""
    sentences = [sentence for sentence in _SENTENCE.split(query.strip()) if sentence]
    # The request is mostly last; sentences like "What is it?" point back to the one before.
    ranked = sorted(enumerate(sentences), key=lambda numbered: (_urgency(numbered[1]), numbered[0]), reverse=True)
    plain = [VALUE.sub(" ", sentence) for _, sentence in ranked]
    asking = [sentence for sentence in plain if _ASK.search(sentence) and asked_words(sentence)]
    if not asking:
        return [Question((query,), query, "", query)]
    parts = _parts(asking[0])
    if len(parts) > 1:
        return [_question(part, ()) for part in parts]
    return [_question(asking[0], asking[1:3])]


def asked_words(text: str) -> list[str]:
    """Return the words of a request that say what is asked for."""
    return [word for word in content_words(text) if word not in _FILLER]


def _urgency(sentence: str) -> float:
    """Return how much a sentence looks like the request itself, rather than what surrounds it."""
    verbs = _verbs(sentence)
    score = 2.0 * sentence.rstrip().endswith("?") + 1.5 * bool(verbs) + bool(_QUESTION.search(sentence))
    # What gives a value is mostly not what asks.
    return score - 1.5 * bool(_ASIDE.search(sentence)) - 1.5 * bool(VALUE.search(sentence))


def _verbs(sentence: str) -> list[re.Match[str]]:
    """Return the verbs of asking; what follows an article is a noun (the incident report)."""
    found = (match for match in _ASK.finditer(sentence) if not match["question"])
    return [match for match in found if not _NOUN_BEFORE.search(sentence[: match.start()])]


def _parts(sentence: str) -> list[str]:
    """Split a request for several things."""
    clause = _clause(sentence)
    parts = _AND_ASKED.split(clause)
    if len(parts) == 1 and _SEVERAL.search(sentence):
        listed = sentence.rpartition(": ")[2] if ": " in sentence else clause
        parts = _AND_THING.split(listed)
    return [part for part in parts if asked_words(part)]


def _clause(sentence: str) -> str:
    """Return a request from its question word on, or what stands after its last verb of asking."""
    found = _QUESTION.search(sentence)
    if found and not _THING.search(sentence):
        return sentence[found.start() :].strip(" .?!,")
    verbs = [] if _THING.search(sentence) else _verbs(sentence)
    return (sentence[verbs[-1].end() :] if verbs else sentence).strip(" .?!,")


def _question(sentence: str, others: tuple[str, ...] | list[str]) -> Question:
    clause = _clause(sentence)
    kind = _kind(clause)
    heads: list[str] = []
    for text in (sentence, *others):
        own = _kind(text)
        heads += [_with_kind(head, own) for head in _heads(text)]
        heads.append(_with_kind(" ".join(asked_words(text)), own))
    if len(heads) > 1 and set(heads[0].split()) <= _VAGUE:
        heads[0] = _with_kind(" ".join(asked_words(sentence)), kind)
    described = f"{_LEADS.get(kind, '')} {_OPENING.sub('', clause, count=1)}".strip()
    plain = _with_kind(" ".join(asked_words(clause)), kind)
    # One word alone is mostly too little to go by.
    telling = len(heads[0].split()) > 1
    first = [heads[0], described, clause] if telling else [clause, described, heads[0]]
    if kind == "time" and _VERBAL.search(clause):
        first = [described, heads[0], clause]
    phrases = dict.fromkeys(phrase for phrase in [*first, plain, *heads[1:]] if phrase)
    return Question(tuple(phrases), heads[0], kind, clause)


def _kind(text: str) -> str:
    """Return the kind of thing asked for; the first question word says it, not one in a clause that follows."""
    first = _QUESTION.search(text)
    said = text[first.start() : first.end() + 25] if first else text
    kind = next((noun for pattern, noun in _KINDS if (found := pattern.search(said)) and found.start() < 10), "")
    return "amount" if not kind and _MONEY.search(said) else kind


def _with_kind(phrase: str, kind: str) -> str:
    return phrase if not kind or not phrase or kind in phrase.split() else f"{phrase} {kind}"


def _heads(sentence: str) -> list[str]:
    """Return the noun phrases that a request names: those after a question word first, else from its end."""
    found = []
    if _THING.search(sentence):
        found.append(" ".join(_head(sentence)))
    for question in (True, False):
        asked = [match for match in _ASK.finditer(sentence) if match["question"]]
        matches = asked if question else _verbs(sentence)
        # The first question word leads; of verbs, the last one does.
        for match in matches if question else reversed(matches):
            if not re.match(r"\s+(?:i|we)\b", sentence[match.end() :], re.IGNORECASE):
                tail = _LINK.sub("", sentence[match.end() :])
                found.append(" ".join(_head(tail)))
    return [head for head in found if head] or [" ".join(asked_words(sentence))]


def _head(text: str) -> list[str]:
    """Return the noun phrase that a text begins with; of "the number of the receipt" both nouns."""
    cut = _TAIL.search(text)
    head = asked_words(text[: cut.start()] if cut else text)
    if cut and set(head) <= _VAGUE and re.match(r"of\b", cut[0], re.IGNORECASE):
        head = asked_words(_TAIL.sub("", cut[0][2:])) + head
    return head
