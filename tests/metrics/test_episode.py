"""The score of one episode."""

from __future__ import annotations

import msgspec
import pytest

from planbench_xl.episodes.record import Reason, Status, TurnError
from planbench_xl.errors import UsageError
from planbench_xl.metrics import score_episode
from planbench_xl.metrics.facts import facts_of
from planbench_xl.world import World
from tests.metrics.conftest import Make, answered, called, changed, seen

LOAN = "get_loan_reference_from_membership_card_and_title_reference"
REPORT = "get_condition_report_from_lending_record"
JOB = "get_repair_order_from_wear_report_plus"
COST = "get_mending_cost_from_workshop_ticket"
TIME = "get_completion_time_from_mending_job_go"
COST_STALE = "get_workshop_bill_total_from_restoration_job"
REPORT_STALE = "get_damage_form_from_checkout_number_prime"
BLOCKED_COST = "get_binding_price_from_mending_job"
MISLEADING = "get_reading_report_from_lending_record_go"
DESK = "get_service_point_and_return_deadline_from_overdue_reminder"
DESK_STALE = "get_lending_desk_and_last_return_date_from_late_notice_pro"
LOAN_BY_DESK = "get_borrowing_entry_from_library_card_number_and_collection_point_and_loan_end_time"

PATH = (called(LOAN), called(REPORT), called(JOB), called(COST, 57.2))


def test_a_full_solution(mini: World, make: Make) -> None:
    turns = (seen(LOAN, REPORT, JOB, COST, TIME), *PATH, answered("57.2"))
    score = score_episode(mini, make(*turns, success=True))
    assert score.success and score.answer_correct and score.grounded and score.agrees
    assert (score.reason, score.turns, score.search_turns, score.call_turns) == (None, 6, 1, 4)
    assert score.explored == (
        "bindery_job_id",
        "damage_report_id",
        "loan_id",
        "repair_cost_amount",
        "repair_ready_at",
    )
    assert score.executed == ("bindery_job_id", "damage_report_id", "loan_id", "repair_cost_amount")
    assert score.ground_truth == (
        "bindery_job_id",
        "charge_id",
        "damage_report_id",
        "loan_id",
        "patron_card_id",
        "repair_cost_amount",
        "title_record_id",
    )
    assert (score.egt_precision, score.egt_recall) == (1.0, 4 / 7)


def test_nothing_happened(mini: World, make: Make) -> None:
    score = score_episode(mini, make())
    assert (score.turns, score.explored, score.executed, score.success) == (0, (), (), False)
    assert (score.egt_precision, score.egt_recall) == (None, 0.0)


def test_what_is_executed_counts_only_if_trusted_and_not_empty(mini: World, make: Make) -> None:
    turns = (
        called(LOAN),
        called(REPORT, None, success=False),
        called(REPORT_STALE),
        called(JOB, "error", broken=True),
        called(TIME),
    )
    score = score_episode(mini, make(*turns))
    assert score.executed == ("loan_id", "repair_ready_at")
    assert score.egt_precision == 0.5


def test_explored_is_closed_under_tools_seen_in_any_order_and_role(mini: World, make: Make) -> None:
    # The tools come backwards, and the last of them opens all; the distractor leads where its source leads.
    score = score_episode(mini, make(seen(COST), seen(JOB), seen(REPORT_STALE, MISLEADING), seen(LOAN)))
    assert score.explored == ("bindery_job_id", "book_review_id", "damage_report_id", "loan_id", "repair_cost_amount")
    assert score_episode(mini, make(seen(COST, JOB, REPORT))).explored == ()
    assert score_episode(mini, make(seen(error=TurnError.RETRIEVAL_JSON), seen())).explored == ()


def test_all_outputs_of_a_tool_are_explored(mini: World, make: Make) -> None:
    episode = make(seen(DESK, LOAN_BY_DESK), query_id="library_query_07", task_id="library_task_05")
    assert score_episode(mini, episode).explored == ("branch_id", "loan_due_at", "loan_id")


def test_kinds_of_calls_and_searches(mini: World, make: Make) -> None:
    turns = (
        called("", error=TurnError.CALL_JSON),
        called("made_up", error=TurnError.UNDISCOVERED),
        called(COST_STALE, error=TurnError.UNDISCOVERED),
        called(LOAN, error=TurnError.WRONG_ARGUMENTS),
        called(JOB, error=TurnError.MISSING_INPUT),
        called(JOB, error=TurnError.UNTRUSTED_INPUT),
        called(REPORT_STALE, error=TurnError.UNTRUSTED_INPUT),
        called(REPORT_STALE),
        called(BLOCKED_COST),
        seen(),
        seen(by="by_output_info"),
        seen(by="by_output_info"),
        seen(by="by_io_info"),
        seen(error=TurnError.RETRIEVAL_JSON),
        seen(error=TurnError.RETRIEVAL_SEMANTIC),
    )
    score = score_episode(mini, make(*turns))
    assert (score.call_turns, score.invalid_calls, score.untrusted_rejections) == (9, 5, 2)
    assert score.distractor_calls == 3  # Executed, rejected or undiscovered; a block alternative is none.
    assert (score.search_turns, score.by_input_searches, score.by_output_searches) == (6, 1, 2)


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ((*PATH, answered("57.2")), None),
        ((*PATH, answered("About 60")), Reason.WRONG_ANSWER),
        ((*PATH[:3], answered("57.2")), Reason.NOT_GROUNDED),
        ((*PATH[:3], called(COST_STALE, 57.2), answered("57.2")), Reason.NOT_GROUNDED),
        # An untrusted value in the answer spoils it, even if a trusted tool returned the same.
        ((*PATH, called(COST_STALE, 57.2), answered("57.2")), Reason.NOT_GROUNDED),
        ((*PATH, called(BLOCKED_COST, -1), answered("57.2")), None),
        ((*PATH, called(BLOCKED_COST, -1), answered("57.2, not -1")), Reason.NOT_GROUNDED),
        ((*PATH, called(COST, "* 57.2", broken=True), answered("57.2")), Reason.NOT_GROUNDED),
        # Of other datatypes it doesn't matter.
        ((*PATH, called(REPORT_STALE, "57.2"), answered("57.2")), None),
        ((*PATH, called(COST_STALE, "``"), answered("57.2")), None),
        ((*PATH, called(COST_STALE, 57.2, error=TurnError.UNDISCOVERED), answered("57.2")), None),
    ],
)
def test_grounding_is_worked_out_from_the_turns(mini: World, make: Make, turns, reason) -> None:
    score = score_episode(mini, make(*turns))
    assert score.reason is reason
    assert score.success is (reason is None)


