"""The tasks as Inspect runs them: entry point, log, scores, re-scoring, a run folder beside the log, own solvers."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import cast

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog
from inspect_ai.scorer import SampleScore, Score

from planbench_xl.episodes.record import Status
from planbench_xl.episodes.store import read_episodes
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.harness.logs import read_inspect_log
from planbench_xl.harness.registry import mini as mini_task
from planbench_xl.harness.scoring import episode_score, figures
from planbench_xl.metrics import score_run
from planbench_xl.world import World
from tests.harness.conftest import Evaluate
from tests.harness.playing import MODEL, stored
from tests.harness.server import Server
from tests.harness.speaker import Speaker


def values(log: EvalLog) -> dict[str, float]:
    """Return the metrics of a log."""
    assert log.results is not None
    return {name: float(metric.value) for name, metric in log.results.scores[0].metrics.items()}


def test_a_log_is_a_run_and_can_be_scored_again(mini: World, speaker: Speaker, tmp_path: Path) -> None:
    """Two epochs with a run folder beside; again, and nothing is asked; then the log alone."""
    assert "planbench_xl" in {entry.name for entry in entry_points(group="inspect_ai")}
    out = str(tmp_path / "run")
    names = ["library_query_01", "library_query_02"]
    options = {"model": MODEL, "log_dir": str(tmp_path / "logs"), "display": "none", "epochs": 2}
    with Server(speaker.message) as server:
        (log,) = inspect_eval(mini_task(queries=names, out=out), model_base_url=server.url, **options)
        asked = len(server.bodies)
        (again,) = inspect_eval(mini_task(queries=names, out=out), model_base_url=server.url, **options)
        assert len(server.bodies) == asked
    assert values(log) == values(again)
    run = read_inspect_log(log.location)
    assert list(run.episodes) == read_episodes(out)
    assert (run.agent, run.setting, run.protocol, run.expected, run.world.name) == (
        MODEL,
        "default",
        "text/1",
        4,
        "mini",
    )
    expected = {name: figure.value for name, figure in score_run(mini, run.episodes).metrics.items()}
    found = values(log)
    for name, value in expected.items():
        assert math.isnan(found[name]) if value is None else found[name] == pytest.approx(value), name
    assert (found["errors"], found["coverage"], found["accuracy_errors_as_failures"]) == (0, 1, 1)
    rescored = inspect_score(again, episode_score(judge="exact"), action="overwrite", display="none")
    assert values(rescored) == pytest.approx(found, nan_ok=True)
    assert log.samples is not None
    sample = log.samples[0]
    assert (sample.metadata["task_id"], sample.metadata["shortest_length"]) == ("library_task_01", 6)
    assert [message.role for message in sample.messages[:3]] == ["system", "user", "assistant"]


def test_an_error_has_no_accuracy(speaker: Speaker, tmp_path: Path) -> None:
    """The viewer shows a sample's values: 0 would blame the model for what its provider did."""
    with Server(speaker.message, lambda body, asked: "401") as server:
        (log,) = inspect_eval(
            mini_task(queries="library_query_01"),
            model=MODEL,
            model_base_url=server.url,
            display="none",
            log_dir=str(tmp_path),
        )
    assert log.samples is not None and log.samples[0].scores is not None
    value = log.samples[0].scores["episode_score"].value
    assert isinstance(value, dict)
    assert (value["outcome"], value["turns"]) == ("provider_error", 0)
    assert math.isnan(cast(float, value["accuracy"]))
    assert values(log)["errors"] == 1


def test_metrics_bear_no_scores_and_unfinished_ones() -> None:
    compute = cast(Callable[[list[SampleScore]], dict[str, float]], figures())
    assert math.isnan(compute([])["accuracy"])
    unfinished = SampleScore(score=Score.unscored(reason="unfinished"))
    assert compute([unfinished])["coverage"] == 0


def test_what_is_no_log_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_bytes(b"nothing")
    with pytest.raises(StoreError, match=r"x.eval can't be read as a log"):
        read_inspect_log(tmp_path / "x.eval")
    with pytest.raises(UsageError, match="There is no protocol 'smoke'"):
        mini_task(protocol="smoke")
    with pytest.raises(UsageError, match="There is no judge"):
        episode_score(judge="me")


def test_a_react_agent_plays_and_a_faulty_solver_is_an_error(
    speaker: Speaker, evaluate: Evaluate, tmp_path: Path
) -> None:
    with Server(speaker.message) as server:
        result = evaluate(server, {"limit": 2}, solver="tests.harness.solvers:reacting", price="10,0")
        episodes = stored(result.folder)
        assert {episode.status for episode in episodes.values()} == {Status.SUCCESS}
        assert sum(len(episode.turns) for episode in episodes.values()) == len(server.bodies)
        assert all(
            e.usage is not None and e.usage.cost == pytest.approx(len(e.turns) / 1000) for e in episodes.values()
        )
        failed = evaluate(server, {"limit": 1, "out": str(tmp_path / "b")}, solver="tests.harness.solvers:failing")
    assert [e.cause for e in stored(failed.folder).values()] == ["solver_error: ZeroDivisionError: my own fault"]
    with Server(speaker.message) as server, pytest.raises(UsageError, match="can't be imported"):
        evaluate(server, {"limit": 1, "out": str(tmp_path / "c")}, solver="nowhere:at_all")
