"""The way of untrusted values, and what became of block alternatives."""

from __future__ import annotations

import pytest

from planbench_xl.analysis import Contamination, FollowUp, Imitation, analyse_episode
from planbench_xl.analysis.values import holds
from planbench_xl.episodes.record import Turn, TurnError
from planbench_xl.world import Kind, World
from tests.analysis.turns import (
    COST,
    COST_STALE,
    LOAN,
    LOAN_EXPLICIT,
    LOAN_IMPLICIT,
    LOAN_MISLEADING,
    LOAN_STALE,
    REPORT,
    call,
    rejected,
    search,
)
from tests.metrics.conftest import Make, answered

BUSY = "error: lending register busy, request dropped."


def spread(mini: World, make: Make, *turns: Turn) -> tuple[Contamination, ...]:
    return analyse_episode(mini, make(*turns)).contaminations


def test_an_untrusted_value_that_goes_unused_is_no_contamination(mini: World, make: Make) -> None:
    assert spread(mini, make, call(LOAN_STALE, "L2"), call(LOAN, "L1"), answered("L1")) == ()


def test_an_untrusted_value_in_arguments_and_answer(mini: World, make: Make) -> None:
    turns = (
        call(LOAN_STALE, "L2"),
        rejected(REPORT, TurnError.UNTRUSTED_INPUT, lending_record="L2"),
        call(COST_STALE, 9.99, workshop_ticket="L2"),
        answered("It costs 9.99."),
    )
    loan, cost = spread(mini, make, *turns)
    assert loan == Contamination(turn=1, tool=LOAN_STALE, value="L2", arguments=(2, 3), answer=False)
    assert cost == Contamination(turn=3, tool=COST_STALE, value="9.99", arguments=(), answer=True)


def test_a_value_known_from_elsewhere_is_no_trace(mini: World, make: Make) -> None:
    given = (call(LOAN_STALE, "b3319058"), call(REPORT, "D", lending_record="b3319058"), answered("b3319058"))
    assert spread(mini, make, *given) == ()  # the question names it
    confirmed = (call(LOAN_STALE, "L1"), call(LOAN, "L1"), call(REPORT, "D", lending_record="L1"), answered("L1"))
    assert spread(mini, make, *confirmed) == ()
    (before,) = spread(mini, make, call(LOAN_STALE, "L1"), call(REPORT, "D", lending_record="L1"), call(LOAN, "L1"))
    assert before.arguments == (2,)


def test_a_broken_tool_is_untrusted(mini: World, make: Make) -> None:
    (found,) = spread(mini, make, call(COST, -1, broken=True), answered("-1"))
    assert found.tool == COST and found.answer


def test_an_argument_before_the_value_is_no_trace_of_it(mini: World, make: Make) -> None:
    assert spread(mini, make, call(REPORT, "D", lending_record="L2"), call(LOAN_STALE, "L2")) == ()


@pytest.mark.parametrize(
    ("text", "value", "held"),
    [
        ("it costs 9.99.", "9.99", True),
        ("9.99", "9.99", True),
        ("it costs 19.99", "9.99", False),
        ("9.995", "9.99", False),
        ("ord-12-7", "ord-12", False),
        ("the code (ord-12)", "ord-12", True),
        ("anything", "", False),
        ("-1", "1", False),
    ],
)
def test_values_are_found_as_whole_words(text: str, value: str, held: bool) -> None:
    assert holds(text, value) is held


@pytest.mark.parametrize(
    ("later", "follow_up"),
    [
        ((), FollowUp.UNUSED),
        ((call(REPORT, "D", lending_record="L9"),), FollowUp.UNUSED),
        ((rejected(REPORT, TurnError.UNTRUSTED_INPUT, lending_record="-273.15"),), FollowUp.VALUE_REUSED),
        ((search(REPORT, of="loan_id"),), FollowUp.SEARCH_REUSED),
        ((search(REPORT, of="loan_id"), rejected(REPORT, lending_record="-273.15")), FollowUp.VALUE_REUSED),
        ((search(REPORT, of="damage_report_id"),), FollowUp.UNUSED),
        ((call(LOAN, "L1"), search(REPORT, of="loan_id", phrase="checkout transaction")), FollowUp.UNUSED),
        ((Turn(action="retrieve", error=TurnError.RETRIEVAL_JSON),), FollowUp.UNUSED),
    ],
)
def test_follow_up(mini: World, make: Make, later: tuple[Turn, ...], follow_up: FollowUp) -> None:
    found = analyse_episode(mini, make(call(LOAN_IMPLICIT, "-273.15"), *later)).imitations
    assert found == (Imitation(turn=1, tool=LOAN_IMPLICIT, kind=Kind.IMPLICIT, follow_up=follow_up),)


@pytest.mark.parametrize("phrase", ["reading_badge", "Reading  badge", "reading badge code"])
def test_a_misleading_output_is_found_by_its_words(mini: World, make: Make, phrase: str) -> None:
    turns = (call(LOAN_MISLEADING, "badge-owl-07"), search(of="patron_card_id", phrase=phrase))
    (found,) = analyse_episode(mini, make(*turns)).imitations
    assert (found.kind, found.follow_up) == (Kind.MISLEADING, FollowUp.SEARCH_REUSED)


def test_only_executed_block_alternatives_count(mini: World, make: Make) -> None:
    turns = (call(LOAN_STALE, "L2"), rejected(LOAN_EXPLICIT), call(LOAN_EXPLICIT, BUSY, success=False))
    assert [imitation.turn for imitation in analyse_episode(mini, make(*turns)).imitations] == [3]
