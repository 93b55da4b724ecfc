"""The material of drafts: frames of phrases, guesses about values, lists of words."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import msgspec

from planbench_xl.construct.domain import Part

FILE = Path(__file__).parent / "words.toml"


class Frames(Part, frozen=True):
    """Phrases with slots: `{f}` a field, `{e}` an entity, `{ae}` the same with an article. As in a domain file."""

    aliases: tuple[str, ...]
    identifiers: tuple[str, ...]
    says: tuple[str, ...]
    identifier_says: tuple[str, ...]
    uses: tuple[str, ...]
    identifier_uses: tuple[str, ...]
    given: tuple[str, ...]
    asked: tuple[str, ...]
    question: tuple[str, ...]
    openings: tuple[str, ...]
    closings: tuple[str, ...]


class Guess(Part, frozen=True):
    """How values are made of fields whose name ends in one of some words.

    Attributes:
        words: The words.
        make: The line of the domain file.
        many: There are enough values for each record to have its own.
        finds: People look things up by it.
    """

    words: tuple[str, ...]
    make: str
    many: bool = False
    finds: bool = False


class Lexicon(Part, frozen=True):
    """Words by which names in documents are read; `words.toml` says of each list what it is."""

    before: frozenset[str]
    after: frozenset[str]
    kept: frozenset[str]
    verbs: frozenset[str]
    reading: frozenset[str]
    joins: frozenset[str]
    wrappers: frozenset[str]
    plumbing: frozenset[str]
    identifying: frozenset[str]
    counts: frozenset[str]
    times: frozenset[str]
    later: frozenset[str]


class Material(Part, frozen=True):
    """What `words.toml` holds; `near` says by name what misleading tools return."""

    frames: Frames
    near: dict[str, str]
    value: tuple[Guess, ...]
    lists: dict[str, tuple[str, ...]]
    lexicon: Lexicon


@cache
def material() -> Material:
    """Return the packaged material."""
    return msgspec.convert(tomllib.loads(FILE.read_text(encoding="utf-8")), Material)
