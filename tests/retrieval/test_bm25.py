"""BM25, against the formula written out and against another implementation."""

import math
from random import Random

import pytest

from planbench_xl.retrieval.bm25 import K1, B, Bm25, tokens
from planbench_xl.world import World

TEXTS = [
    "get refund amount from order number",
    "get order number from receipt number and store",
    "get delivery time of the parcel",
    "",
    "refund refund refund",
]


def plain_score(texts: list[str], text: str, number: int) -> float:
    """The formula, without an index."""
    documents = [tokens(each) for each in texts]
    mean = sum(map(len, documents)) / len(documents)
    score = 0.0
    for word in tokens(text):
        containing = sum(word in document for document in documents)
        if containing:
            rarity = math.log(1 + (len(documents) - containing + 0.5) / (containing + 0.5))
            times = documents[number].count(word)
            length = len(documents[number])
            score += rarity * times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))
    return score


def test_tokens() -> None:
    assert tokens("Get_VAT-Amount from Größe 12!") == ["get", "vat", "amount", "from", "größe", "12"]
    assert tokens("\ud800 _ ?") == []


@pytest.mark.parametrize("text", ["refund amount", "order order number", "get from", "nothing here", ""])
def test_scores_follow_the_formula(text: str) -> None:
    scores = Bm25(TEXTS).scores(text)
    for number in range(len(TEXTS)):
        assert scores.get(number, 0.0) == pytest.approx(plain_score(TEXTS, text, number), abs=1e-8)


def test_ranks() -> None:
    index = Bm25(TEXTS)
    assert index.rank("refund", 5) == [4, 0]
    assert index.rank("refund", 1) == [4]
    assert index.rank("unheard", 5) == []
    assert Bm25(["same words", "other", "same words"]).rank("words", 3) == [0, 2]
    assert Bm25([]).rank("x", 3) == Bm25(["", ""]).rank("x", 3) == []


def test_the_same_on_a_world(mini: World) -> None:
    texts = [tool.description for tool in mini.tools]
    for query in texts[:5]:
        scores = [plain_score(texts, query, number) for number in range(len(texts))]
        best = sorted(range(len(texts)), key=lambda number: (-round(scores[number], 9), number))
        assert Bm25(texts).rank(query, 10) == best[:10]


@pytest.mark.slow
def test_against_another_implementation() -> None:
    bm25s = pytest.importorskip("bm25s")
    rng = Random(1)
    vocabulary = [f"word{number}" for number in range(60)]
    texts = [" ".join(rng.choices(vocabulary, k=rng.randint(3, 20))) for _ in range(300)]
    other = bm25s.BM25(method="lucene", k1=K1, b=B)
    other.index([tokens(text) for text in texts], show_progress=False)
    for _ in range(30):
        query = " ".join(rng.sample(vocabulary, 4))
        theirs = other.get_scores(tokens(query))
        ours = Bm25(texts).scores(query)
        # Lucene leaves out the constant factor k1 + 1.
        for number, score in enumerate(theirs):
            assert ours.get(number, 0.0) == pytest.approx(float(score) * (K1 + 1), rel=1e-5, abs=1e-6)
