"""The analysis of runs: shares, slices, distances, the table."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from planbench_xl.analysis import (
    AnalysedRun,
    Category,
    Ending,
    EpisodeAnalysis,
    FollowUp,
    RunAnalysis,
    Share,
    analyse_episodes,
    analyse_run,
    slices,
    summarise,
    total_variation,
    with_distances,
)
from planbench_xl.analysis.table import analysis_table
from planbench_xl.episodes.record import Episode, Reason, Status
from planbench_xl.world import Kind, World
from tests.analysis.turns import (
    COST,
    JOB,
    LOAN,
    LOAN_EXPLICIT,
    LOAN_IMPLICIT,
    LOAN_STALE,
    REPORT,
    call,
    rejected,
    search,
)
from tests.metrics.conftest import Make, answered, changed

TOOLS = search(LOAN, REPORT, JOB, COST, LOAN_STALE, LOAN_IMPLICIT, LOAN_EXPLICIT)


@pytest.fixture
def episodes(make: Make) -> list[Episode]:
    """Return a success, a drift, a surrender without traction, a format error and an infrastructure error."""
    good = (call(LOAN, "L1"), call(REPORT, "D1"), call(JOB, "W1"), call(COST, 57.2))
    drift = (TOOLS, good[0], call(LOAN_STALE, "L2"), rejected(REPORT, lending_record="L2"), answered("L2"))
    lost = (TOOLS, call(LOAN_IMPLICIT, "-273.15"), call(LOAN_EXPLICIT, "error", success=False), answered("N/A"))
    return [
        make(TOOLS, *good, answered("57.2"), success=True),
        changed(make(*drift), epoch=1, reason=Reason.NOT_GROUNDED),
        changed(make(*lost), epoch=2, reason=Reason.NOT_GROUNDED, blocked={"get_x": ("explicit", "implicit")}),
        changed(make(TOOLS, rejected(COST)), epoch=3, reason=Reason.MAX_CALL_ERRORS),
        changed(make(TOOLS), epoch=4, status=Status.ERROR, reason=None, cause="time_out"),
    ]


def test_counts_and_shares(mini: World, episodes: list[Episode]) -> None:
    blocked = {LOAN: ("explicit", "implicit")}
    episodes[2] = changed(episodes[2], blocked=blocked)
    found = analyse_run(mini, episodes)
    assert (found.paths, found.episodes, found.errors, found.failed, found.bounds) == ("exact", 4, 1, 3, 0)
    third = Share(1, 3, 1 / 3)
    none = Share(0, 3, 0.0)
    assert found.categories == {
        Category.NO_TRACTION: third,
        Category.IRRECOVERABLE_DRIFT: third,
        Category.WEAK_RECOVERY: none,
        Category.STOPPED_SHORT: none,
        Category.FORMAT_ERROR: third,
    }
    assert found.endings[Ending.SURRENDER] == Share(1, 2, 0.5)
    assert found.endings[Ending.WRONG_TOOL_VALUE] == Share(1, 2, 0.5)
    assert found.selection.recent == Share(3, 3, 1.0)
    assert found.selection.discovered == Share(1, 3, 1 / 3)  # with the loan's tool blocked, nothing useful is shown
    assert found.selection.useful_old == Share(0, 1, 0.0)
    assert found.selection.reappears == Share(0, 1, 0.0)
    assert found.alternatives == {
        "explicit": Share(1, 2, 0.5),
        "implicit": Share(1, 2, 0.5),
        "misleading": Share(0, 2, 0.0),
    }
    assert found.follow_up["implicit"][FollowUp.UNUSED] == Share(1, 1, 1.0)
    assert found.follow_up["misleading"][FollowUp.UNUSED] == Share(0, 0, None)
    spread = found.contaminations
    assert (spread.values, spread.in_arguments, spread.in_answers, spread.episodes.count) == (1, 1, 1, 1)
    assert (found.regret.known, found.regret.of, found.regret.mean, found.regret.counts) == (1, 4, 0.0, {0: 1})
    assert found.first_wrong_turn.counts == {2: 1, 3: 1}  # none where the targets can't be reached
    assert found.first_wrong_turn.median == 2 and found.first_wrong_turn.largest == 3


def test_nothing_to_analyse() -> None:
    found = summarise([])
    assert found.categories[Category.NO_TRACTION] == Share(0, 0, None)
    assert found.regret.mean is None and found.regret.counts == {}
    assert slices([]) == ()


def test_all_of_it_is_json(mini: World, episodes: list[Episode]) -> None:
    analyses = analyse_episodes(mini, episodes)
    assert msgspec.json.decode(msgspec.json.encode(analyses), type=list[EpisodeAnalysis]) == analyses
    found = summarise(analyses)
    assert msgspec.json.decode(msgspec.json.encode(found), type=RunAnalysis) == found


def test_slices(mini: World, episodes: list[Episode]) -> None:
    analyses = analyse_episodes(mini, [changed(e, blocked={}) for e in episodes])
    analyses.append(msgspec.structs.replace(analyses[0], shortest_length=9, kinds=(Kind.EXPLICIT, Kind.IMPLICIT)))
    analyses.append(msgspec.structs.replace(analyses[1], shortest_length=8, setting="one-path", targets=("a", "b")))
    found = {(part.by, part.value): part for part in slices(analyses)}
    assert [value for by, value in found if by == "shortest_length"] == ["4", ">= 8"]
    assert found["shortest_length", "4"].episodes == 4 and found["shortest_length", "4"].accuracy == 0.25
    assert found["shortest_length", ">= 8"].categories[Category.IRRECOVERABLE_DRIFT] == 1
    assert found["kinds", "none"].episodes == 5 and found["kinds", "explicit+implicit"].accuracy == 1
    assert found["target", "a"].episodes == found["target", "b"].episodes == 1
    assert found["setting", "default"].episodes == 5 and found["flow", "Workshop"].episodes == 6
    assert found["inputs", "2"].episodes == 6


def test_total_variation() -> None:
    drift, lost = Category.IRRECOVERABLE_DRIFT, Category.NO_TRACTION
    assert total_variation({drift: 3}, {drift: 7}) == 0
    assert total_variation({drift: 3}, {lost: 1}) == 1
    assert total_variation({drift: 1, lost: 1}, {drift: 0.25, lost: 0.75}) == pytest.approx(0.25)
    assert total_variation({}, {drift: 1}) is None


def run_of(mini: World, episodes: list[Episode], setting: str, agent: str = "a") -> AnalysedRun:
    analyses = analyse_episodes(mini, episodes)
    parts = slices(analyses)
    return AnalysedRun(
        label=f"{agent}-{setting}",
        agent=agent,
        setting=setting,
        world=mini.fingerprint,
        analysis=summarise(analyses),
        slices=parts,
    )


def test_distances_and_the_table(mini: World, episodes: list[Episode]) -> None:
    episodes[2] = changed(episodes[2], blocked={})
    runs = [
        run_of(mini, episodes, "default"),
        run_of(mini, episodes[:2], "one-path"),
        run_of(mini, episodes[:1], "enforced-1"),
        run_of(mini, episodes, "one-path", "b"),
    ]
    found = with_distances(runs)
    assert found[0].distance == 0 and found[1].distance == pytest.approx(2 / 3)
    assert [run.distance for run in found[2:]] == [None, None]
    stream = io.StringIO()
    Console(file=stream, width=120).print(analysis_table(found))
    lines = {
        line.split("  ")[1 if line.startswith(" ") else 0].strip(): line for line in stream.getvalue().splitlines()
    }
    assert "33.3 (3)" in lines["irrecoverable drift"] and "100.0 (1)" in lines["irrecoverable drift"]
    assert "0.67" in lines["distance from default"]
