"""The score of a run."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from planbench_xl.environment import Environment
from planbench_xl.environment.failures import FailureKind
from planbench_xl.episodes.record import Episode, Reason, Status, TurnError
from planbench_xl.errors import UsageError
from planbench_xl.metrics import METRICS, Figure, score_run
from planbench_xl.runs.presets import load_setting, presets
from planbench_xl.runs.release_config import from_release_config
from planbench_xl.runs.run import run
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World
from tests.metrics.conftest import Make, answered, called, play, seen
from tests.metrics.test_episode import COST_STALE, JOB, LOAN, PATH, REPORT_STALE, TIME

KEYS = {
    "accuracy",
    "egt_precision",
    "egt_recall",
    "turns",
    "edt",
    "search_to_call",
    "itcr",
    "uirr",
    "forward_to_backward",
    "by_output_share",
    "distractors_per_call",
    "distractors_per_episode",
    "progress_per_call",
    "unreadable_per_turn",
    "parsing_failures",
}


def values(figures: dict[str, Figure]) -> dict[str, float | None]:
    return {name: figure.value for name, figure in figures.items()}


def test_every_figure(mini: World, make: Make) -> None:
    first = make(seen(LOAN), seen(by="by_output_info"), *PATH, answered("57.2"), success=True)
    second = make(
        seen(LOAN, TIME, by="by_output_info"),
        seen(error=TurnError.RETRIEVAL_JSON),
        called(JOB, error=TurnError.MISSING_INPUT),
        called(JOB, error=TurnError.UNTRUSTED_INPUT),
        called(REPORT_STALE),
        called(COST_STALE, error=TurnError.UNDISCOVERED),
        epoch=1,
    )
    third = make(called(TIME), epoch=2)
    score = score_run(mini, [first, second, third])
    assert set(score.metrics) == set(METRICS) == KEYS
    assert values(score.metrics) == pytest.approx(
        {
            "accuracy": 1 / 3,
            "egt_precision": 0.5,  # 1 and 0; the second executed nothing.
            "egt_recall": (4 / 7) / 3,
            "turns": 14 / 3,
            "edt": 2 / 3,
            "search_to_call": 4 / 9,
            "itcr": 2 / 9,
            "uirr": 1 / 9,
            "forward_to_backward": 1 / 2,
            "by_output_share": 2 / 3,
            "distractors_per_call": 2 / 9,
            "distractors_per_episode": 2 / 3,
            "progress_per_call": 4 / 6,
            "unreadable_per_turn": 1 / 14,
            "parsing_failures": 0,
        }
    )
    assert score.failure_reasons == {"exceeded_max_turns": 2}
    assert (score.scored, score.succeeded, score.errors, score.expected, score.coverage) == (3, 1, 0, None, None)
    assert score.complete


def test_undefined_figures_are_null(mini: World, make: Make) -> None:
    assert set(values(score_run(mini, []).metrics).values()) == {None}
    score = score_run(mini, [make()])
    undefined = {name for name, value in values(score.metrics).items() if value is None}
    defined = {"accuracy", "egt_recall", "turns", "edt", "distractors_per_episode", "parsing_failures"}
    assert undefined == KEYS - defined
    assert '"uirr":{"value":null}' in msgspec.json.encode(score).decode()


def test_errors_are_apart(mini: World, make: Make) -> None:
    good = make(*PATH, answered("57.2"), success=True)
    errors = [
        make(*PATH, answered("57.2"), epoch=i, status=Status.ERROR, reason=None, cause=cause)
        for i, cause in enumerate(["timeout", "timeout", "context overflow", None], 1)
    ]
    score = score_run(mini, [good, *errors], expected=6)
    assert (score.scored, score.errors, score.coverage, score.complete) == (1, 4, 1 / 6, False)
    assert score.metrics["accuracy"].value == 1.0
    assert score.metrics_errors_as_failures["accuracy"].value == 1 / 5
    assert score.metrics["turns"].value == score.metrics_errors_as_failures["turns"].value == 5
    assert score.error_causes == {"timeout": 2, "context overflow": 1, "unknown": 1}
    assert score.failure_reasons == {}
    assert not score_run(mini, [good, *errors]).complete
    assert not score_run(mini, [good], expected=2).complete
    assert score_run(mini, [good], expected=1).complete


def test_unresolved_plans_and_disagreements_are_counted(mini: World, make: Make) -> None:
    episodes = [make(unresolved=True), make(epoch=1), make(*PATH, answered("57.2"), epoch=2)]
    score = score_run(mini, episodes)
    assert (score.unresolved, score.disagreements) == (1, ("library_query_06#2",))
    assert score.metrics["accuracy"].value == 1 / 3
    assert score_run(mini, episodes, "exact").disagreements == ()


def test_names_of_settings_and_judges(mini: World, make: Make) -> None:
    score = score_run(mini, [make(), make(epoch=1, setting="one-path")])
    assert (score.setting, score.judge, score.world) == ("default, one-path", "contains", "mini")
    assert score_run(mini, [make()], "exact").judge == "exact"


def test_an_episode_counts_once(mini: World, make: Make) -> None:
    with pytest.raises(UsageError, match="2 episodes of query 'library_query_06', epoch 1"):
        score_run(mini, [make(), make(epoch=1), make(epoch=1)])


def played(world: World, data: dict[str, Any], **changes: Any) -> list[Episode]:
    """Return the episodes of a recorded file, played again."""
    setting = msgspec.structs.replace(from_release_config(data["config"]), **changes)
    environment = Environment(world, setting)
    return [play(environment, e["query_id"], [step["raw"] for step in e["steps"]]) for e in data["episodes"]]


@pytest.fixture(scope="module")
def golden(shared: Path, release: World) -> dict[str, tuple[dict[str, Any], list[Episode]]]:
    found = {}
    for path in sorted((shared / "golden").glob("*.json.gz")):
        data = json.loads(gzip.decompress(path.read_bytes()))
        if "episodes" in data:
            found[data["label"]] = (data, played(release, data))
    assert len(found) == 8
    return found


def test_recorded_runs_score_as_the_release_says(golden, release: World) -> None:
    for data, episodes in golden.values():
        score = score_run(release, episodes)
        theirs = data["metrics"]
        assert values(score.metrics) == pytest.approx(
            {
                "accuracy": theirs["accuracy"],
                "egt_precision": theirs["executed_ground_truth_datatype_coverage"]["mean_precision"],
                "egt_recall": theirs["executed_ground_truth_datatype_coverage"]["mean_recall"],
                "turns": theirs["turns"]["mean_turn_count"],
                "edt": theirs["exploration"]["mean_explored_datatype_count"],
                "search_to_call": theirs["explore_exploit_balance"]["search_to_call_ratio"],
                "itcr": theirs["invalid_tool_call"]["invalid_tool_call_rate"],
                "uirr": theirs["untrusted_input_rejection"]["untrusted_input_rejection_rate"],
                "distractors_per_call": theirs["noisy_tool_call"]["noisy_tool_call_rate_among_tool_calls"],
                "distractors_per_episode": theirs["noisy_tool_call"]["mean_noisy_tool_calls_per_query"],
                "forward_to_backward": score.metrics["forward_to_backward"].value,
                "by_output_share": score.metrics["by_output_share"].value,
                "progress_per_call": score.metrics["progress_per_call"].value,
                "unreadable_per_turn": score.metrics["unreadable_per_turn"].value,
                "parsing_failures": score.metrics["parsing_failures"].value,
            },
            rel=1e-12,
            abs=1e-12,
        )
        assert score.disagreements == ()
        assert sum(score.failure_reasons.values()) == len(episodes) - score.succeeded


def test_scoring_again_gives_what_the_environment_found_under_exact(golden, release: World) -> None:
    for label, (data, _) in golden.items():
        if label != "enforced_5":  # There, another judge asks to continue after other answers.
            score = score_run(release, played(release, data, judge="exact"))
            assert (score.judge, score.disagreements) == ("exact", ())


def test_reasons_are_those_of_this_judge(mini: World, make: Make) -> None:
    episodes = [make(*PATH, answered("57.2 or 23.4"), success=True), make(epoch=1, reason=Reason.MAX_LABEL_ERRORS)]
    assert score_run(mini, episodes).failure_reasons == {"exceeded_max_label_errors": 1}
    assert score_run(mini, episodes, "exact").failure_reasons == {"exceeded_max_label_errors": 1, "wrong_answer": 1}


@pytest.mark.parametrize("judge", ["contains", "exact"])
@pytest.mark.parametrize("preset", sorted(presets().keys() - {"dense", "hybrid"}))
def test_every_agent_in_every_setting_scores_as_it_was_played(
    mini: World, tmp_path: Path, preset: str, judge: str
) -> None:
    setting = load_setting(preset, [f"judge={judge}", "max_turns=25"])
    for agent in ("oracle", "random", "list-everything", "explorer"):
        folder = tmp_path / agent
        run(mini, folder, agent=agent, setting=setting, epochs=2)
        score = score_folder(folder, mini)
        assert (score.disagreements, score.judge, score.complete) == ((), judge, True)
        assert score_folder(folder, mini, "exact").metrics["turns"] == score.metrics["turns"]
        if agent == "list-everything" and judge == "exact":
            assert score.metrics["accuracy"].value == 0


@pytest.mark.parametrize("kind", get_args(FailureKind))
@pytest.mark.parametrize("silent", ["true", "false"])
def test_tools_that_break_down_are_scored_as_played(mini: World, tmp_path: Path, kind: str, silent: str) -> None:
    setting = load_setting("one-path", [f"failures.kind={kind}", f"failures.silent={silent}", "failures.after_turn=2"])
    for agent in ("oracle", "explorer", "list-everything"):
        folder = tmp_path / agent
        run(mini, folder, agent=agent, setting=setting)
        assert score_folder(folder, mini).disagreements == ()


def test_figures_on_all_paths_come_beside_those_on_the_list(mini: World, make: Make) -> None:
    episodes = [make(*PATH, answered("57.2"), success=True)]
    plain, exact = score_run(mini, episodes), score_run(mini, episodes, exact_paths=True)
    assert "egt_precision_exact" not in plain.metrics
    assert {name: exact.metrics[name] for name in plain.metrics} == plain.metrics
    # The mini world lists all paths.
    for name in ("egt_precision", "egt_recall"):
        assert exact.metrics[f"{name}_exact"] == exact.metrics[name]
    assert exact.truth_bounds == 0
