"""A tiny embedding model for tests: it counts words."""

import struct
from collections.abc import Sequence

from planbench_xl.retrieval.bm25 import tokens


class WordHash:
    """Embeds a text by the words in it, and remembers what it was asked."""

    def __init__(self, size: int = 64, identity: str = "words") -> None:
        self.size = size
        self.identity = identity
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        counts = [0.0] * self.size
        for word in tokens(text):
            counts[sum(word.encode()) % self.size] += 1
        return struct.pack(f"<{self.size}f", *counts)
