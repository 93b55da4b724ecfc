"""Ranks texts by the cosine of their embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planbench_xl.errors import RetrieverError
from planbench_xl.retrieval.embedding import Embedder

DIGITS = 5
"""Cosines are compared at so many digits after the point: beyond them is the noise of single precision."""


class Dense:
    """Ranks texts by meaning, as a model embeds them.

    Raises:
        RetrieverError: numpy is missing, or the model fails.
    """

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._matrix = _unit_rows(embedder.embed(texts), embedder.identity)

    def rank(self, text: str, count: int) -> list[int]:
        """Return the numbers of the best texts; the first text wins a tie.

        Raises:
            RetrieverError: The model fails.
        """
        vector = _unit_rows(self._embedder.embed([text]), self._embedder.identity)[0]
        if len(vector) != self._matrix.shape[1]:
            raise RetrieverError(
                f"Embedding model '{self._embedder.identity}' gave {len(vector)} numbers for a request and "
                f"{self._matrix.shape[1]} for a tool. It has changed under its name: empty the cache of embeddings."
            )
        cosines = (self._matrix @ vector).round(DIGITS)
        best: list[int] = (-cosines).argsort(kind="stable")[:count].tolist()
        return best


def _unit_rows(vectors: Sequence[bytes], model: str) -> Any:
    """Return vectors as the rows of a matrix, each of length 1."""
    np = load_numpy()
    sizes = {len(vector) for vector in vectors}
    if len(sizes) != 1 or 0 in sizes:
        raise RetrieverError(f"Embedding model '{model}' gives vectors of different sizes, or empty ones. Use another.")
    matrix = np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise RetrieverError(f"Embedding model '{model}' gives numbers that are not finite. Use another.")
    # A vector of zeros, as of a text without a known word, is like no other.
    return matrix / np.where(lengths > 0, lengths, 1)


def load_numpy() -> Any:
    """Return numpy, which only retrieval by embeddings needs.

    Raises:
        RetrieverError: It isn't installed.
    """
    try:
        import numpy
    except ImportError as error:
        raise RetrieverError(
            "Retrieval by embeddings needs numpy. Install it with `pip install 'planbench-xl[dense]'`."
        ) from error
    return numpy
