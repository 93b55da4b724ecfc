from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b
from random import Random

import msgspec
import pytest

from planbench_xl.retrieval import PhraseMatcher
from planbench_xl.retrieval.hashing import encode, surfaces
from planbench_xl.world import Datatype, World


def dot(a: dict[int, int], b: dict[int, int]) -> int:
    return sum(count * b.get(bucket, 0) for bucket, count in a.items())


def oracle(datatypes: list[Datatype], phrase: str) -> str:
    """Compare squared cosines as exact fractions, over all pairs of surfaces."""
    best, best_score = "", Fraction(-1)
    exact = next((d for d in datatypes if d.name == phrase), None)
    for datatype in datatypes:
        for query in map(encode, surfaces(exact) if exact else (phrase,)):
            for other in map(encode, surfaces(datatype)):
                score = Fraction(dot(query, other) ** 2, max(1, dot(query, query) * dot(other, other)))
                if score > best_score:
                    best, best_score = datatype.name, score
    return best


def test_matches_the_oracle_on_random_phrases(mini: World) -> None:
    rng = Random(0)
    datatypes = list(mini.datatypes)
    words = sorted({word for d in datatypes for text in surfaces(d) for word in text.split()})
    matcher = PhraseMatcher(datatypes)
    phrases = [" ".join(rng.choice(words) for _ in range(rng.randrange(1, 5))) for _ in range(150)]
    phrases += [d.name for d in datatypes] + ["", "???", "é", "\x00", "A  B\tC"]
    for phrase in phrases:
        assert matcher.match(phrase) == oracle(datatypes, phrase), phrase


def test_owns_says_what_match_finds(mini: World) -> None:
    rng = Random(1)
    # Two datatypes with the same texts: the first one in file order wins the tie.
    twin = msgspec.structs.replace(mini.datatypes[3], name="twin")
    matcher = PhraseMatcher([*mini.datatypes, twin])
    texts = [text for d in mini.datatypes for text in surfaces(d)]
    words = sorted({word for text in texts for word in text.split()})
    phrases = [" ".join(rng.choice(words) for _ in range(rng.randrange(1, 5))) for _ in range(60)]
    phrases += [f"{text}." for text in texts] + texts + ["", "???", "\x00", "twin", "a " * 100_000]
    for phrase in phrases:
        owners = [d.name for d in (*mini.datatypes, twin) if matcher.owns(d.name, phrase)]
        assert owners == [matcher.match(phrase)], phrase[:80]


def test_first_in_file_order_wins_a_tie() -> None:
    def datatype(name: str, alias: str) -> Datatype:
        return Datatype(name, f"about {name}", "string", aliases=(alias,))

    matcher = PhraseMatcher([datatype("zeta", "shared words"), datatype("alpha", "shared words")])
    assert matcher.match("shared words") == "zeta"
    assert matcher.match("Shared_Words ") == "zeta"
    assert matcher.match("alpha") == "zeta", "a name stands for all surfaces, and the earlier datatype shares one"
    assert matcher.match("qqq") == "zeta", "at score 0 the first datatype wins"


@pytest.mark.parametrize(("text", "count"), [("ab", 1 + 4), ("a_b", 2 + 1 + 5), (" A  b ", 2 + 1 + 5)])
def test_features(text: str, count: int) -> None:
    """Words, neighbouring pairs, and trigrams of the text with two spaces on both sides."""
    assert sum(encode(text).values()) == count


def test_bucket_of_a_feature() -> None:
    bucket = int.from_bytes(blake2b(b"ab", digest_size=8).digest(), "big") % 512
    assert encode("ab")[bucket] >= 1


def test_surfaces_differ_by_more_than_case() -> None:
    datatype = Datatype("user_id", "User id", "string", aliases=("USER ID", "account"))
    assert surfaces(datatype) == ("user_id", "user id", "account")
