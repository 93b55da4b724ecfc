from __future__ import annotations

import pytest

from planbench_xl.agents.phrases import (
    input_phrases,
    known_values,
    output_phrases,
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


def test_a_value_is_called_by_the_nouns_around_it() -> None:
    (label,) = known_values("It started with a label that reads `RL-9`.")
    assert label.phrases[0] == "label number"
    (payment,) = known_values("We have the payment with reference `PAY-1`.")
    assert payment.phrases[0] == "payment reference"
    (mail,) = known_values("There is a message from `a.b@example.org`.")
    assert mail.phrases[0] == "email address"


def test_resemblance() -> None:
    assert resemblance(frozenset("ab"), frozenset("ab")) == 1
    assert resemblance(frozenset(), frozenset()) == 0
