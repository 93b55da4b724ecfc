from __future__ import annotations

import pytest

from planbench_xl.agents.phrases import (
    input_phrases,
    known_values,
    output_phrases,
    question_phrases,
    resemblance,
    words,
)


def test_words_are_stems_that_carry_a_topic() -> None:
    assert words("The cars of a customer's friends") == words("car customer friend")


@pytest.mark.parametrize(
    ("name", "outputs", "inputs"),
    [
        ("get_bill_total_from_bill_id", ("bill total",), ("bill id",)),
        ("get_bill_total_from_bill_id_v2", ("bill total",), ("bill id",)),
        ("get_proof_of_payment_from_receipt", ("proof of payment",), ("receipt",)),
        ("fetch_place_and_time_from_letter", ("place", "time"), ("letter",)),
        ("find_owner_by_plate", ("owner",), ()),
        ("ping", (), ()),
    ],
)
def test_names(name: str, outputs: tuple[str, ...], inputs: tuple[str, ...]) -> None:
    assert output_phrases(name) == outputs
    assert input_phrases(name) == inputs


def test_values_of_a_query_and_what_they_are_called() -> None:
    found = known_values("The parcel number is `P-7`, and the fee paid was $12.50 for size `L`.")
    assert [value.forms[0] for value in found] == ["P-7", 12.5, "L"]
    assert found[0].phrases[0] == "parcel number"
    assert "fee paid" in found[1].phrases[0]


def test_a_time_may_be_stored_in_several_ways() -> None:
    (found,) = known_values("It was sent at 2026-04-13 03:59 UTC last week.")
    assert "2026-04-13T03:59:00Z" in found.forms
    assert "2026-04-13 03:59 UTC" in found.forms


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
    assert question_phrases(query)[0] == phrase


def test_a_query_without_a_question_is_its_own_phrase() -> None:
    assert question_phrases("Parcel.") == ["Parcel."]


def test_resemblance() -> None:
    assert resemblance(frozenset("ab"), frozenset("ab")) == 1
    assert resemblance(frozenset(), frozenset()) == 0
