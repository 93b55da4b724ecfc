from __future__ import annotations

from datetime import datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbench_xl.construct.makers import Pick, parse_maker
from planbench_xl.world.checks.values import fits

WORDS = {"town": ("Ashby", "Bree")}
BASES = {
    "B-{d5}{A2}": None,
    "{town} {X3}": None,
    "pick: card | voucher / cheque": None,
    "integer: 1 .. 40": None,
    "money: 110.00 .. 980.00": None,
    "time: 2026-01-05 .. 2026-05-30": None,
    "time: paid_at + 2h .. 3d": "2026-02-03T10:00:00Z",
    "time: on ordered_on": "2026-02-03",
    "date: 2026-01-05 .. 2026-05-30": None,
    "share: 0.10 .. 0.35 of total": 250.55,
}


@given(st.sampled_from(sorted(BASES)), st.integers(0, 10_000))
def test_values_fit_their_type(line: str, seed: int) -> None:
    maker = parse_maker(line, WORDS)
    assert fits(maker.draw(Random(seed), BASES[line]), maker.value_type)
    assert fits(maker.impossible(Random(seed)), maker.value_type)


@given(st.integers(0, 10_000))
def test_ranges_hold(seed: int) -> None:
    rng = Random(seed)
    assert 1 <= parse_maker("integer: 1 .. 4", {}).draw(rng, None) <= 4
    amount = parse_maker("money: 110.00 .. 110.50", {}).draw(rng, None)
    assert 110 <= amount <= 110.59
    assert len(str(amount).partition(".")[2]) == 2
    moment = parse_maker("time: x + 2h .. 3h", {}).draw(rng, "2026-02-03T10:00:00Z")
    assert 12 <= datetime.fromisoformat(moment).hour <= 13
    assert parse_maker("time: on day", {}).draw(rng, "2026-02-03").startswith("2026-02-03T")


def test_what_follows_a_slash_is_never_true() -> None:
    maker = parse_maker("pick: a | b / c | d", {})
    assert isinstance(maker, Pick)
    assert {maker.draw(Random(n), None) for n in range(50)} == {"a", "b"}
    assert {maker.impossible(Random(n)) for n in range(50)} == {"c", "d"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("plain", "no random part"),
        ("{nowhere} {d2}", "word list 'nowhere'"),
        ("pick: one", "pick: a | b"),
        ("integer: 1 to 4", "integer: 1 .. 40"),
        ("time: yesterday", "time: FIELD + 2h .. 3d"),
        ("share: half of total", "share: 0.10 .. 0.35 of FIELD"),
    ],
)
def test_a_wrong_line_is_explained(line: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"is not|uses|has no") as raised:
        parse_maker(line, WORDS)
    assert says in str(raised.value)