def test_untrusted_objects_count_by_output(mini: World, make: Make) -> None:
    facts = facts_of(mini)
    value = {"last_return_date": "2025-11-03T20:00:00Z", "lending_desk": "NGT-9"}
    names = [output.name for output in mini.tool[DESK_STALE].outputs]
    assert sorted(value) == sorted(names)
    assert facts.returned(DESK_STALE, ("branch_id",), value) == ["NGT-9"]
    assert facts.returned(DESK_STALE, ("branch_id",), "error") == ["error"]


def test_the_answer_that_counts_is_the_final_one(mini: World, make: Make) -> None:
    right, wrong = answered("57.2"), answered("1")
    early = changed(make(*PATH, answered("57.2", continued=True), seen()), reason=Reason.MAX_TURNS)
    score = score_episode(mini, early)
    assert (score.success, score.answer_correct, score.grounded, score.reason) == (
        False,
        False,
        False,
        Reason.MAX_TURNS,
    )
    assert score.agrees
    assert score_episode(mini, make(*PATH, answered("1", continued=True), right)).success
    assert not score_episode(mini, make(*PATH, answered("57.2", continued=True), wrong)).success


def test_another_judge_judges_anew(mini: World, make: Make) -> None:
    episode = make(*PATH, answered("57.2 or 23.4"), success=True)
    assert score_episode(mini, episode).success
    score = score_episode(mini, episode, "exact")
    assert (score.success, score.reason, score.agrees) == (False, Reason.WRONG_ANSWER, None)
    assert score_episode(mini, changed(episode, judge="exact")).agrees is False


def test_errors_of_the_infrastructure_are_no_successes(mini: World, make: Make) -> None:
    episode = make(*PATH, answered("57.2"), status=Status.ERROR, reason=None, cause="timeout")
    score = score_episode(mini, episode)
    assert (score.success, score.reason, score.cause, score.agrees) == (False, None, "timeout", None)


def test_a_recorded_outcome_that_is_wrong_shows(mini: World, make: Make) -> None:
    assert score_episode(mini, make(*PATH, answered("57.2"))).agrees is False
    assert score_episode(mini, make(*PATH, answered("1"), success=True)).agrees is False
    assert score_episode(mini, make(*PATH, answered("1"), reason=Reason.NOT_GROUNDED)).agrees is False
    assert score_episode(mini, make(*PATH, answered("1"), reason=Reason.WRONG_ANSWER)).agrees is True


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"world": "0" * 64}, "played on a world with fingerprint 000000000000…, but world 'mini'"),
        ({"query_id": "nope"}, "has no such query"),
        ({"task_id": "library_task_01"}, "has no such query"),
    ],
)
def test_what_does_not_belong_together_is_refused(mini: World, make: Make, changes, message) -> None:
    with pytest.raises(UsageError, match=message):
        score_episode(mini, make(**changes))


def test_unknown_names_are_refused(mini: World, make: Make) -> None:
    with pytest.raises(UsageError, match="no judge 'lenient'; use one of: contains, exact"):
        score_episode(mini, make(), "lenient")
    with pytest.raises(UsageError, match="names the tool 'gone'"):
        score_episode(mini, make(seen("gone")))
    with pytest.raises(UsageError, match="names the tool 'gone'"):
        score_episode(mini, make(called("gone")))
    assert score_episode(mini, make(called("gone", error=TurnError.UNDISCOVERED))).invalid_calls == 1


def test_ground_truth_on_all_paths(mini: World, make: Make) -> None:
    """With one of the two listed paths struck off the list, a step on it is drift by the list but not in truth."""
    kept = tuple(
        msgspec.structs.replace(entry, tool_sets=entry.tool_sets[:1]) if entry.task_id == "library_task_04" else entry
        for entry in mini.paths
    )
    poorer = msgspec.structs.replace(mini, paths=kept)
    off = {name for path in mini.tool_sets["library_task_04"][1:] for name in path}
    off -= set(poorer.tool_sets["library_task_04"][0])
    outputs = {name: mini.tool[name].output_datatypes for name in sorted(off)}
    listed = facts_of(poorer).ground_truth("library_task_04")
    name = next(name for name, datatypes in outputs.items() if not listed.issuperset(datatypes))
    episode = changed(make(called(name)), world=poorer.fingerprint)
    plain = score_episode(poorer, episode)
    assert (plain.egt_precision, plain.egt_precision_exact, plain.exact_truth) == (0.0, None, None)
    exact = score_episode(poorer, episode, exact_paths=True)
    assert (exact.egt_precision, exact.egt_precision_exact) == (0.0, 1.0)
    assert exact.exact_truth == tuple(sorted(facts_of(mini).ground_truth("library_task_04")))
    assert exact.exact_truth_complete
