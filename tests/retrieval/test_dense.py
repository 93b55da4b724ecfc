"""Rankings by embeddings, and fused rankings."""

import math
import struct
from collections.abc import Sequence

import pytest

from planbench_xl.errors import RetrieverError
from planbench_xl.retrieval.ranking import Fused
from tests.retrieval.embedders import WordHash

pytest.importorskip("numpy")

from planbench_xl.retrieval.dense import Dense


class Fixed:
    """Gives what it is told to."""

    identity = "fixed"

    def __init__(self, *vectors: Sequence[float]) -> None:
        self.vectors = [struct.pack(f"<{len(vector)}f", *vector) for vector in vectors]

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [self.vectors.pop(0) for _ in texts]


def test_ranks_by_cosine() -> None:
    index = Dense(["a", "b", "c", "d"], Fixed((0, 1), (5, 5), (2, 0), (0, 0), (3, 0.1)))
    assert index.rank("query", 4) == [2, 1, 0, 3]


def test_the_first_wins_a_tie_and_length_means_nothing() -> None:
    texts = ["order number", "nothing", "number order"]
    assert Dense(texts, WordHash()).rank("order number order number", 2) == [0, 2]


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (((1, 2), (1, 2, 3)), "different sizes"),
        (((), ()), "empty ones"),
        (((1, math.nan), (1, 2)), "not finite"),
    ],
)
def test_models_that_give_nonsense(vectors: tuple[tuple[float, ...], ...], message: str) -> None:
    with pytest.raises(RetrieverError, match=message):
        Dense(["a", "b"], Fixed(*vectors))


def test_a_model_that_has_changed() -> None:
    index = Dense(["a"], Fixed((1, 2), (1, 2, 3)))
    with pytest.raises(RetrieverError, match="gave 3 numbers for a request and 2 for a tool"):
        index.rank("b", 1)


class Given:
    """A ranking that is told."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)

    def rank(self, text: str, count: int) -> list[int]:
        return self.numbers[:count]


def test_fusion() -> None:
    assert Fused(Given(3, 1, 2), Given(1, 4)).rank("", 10) == [1, 3, 4, 2]
    assert Fused(Given(7), Given(5)).rank("", 10) == [5, 7]
    assert Fused(Given(7), Given(5)).rank("", 1) == [5]
