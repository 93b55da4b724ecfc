"""Matches a phrase to a datatype by hashed text features (reference protocol, section 3).

The score of two texts is the cosine of their feature counts. It is compared exactly, in integers, so that ties
are ties on every machine; the first datatype in file order wins them.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from math import gcd, isqrt

from planbench_xl.world import Datatype

BUCKETS = 512
SCALE = 1024
"""Length of the vectors whose products are bounded."""

REMEMBERED = 100_000
"""Features and phrases whose result is remembered."""

_TOKEN = re.compile(r"[a-z0-9]+")
_SPACE = re.compile(r"\s+")

Vector = Mapping[int, int]
"""Bucket → count."""

Direction = frozenset[tuple[int, int]]


class _Buckets(dict[str, int]):
    """Bucket of each feature, by its text without a prefix that all of a kind share; forgotten when too many."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, text: str) -> int:
        if len(self) >= REMEMBERED:
            self.clear()
        digest = blake2b((self._prefix + text).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        bucket = self[text] = int.from_bytes(digest, "big") % BUCKETS
        return bucket


_WORDS = _Buckets("")
_TRIGRAMS = _Buckets("char::")


def encode(text: str) -> Vector:
    """Return the counts of a text's features per bucket: words, pairs of words, character trigrams."""
    text = text.lower().strip().replace("_", " ")
    tokens = _TOKEN.findall(text)
    counts = Counter([_WORDS[token] for token in tokens])
    counts.update([_WORDS[f"{a}__{b}"] for a, b in pairwise(tokens)])
    padded = f"  {_SPACE.sub(' ', text)}  "
    counts.update([_TRIGRAMS[padded[i : i + 3]] for i in range(len(padded) - 2)])
    return counts


def surfaces(datatype: Datatype) -> tuple[str, ...]:
    """Return the texts that stand for a datatype, without those that differ in case only."""
    texts = (datatype.name, datatype.name.replace("_", " "), *datatype.aliases, datatype.description)
    unique: dict[str, str] = {}
    for text in texts:
        unique.setdefault(text.casefold(), text)
    return tuple(unique.values())


def _direction(vector: Vector) -> Direction:
    """Return a key that two vectors share exactly when their cosine is 1."""
    divisor = gcd(*vector.values()) if vector else 1
    if divisor == 1:
        return frozenset(vector.items())
    return frozenset((bucket, count // divisor) for bucket, count in vector.items())


class PhraseMatcher:
    """Finds the datatype that a phrase stands for. Results for phrases of usual length are remembered."""

    REMEMBERED_LENGTH = 200

    def __init__(self, datatypes: Sequence[Datatype]) -> None:
        self._names = [datatype.name for datatype in datatypes]
        self._surfaces = {datatype.name: surfaces(datatype) for datatype in datatypes}
        texts = [(owner, text) for owner, datatype in enumerate(datatypes) for text in self._surfaces[datatype.name]]
        self._vectors = [(owner, encode(text)) for owner, text in texts]
        self._exact: dict[Direction, int] = {}
        for owner, vector in self._vectors:
            self._exact.setdefault(_direction(vector), owner)
        self._memory: dict[str, str] = {}

    @cached_property
    def _postings(self) -> list[list[tuple[int, int]]]:
        """Number of each surface with a feature in a bucket, and its count there."""
        postings: list[list[tuple[int, int]]] = [[] for _ in range(BUCKETS)]
        for number, (_, vector) in enumerate(self._vectors):
            for bucket, count in vector.items():
                postings[bucket].append((number, count))
        return postings

    @cached_property
    def _norms(self) -> list[int]:
        """Squared length of each surface's vector."""
        return [sum(count * count for count in vector.values()) for _, vector in self._vectors]

    def match(self, phrase: str) -> str:
        """Return the name of the best datatype; there is always one, even at score 0."""
        found = self._memory.get(phrase)
        if found is None:
            found = self._names[self._best(phrase)]
            if len(phrase) <= self.REMEMBERED_LENGTH and len(self._memory) < REMEMBERED:
                self._memory[phrase] = found
        return found

    def owns(self, name: str, phrase: str) -> bool:
        """Say whether `match` takes a phrase for this datatype; quick where the phrase is near to its texts."""
        if phrase in self._surfaces:
            return self.match(phrase) == name
        vector = encode(phrase)
        perfect = self._exact.get(_direction(vector))
        if perfect is not None:
            return self._names[perfect] == name
        owner = self._names.index(name)
        dot, norm = self._nearest(owner, vector)
        for other, bound in enumerate(self._bounds(vector)):
            # bound / SCALE < dot / sqrt(norm), squared: none of its texts can come as near.
            if other == owner or bound * bound * norm < SCALE * SCALE * dot * dot:
                continue
            its_dot, its_norm = self._nearest(other, vector)
            ours, its = dot * dot * its_norm, its_dot * its_dot * norm
            if its > ours or (its == ours and other < owner):
                return False
        return True

    def _nearest(self, owner: int, vector: Vector) -> tuple[int, int]:
        """Return the product with the surface of a datatype that is nearest to a vector, and its squared length."""
        best, best_norm = 0, 1
        for number in self._own[owner]:
            other, norm = self._vectors[number][1], self._norms[number]
            dot = sum(count * other.get(bucket, 0) for bucket, count in vector.items())
            if dot * dot * best_norm > best * best * norm:
                best, best_norm = dot, norm
        return best, best_norm

    def _bounds(self, vector: Vector) -> Sequence[int]:
        """Return, per datatype, more than the largest product of a vector and one of its surfaces of length `SCALE`."""
        total = sum(count * self._largest[bucket] for bucket, count in vector.items())
        return memoryview(total.to_bytes(8 * len(self._names), sys.byteorder)).cast("Q")

    @cached_property
    def _own(self) -> list[list[int]]:
        """Numbers of the surfaces of each datatype."""
        own: list[list[int]] = [[] for _ in self._names]
        for number, (owner, _) in enumerate(self._vectors):
            own[owner].append(number)
        return own

    @cached_property
    def _largest(self) -> list[int]:
        """Per bucket, the largest part that it has in a surface of each datatype, 64 bits each in one long integer.

        One multiplication thus does for all datatypes.
        """
        largest = [array("Q", bytes(8 * len(self._names))) for _ in range(BUCKETS)]
        for (owner, vector), norm in zip(self._vectors, self._norms, strict=True):
            for bucket, count in vector.items():
                part = isqrt(SCALE * SCALE * count * count // norm) + 1
                largest[bucket][owner] = max(largest[bucket][owner], part)
        return [int.from_bytes(parts.tobytes(), sys.byteorder) for parts in largest]

    def _best(self, phrase: str) -> int:
        texts: Iterable[str] = self._surfaces.get(phrase, (phrase,))
        vectors = [encode(text) for text in texts]
        # A cosine of 1 can't be beaten, and a datatype's own surfaces always reach it.
        perfect = [self._exact[key] for key in map(_direction, vectors) if key in self._exact]
        if perfect:
            return min(perfect)
        (vector,) = vectors
        dots = [0] * len(self._vectors)
        for bucket, count in vector.items():
            for number, other in self._postings[bucket]:
                dots[number] += count * other
        best, best_dot, best_norm = 0, 0, 1
        for (owner, _), dot, norm in zip(self._vectors, dots, self._norms, strict=True):
            # dot / sqrt(norm) > best_dot / sqrt(best_norm), squared; all are non-negative.
            if dot * dot * best_norm > best_dot * best_dot * norm:
                best, best_dot, best_norm = owner, dot, norm
        return best
