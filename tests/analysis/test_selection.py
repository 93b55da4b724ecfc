"""What each call was worth, and what could have been called instead."""

from __future__ import annotations

from planbench_xl.analysis import CallFacts, analyse_episode
from planbench_xl.episodes.record import Turn, TurnError
from planbench_xl.world import Kind, Role, World
from tests.analysis.turns import (
    CHARGE,
    COST,
    JOB,
    LOAN,
    LOAN_IMPLICIT,
    LOAN_STALE,
    READY,
    RECEIPT,
    REPORT,
    REPORT_BY_CHARGE,
    call,
    rejected,
    search,
)
from tests.metrics.conftest import Make


def calls(mini: World, make: Make, *turns: Turn, paths: str = "exact") -> tuple[CallFacts, ...]:
    return analyse_episode(mini, make(*turns), paths=paths).calls  # type: ignore[arg-type]


def test_the_facts_of_a_call(mini: World, make: Make) -> None:
    good, bad, early, unknown = calls(
        mini,
        make,
        search(LOAN, LOAN_STALE, REPORT),
        call(LOAN, "L1"),
        call(LOAN_STALE, "L2"),
        rejected(JOB),
        Turn(action="call", error=TurnError.CALL_JSON),
    )
    assert good == CallFacts(
        turn=2,
        tool=LOAN,
        role=Role.EXECUTABLE,
        executed=True,
        progress=True,
        gained=("loan_id",),
        useful=(LOAN,),
        recent=True,
        useful_old=False,
    )
    assert (bad.role, bad.kind, bad.executed, bad.progress) == (Role.DISTRACTOR, Kind.STALE, True, False)
    assert (bad.useful, bad.gained) == ((REPORT,), ())
    assert (early.tool, early.executed, early.progress, early.recent) == (JOB, False, False, False)
    assert (unknown.tool, unknown.role, unknown.executed, unknown.recent) == ("", None, False, False)


def test_useful_tools_are_discovered_callable_and_needed(mini: World, make: Make) -> None:
    shown = (LOAN, REPORT, CHARGE, RECEIPT, READY, COST)
    first, second, third = calls(
        mini, make, search(*shown), call(LOAN, "L"), call(CHARGE, "C"), call(REPORT_BY_CHARGE, "D")
    )
    assert first.useful == (LOAN,)  # the others lack an input
    assert second.useful == (REPORT, CHARGE)  # two ways on: directly, and by the charge
    assert third.useful == (REPORT,)  # the receipt leads nowhere; the other way to the report isn't discovered
    assert third.progress and not third.recent


def test_a_charge_is_no_progress_once_the_report_is_there(mini: World, make: Make) -> None:
    turns = (search(LOAN, REPORT, CHARGE), call(LOAN, "L"), call(REPORT, "D"), call(CHARGE, "C"))
    assert [call.progress for call in calls(mini, make, *turns)] == [True, True, False]
    # The catalogue lists a path over the charge, and the paper's way looks no further.
    assert [call.progress for call in calls(mini, make, *turns, paths="reference")] == [True, True, True]


def test_the_recent_window(mini: World, make: Make) -> None:
    found = calls(
        mini,
        make,
        search(LOAN_STALE),
        call(LOAN_STALE, "a"),
        search(READY),
        call(LOAN_STALE, "b"),
        Turn(action="retrieve", error=TurnError.RETRIEVAL_JSON),
        call(LOAN_STALE, "c"),
        search(READY),
        call(LOAN_STALE, "d"),
        search(LOAN_STALE),
        call(LOAN_STALE, "e"),
    )
    assert [call.recent for call in found] == [True, True, True, False, True]


def test_old_sightings(mini: World, make: Make) -> None:
    found = calls(
        mini,
        make,
        search(LOAN_STALE),
        call(LOAN_STALE, "-"),
        search(LOAN),
        search(READY),
        search(READY),
        call(LOAN_STALE, "a"),
        search(READY),
        call(LOAN_STALE, "b"),
        search(LOAN),
        call(LOAN_STALE, "c"),
    )
    assert [call.useful_old for call in found] == [None, False, True, False]


def test_reappearance_after_drift(mini: World, make: Make) -> None:
    turns = (search(LOAN, LOAN_STALE, REPORT), call(LOAN_STALE, "x"), call(LOAN, "L"), call(LOAN_STALE, "y"))
    never = calls(mini, make, *turns, search(READY), search(LOAN))
    assert [call.reappears for call in never] == [None, None, False]  # no drift before progress
    again = calls(mini, make, *turns, search(READY), search(REPORT))
    assert [call.reappears for call in again] == [None, None, True]
    late = calls(mini, make, *turns, call(REPORT, "D"), search(REPORT))
    assert [call.reappears for call in late] == [None, None, False, None]  # the recovery came first
    blind = calls(mini, make, search(LOAN), call(LOAN, "L"), call(LOAN_STALE, "y"), search(REPORT))
    assert [call.reappears for call in blind] == [None, None]  # no useful tool was known to come again
    refused = calls(mini, make, search(LOAN, REPORT), call(LOAN, "L"), rejected(JOB), search(REPORT))
    assert [call.reappears for call in refused] == [None, None]


def test_where_all_tools_are_shown(mini: World, make: Make) -> None:
    first, second = calls(mini, make, call(LOAN, "L"), call(LOAN_IMPLICIT, "x"))
    assert first.recent and first.useful == (LOAN,) and first.useful_old is False
    assert set(second.useful) == {REPORT, CHARGE} and second.reappears is None
