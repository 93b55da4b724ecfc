"""Runs as logs of Inspect AI, and back."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.log import EvalLog, read_eval_log

from planbench_xl.environment import Environment
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.episodes.store import EpisodeWriter, read_episodes
from planbench_xl.errors import UsageError
from planbench_xl.exports.chat import conversation
from planbench_xl.harness.export import write_logs
from planbench_xl.harness.logs import read_inspect_log
from planbench_xl.metrics import score_run
from planbench_xl.runs.loading import find_runs, load_runs
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.run import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of three agents: all right, nearly all wrong and repeated, and with blocked tools and an error."""
    folder = tmp_path_factory.mktemp("runs")
    run("mini", folder / "oracle", agent="oracle", protocol="native")
    run("mini", folder / "random", agent="random", epochs=2)
    run("mini", folder / "explorer", agent="explorer", setting=load_setting("one-path"))
    first = read_episodes(folder / "explorer")[0]
    cut = msgspec.structs.replace(
        first, status=Status.ERROR, reason=None, cause="time_out: late", turns=first.turns[:2]
    )
    with EpisodeWriter(folder / "explorer") as writer:
        writer.drop([first.key])
        writer.write([cut])
    return folder


@pytest.fixture(scope="module")
def logs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("logs")
    return {path.stem: path for path in write_logs(find_runs([folder]), out)}


def test_episodes_and_scores_come_back(folder: Path, logs: dict[str, Path]) -> None:
    runs = {run.label: run for run in load_runs([folder])}
    assert set(logs) == set(runs) == {"oracle", "random", "explorer"}
    for name, path in logs.items():
        before, after = runs[name], read_inspect_log(path)
        assert after.episodes == before.episodes
        assert (after.agent, after.setting, after.protocol) == (before.agent, before.setting, before.protocol)
        assert after.world.fingerprint == before.world.fingerprint
        assert after.expected == before.expected
        assert score_run(after.world, after.episodes) == score_run(before.world, before.episodes)


def test_figures_are_those_of_the_score(folder: Path, logs: dict[str, Path]) -> None:
    for run_ in load_runs([folder]):
        log = read_eval_log(str(logs[run_.label]), header_only=True)
        assert log.results is not None
        (scores,) = log.results.scores
        for name, figure in score_run(run_.world, run_.episodes).metrics.items():
            told = scores.metrics[name].value
            assert told == figure.value or (told != told and figure.value is None)


def test_samples_hold_the_conversation(folder: Path, logs: dict[str, Path]) -> None:
    for run_ in load_runs([folder]):
        assert run_.details is not None
        environment = Environment(run_.world, run_.details)
        log = read_eval_log(str(logs[run_.label]))
        for sample, episode in zip(log.samples or (), _as_logged(log, run_.episodes), strict=True):
            kind = "native" if run_.label == "oracle" else "text"
            played = conversation(environment, run_.details, episode, kind, run_.agent)["messages"]
            assert [message.role for message in sample.messages] == [message["role"] for message in played]
            assert [message.text for message in sample.messages] == [message["content"] for message in played]
            query = run_.world.query[episode.query_id]
            assert sample.input == query.text
            assert sample.metadata["task_id"] == episode.task_id
            assert (sample.error is None) == (episode.status is not Status.ERROR)


def _as_logged(log: EvalLog, episodes: tuple[Episode, ...]) -> list[Episode]:
    """Return episodes in the order of a log's samples."""
    keys = [
        (sample.metadata["query_id"], int(sample.metadata.get("planbench_xl_epoch", 0))) for sample in log.samples or ()
    ]
    found = {episode.key: episode for episode in episodes}
    return [found[key] for key in keys]


def test_calls_are_those_of_the_agent(logs: dict[str, Path]) -> None:
    log = read_eval_log(str(logs["oracle"]))
    for sample in log.samples or ():
        calls = [
            call for message in sample.messages if message.role == "assistant" for call in message.tool_calls or ()
        ]
        answered = [message.tool_call_id for message in sample.messages if message.role == "tool"]
        assert [call.id for call in calls][:-1] == answered
        assert calls[-1].function == "final_answer"
        assert not any(call.parse_error for call in calls)


def test_the_same_run_makes_the_same_log(folder: Path, logs: dict[str, Path], tmp_path: Path) -> None:
    again = write_logs(find_runs([folder]), tmp_path)
    for path in again:
        assert read_eval_log(str(path)).model_dump() == read_eval_log(str(logs[path.stem])).model_dump()


def test_what_cannot_be_exported(folder: Path, logs: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="doesn't tell its whole setting"):
        write_logs(find_runs([logs["oracle"]]), tmp_path)
    with EpisodeWriter(tmp_path / "oracle") as writer:
        pass
    assert writer.folder.exists()
    (tmp_path / "oracle" / "run.json").write_bytes((folder / "oracle" / "run.json").read_bytes())
    with pytest.raises(UsageError, match="has no episodes yet"):
        write_logs(find_runs([tmp_path / "oracle"]), tmp_path)
    assert not list(tmp_path.glob("*.eval"))
