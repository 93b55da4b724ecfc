"""The material of the template writer that belongs to no domain: frames of sentences, flaws, messages of failure."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import msgspec

from planbench_xl.construct.domain import Part

FILE = Path(__file__).parent / "grammar.toml"


class Grammar(Part, frozen=True):
    """Frames with slots in braces.

    Attributes:
        variants: Endings of tool names; they mean nothing, whatever the role of the tool.
        lookups: What a tool does. Slots: take, what, What, register, noun, a_noun.
        lookups_several: The same for tools of several inputs.
        purposes: When it is useful, or how it behaves. Slots: use, register.
        flaws: Per kind of distractor, sentences that disclose the flaw. Slots: register, neighbour.
        failures: Messages of tools that fail. Slots: register, number.
        deprecations: Messages of deprecated tools.
        conditions: Messages of tools that only answer under some condition.
        asks: Frames of requests with an indirect question. Slot: asked.
        links: Ways to join what is known. Slots: first, second.
        signs: Per kind of distractor, what gives its flaw away, as regular expressions.
    """

    variants: tuple[str, ...]
    lookups: tuple[str, ...]
    lookups_several: tuple[str, ...]
    purposes: tuple[str, ...]
    flaws: dict[str, tuple[str, ...]]
    failures: tuple[str, ...]
    deprecations: tuple[str, ...]
    conditions: tuple[str, ...]
    asks: tuple[str, ...]
    links: tuple[str, ...]
    signs: dict[str, tuple[str, ...]]


@cache
def grammar() -> Grammar:
    """Return the packaged material."""
    return msgspec.convert(tomllib.loads(FILE.read_text(encoding="utf-8")), Grammar)
