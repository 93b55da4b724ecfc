"""From names in documents (`petId`, `pet_id`, `NewPetRequest`) to plain phrases."""

from __future__ import annotations

import re
import unicodedata

from planbench_xl.construct.catalogues.words import material

MOST_WORDS, MOST_LETTERS, LONGEST = 4, 40, 4_000

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9]+")
_NOT_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+")
_MARKUP = re.compile(r"<[^<>]*>|[`*#]+|\[([^\[\]]*)\]\([^()]*\)|https?://\S+")

_BEFORE = material().lexicon.before
_AFTER = material().lexicon.after
_KEPT = material().lexicon.kept

VERBS = material().lexicon.verbs
"""Words that say what is done, or which one is meant, and not to what."""

WRAPPERS = material().lexicon.wrappers
"""Properties that hold what a response is about, and say nothing about it."""

PLUMBING = material().lexicon.plumbing
"""Values that say how to call or to page, and nothing about the business."""


def words(text: str) -> list[str]:
    """Split a name into lower-case words of Latin letters and digits."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return _WORD.findall(_CAMEL.sub(" ", plain).lower())


def phrase(text: str) -> str:
    """Return a name as a short phrase; empty if it has no Latin letter or digit."""
    found = words(text)
    while len(found) > MOST_WORDS or len(" ".join(found)) > MOST_LETTERS:
        if len(found) == 1:
            return found[0][:MOST_LETTERS]
        found = found[:-1] if len(found) <= MOST_WORDS else found[-MOST_WORDS:]
    return " ".join(found)


def noun(text: str) -> str:
    """Return what one thing of a name is called: `NewPetRequest`, `pets` and `PetList` all become `pet`."""
    found = words(text)
    while len(found) > 1 and found[-1] in _AFTER:
        found.pop()
    while len(found) > 1 and found[0] in _BEFORE:
        found.pop(0)
    if not found:
        return ""
    return phrase(" ".join((*found[:-1], singular(found[-1]))))


def singular(word: str) -> str:
    """Return the singular of an English word, as far as its ending tells."""
    if word in _KEPT or len(word) < 4 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes", "uses")) and word not in ("houses", "causes", "uses"):
        return word[:-2]
    return word[:-1]


def one_line(text: str, most: int) -> str:
    """Return text of a document on one line of at most so many characters, without control characters."""
    line = " ".join(_NOT_TEXT.sub(" ", text).split())
    return line if len(line) <= most else line[:most].rstrip() + "…"


def clean(text: str, most: int) -> str:
    """Return text of a document as one line without markup, cut at a sentence or a word."""
    line = one_line(_MARKUP.sub(r"\1", one_line(text, LONGEST)), LONGEST)
    if len(line) <= most:
        return line
    cut = line[:most]
    end = max(cut.rfind(". "), cut.rfind("! "), cut.rfind("? "))
    return cut[: end + 1] if end > 20 else cut.rsplit(" ", 1)[0] + "…"


def a(thing: str) -> str:
    """Put an article before a noun."""
    vowel = thing[:1] in ("a", "e", "i", "o") or (thing[:1] == "u" and not thing.startswith(("us", "uni", "uti", "ui")))
    return f"{'an' if vowel else 'a'} {thing}"


def within(name: str, owner: str) -> str:
    """Return the phrase of a field without its owner's name: `pet id` of a pet is its `id`."""
    found, own = phrase(name).split(), owner.split()
    for size in range(len(own), 0, -1):
        if len(found) > size and found[:size] == own[-size:]:
            return " ".join(found[size:])
    return " ".join(found)
