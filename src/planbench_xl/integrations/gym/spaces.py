"""A space of texts without an alphabet: JSON, tags and every language are in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Text

SAMPLE_LENGTH = 64
_LETTERS = tuple('abcdefghijklmnopqrstuvwxyz {}[]":,<>/_-0123456789\n\\äßλж漢🙂')


class UnicodeText(Text):
    """Texts of at most `max_length` characters, the empty one included. Samples are short and of a few scripts."""

    def __init__(self, max_length: int, *, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length, min_length=0, charset="".join(_LETTERS), seed=seed)

    def contains(self, x: Any) -> bool:
        """Say whether a value is a text that is short enough."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a random text; masks have no meaning here."""
        if mask is not None or probability is not None:
            raise ValueError("UnicodeText has no alphabet, so it takes no mask and no probabilities.")
        length = int(self.np_random.integers(0, min(SAMPLE_LENGTH, self.max_length) + 1))
        return "".join(_LETTERS[i] for i in self.np_random.integers(0, len(_LETTERS), length))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and self.max_length == other.max_length

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_length})"
