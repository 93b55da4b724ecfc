"""Okapi BM25 over short texts: exact, in pure Python, with an inverted index.

The weight of a word in a text is that of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009), with Lucene's inverse document frequency, which is never negative.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

K1 = 1.5
B = 0.75
DIGITS = 9
"""Scores are compared at so many digits after the point, so that ties are ties on every machine."""

_TOKEN = re.compile(r"[^\W_]+")


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case; underscores part words."""
    return _TOKEN.findall(text.lower())


class Bm25:
    """Ranks texts by the words that they share with another."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(tokens(text)) for text in texts]
        lengths = [count.total() for count in counts]
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        frequency = Counter(word for count in counts for word in count)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            dampening = K1 * (1 - B + B * length / mean)
            for word, times in count.items():
                rarity = math.log(1 + (len(texts) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                self._postings[word].append((number, rarity * times * (K1 + 1) / (times + dampening)))

    def scores(self, text: str) -> dict[int, float]:
        """Return the score of every text that shares a word with a text, by its number."""
        found: dict[int, float] = defaultdict(float)
        for word, times in Counter(tokens(text)).items():
            for number, weight in self._postings.get(word, ()):
                found[number] += times * weight
        return {number: round(score, DIGITS) for number, score in found.items()}

    def rank(self, text: str, count: int) -> list[int]:
        """Return the numbers of the best texts, at most `count`; the first text wins a tie."""
        scores = self.scores(text)
        return heapq.nsmallest(count, scores, key=lambda number: (-scores[number], number))
