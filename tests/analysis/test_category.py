"""Why episodes fail, and how they end."""

from __future__ import annotations

import pytest

from planbench_xl.analysis import Category, Ending, EpisodeAnalysis, analyse_episode
from planbench_xl.episodes.record import Reason, Status, Turn, TurnError
from planbench_xl.world import World
from tests.analysis.turns import COST, COST_STALE, JOB, LOAN, LOAN_STALE, READY, REPORT, call, rejected, search
from tests.metrics.conftest import Make, answered, changed

BAD = call(LOAN_STALE, "L25-044193")
P1, P2, P3, P4 = call(LOAN, "L1"), call(REPORT, "D1"), call(JOB, "W1"), call(COST, 57.2)


@pytest.mark.parametrize(
    ("turns", "category"),
    [
        ((), Category.NO_TRACTION),
        ((search(LOAN),), Category.NO_TRACTION),
        ((BAD, BAD), Category.NO_TRACTION),
        ((rejected(REPORT),), Category.NO_TRACTION),
        ((call(LOAN, None, success=False),), Category.NO_TRACTION),
        ((call(LOAN, "L1", broken=True),), Category.NO_TRACTION),
        ((P1, BAD), Category.IRRECOVERABLE_DRIFT),
        ((P1, P1), Category.IRRECOVERABLE_DRIFT),
        ((BAD, P1, P2, BAD, search(JOB), BAD), Category.IRRECOVERABLE_DRIFT),
        ((P1, P2, P3, call(READY, "t")), Category.IRRECOVERABLE_DRIFT),
        ((P1, BAD, P2), Category.WEAK_RECOVERY),
        ((P1, BAD, P2, BAD), Category.WEAK_RECOVERY),
        ((P1,), Category.STOPPED_SHORT),
        ((BAD, P1, P2), Category.STOPPED_SHORT),
        ((P1, rejected(COST), P2, rejected(COST)), Category.STOPPED_SHORT),
        ((P1, P2, P3, P4, answered("58.1")), Category.STOPPED_SHORT),
    ],
)
@pytest.mark.parametrize("paths", ["exact", "reference"])
def test_categories(mini: World, make: Make, turns: tuple[Turn, ...], category: Category, paths: str) -> None:
    found = analyse_episode(mini, make(*turns), paths=paths)  # type: ignore[arg-type]
    assert found.status is Status.FAILURE and found.category is category and found.exact


@pytest.mark.parametrize("reason", [Reason.MAX_LABEL_ERRORS, Reason.MAX_RETRIEVAL_ERRORS, Reason.MAX_CALL_ERRORS])
def test_a_format_error_is_one_whatever_came_before(mini: World, make: Make, reason: Reason) -> None:
    found = analyse_episode(mini, make(P1, BAD, P2, Turn(action="invalid", error=TurnError.LABEL), reason=reason))
    assert (found.category, found.ending) == (Category.FORMAT_ERROR, None)


def test_only_failures_have_a_category(mini: World, make: Make) -> None:
    success = analyse_episode(mini, make(P1, P2, P3, P4, answered("57.2"), success=True))
    assert (success.status, success.reason, success.category, success.ending) == (Status.SUCCESS, None, None, None)
    cut = analyse_episode(mini, changed(make(P1, BAD), status=Status.ERROR, reason=None, cause="time_out"))
    assert (cut.status, cut.category, cut.ending, cut.regret) == (Status.ERROR, None, None, None)
    assert len(cut.calls) == 2


def test_another_judge_changes_the_outcome(mini: World, make: Make) -> None:
    episode = make(P1, P2, P3, P4, answered("57.2 or 58.1"), success=True)
    assert analyse_episode(mini, episode).status is Status.SUCCESS
    strict = analyse_episode(mini, episode, judge="exact")
    assert (strict.status, strict.category) == (Status.FAILURE, Category.STOPPED_SHORT)
    assert strict.ending is Ending.WRONG_TOOL_VALUE


@pytest.mark.parametrize(
    ("turns", "ending"),
    [
        ((search(LOAN), answered("I could not determine the cost.")), Ending.SURRENDER),
        ((search(LOAN), answered("")), Ending.SURRENDER),
        ((BAD, answered("9.99")), Ending.WRONG_TOOL_VALUE),
        ((search(LOAN), search(LOAN)), Ending.SEARCH_EXHAUSTION),
        ((search(LOAN), Turn(action="retrieve", error=TurnError.RETRIEVAL_JSON)), Ending.SEARCH_EXHAUSTION),
        ((search(LOAN), search(LOAN), answered("9", continued=True)), Ending.SEARCH_EXHAUSTION),
        ((search(LOAN), BAD, BAD), None),
    ],
)
def test_endings(mini: World, make: Make, turns: tuple[Turn, ...], ending: Ending | None) -> None:
    assert analyse_episode(mini, make(*turns)).ending is ending


def test_a_blocked_path_is_no_progress(mini: World, make: Make) -> None:
    """With the last tool blocked nothing leads to the target, so nothing is progress."""
    episode = changed(make(P1, P2), blocked={COST: ("explicit", "implicit")})
    found = analyse_episode(mini, episode)
    assert found.category is Category.NO_TRACTION and found.first_wrong_turn is None
    assert [kind.value for kind in found.kinds] == ["explicit", "implicit"]


def test_what_an_episode_is_about(mini: World, make: Make) -> None:
    found: EpisodeAnalysis = analyse_episode(mini, make(search(LOAN), P1, call(COST_STALE, 9.99)))
    assert (found.task_id, found.setting, found.inputs, found.shortest_length) == ("library_task_04", "default", 2, 4)
    assert (found.targets, found.flow, found.turns, found.kinds) == (("repair_cost_amount",), "Workshop", 3, ())
