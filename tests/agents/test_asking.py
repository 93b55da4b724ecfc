from __future__ import annotations

import pytest

from planbench_xl.agents.asking import questions


@pytest.mark.parametrize(
    ("query", "phrase"),
    [
        ("I lost card `C-1`. Can you trace it and return the current delivery status?", "delivery status"),
        ("What is the exact invoice sum associated with `B-1`?", "invoice sum"),
        ("Please tell me when the work was finished for `B-1`.", "work time"),
        ("Find the number of the receipt for `B-1`.", "receipt number"),
        ("I need the linked parcel ID for `B-1`. What is it?", "parcel id"),
    ],
)
def test_what_a_question_asks_for(query: str, phrase: str) -> None:
    (question,) = questions(query)
    assert phrase in question.phrases[:2]


def test_a_query_without_a_question_is_its_own_phrase() -> None:
    assert questions("Parcel.")[0].phrases == ("Parcel.",)


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("Tell me when `B-1` was sent and who signed for it.", ["time", "name"]),
        ("I need two things on `B-1`: the amount that was paid, and the receipt for it.", ["amount", ""]),
        ("From `B-1`, find out which shelf it lay on and how heavy it was, please.", ["", "weight"]),
        ("Which badge did the person who took it wear?", [""]),
        ("What is the price of `B-1`?", ["amount"]),
    ],
)
def test_each_thing_asked_for_is_a_question(query: str, kinds: list[str]) -> None:
    assert [question.kind for question in questions(query)] == kinds


@pytest.mark.parametrize(
    "query",
    [
        "We found `B-1`. Please tell me which shelf it lay on. It goes into the incident report.",
        "What I can offer is `B-1`. Which shelf did it lie on? Thanks for your help.",
    ],
)
def test_what_surrounds_a_request_is_no_request(query: str) -> None:
    (question,) = questions(query)
    assert "shelf" in question.phrases[0]
