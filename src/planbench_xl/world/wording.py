"""What texts that agents read must not say, wherever they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

ROLE_WORDS = re.compile(
    r"\b(?:distractors?|noisy|noise|baseline|blockers?|block alternatives?|executable tools?|misleading|"
    r"miswired|implicit failures?|explicit failures?|ground[- ]truth|gold answers?|benchmark)\b",
    re.IGNORECASE,
)
"""The words of the paper and of the release for roles and kinds."""


@lru_cache(maxsize=4096)
def phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of any of some phrases as whole words, written with spaces, underscores or hyphens."""
    words = sorted(
        {r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", phrase.strip()))) for phrase in phrases if phrase}
    )
    # An underscore is no word character here: names of tools are made of it.
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(words, key=len, reverse=True))})(?![^\W_])", re.IGNORECASE)


def compound_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of several words; one of a single word can't be told from the word."""
    return tuple(name for name in names if len(re.split(r"[\s_-]+", name.strip())) > 1)


def names_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of internal names of datatypes in a text, however they are written."""
    compound = compound_names(names)
    return phrase_pattern(compound) if compound else re.compile("(?!)")
