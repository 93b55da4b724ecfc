"""Evaluations from end to end: the library's command, a scripted endpoint, a run folder, its score."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from endpoint import Endpoint, Speak, oracle

from planbench_xl.episodes.record import Status
from planbench_xl.episodes.store import read_episodes
from planbench_xl.metrics import score_run
from planbench_xl.world import World, load_world

BIN = Path(sys.executable).parent


@pytest.fixture(scope="session")
def mini() -> World:
    return load_world("mini")


def evaluate(speak: Speak, out: Path, *options: str) -> list[dict[str, Any]]:
    """Evaluate a model with the library's command; return its traces."""
    with Endpoint(speak) as endpoint:
        command = [str(BIN / "vf-eval"), "planbench-xl-verifiers", "--env.taskset.world", "mini"]
        command += ["--env.taskset.split", "all", "--model", "scripted", "--client.base-url", endpoint.url]
        command += ["--client.api-key-var", "SCRIPTED_API_KEY", "--no-push", "--no-rich", "-o", str(out)]
        command += ["--run.name", "run", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr + done.stdout
    lines = (out / "run" / "traces.jsonl").read_text().splitlines()
    return [trace for line in lines for trace in json.loads(line)["traces"]]


def taken_out(out: Path) -> Path:
    """Take the episodes out of an evaluation, with the package's own command."""
    folder = out / "episodes"
    command = [str(BIN / "planbench-xl-verifiers"), str(out / "run"), "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return folder


def test_the_oracles_choices(mini: World, tmp_path: Path) -> None:
    traces = evaluate(oracle(mini), tmp_path)
    assert len(traces) == len(mini.queries)
    assert all(trace["rewards"]["success"]["score"] == 1 for trace in traces)
    assert all(trace["metrics"]["egt_precision"] == 1 for trace in traces)
    folder = taken_out(tmp_path)
    episodes = read_episodes(folder)
    assert score_run(mini, episodes).metrics["accuracy"].value == 1
    scored = subprocess.run(
        [str(BIN / "planbench-xl"), "score", str(folder), "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(scored.stdout)


def test_nonsense(mini: World, tmp_path: Path) -> None:
    traces = evaluate(lambda messages: "I would rather not.", tmp_path, "-r", "2")
    assert [trace["rewards"]["success"]["score"] for trace in traces] == [0] * 2 * len(mini.queries)
    assert all(trace["metrics"]["unreadable_turns"] == 3 for trace in traces)
    episodes = read_episodes(taken_out(tmp_path))
    assert all(episode.status is Status.FAILURE for episode in episodes)
    assert {episode.key for episode in episodes} == {(query, epoch) for query in mini.query for epoch in (0, 1)}


def test_a_failing_endpoint_is_no_failure_of_the_model(tmp_path: Path) -> None:
    def fail(messages: list[dict[str, Any]]) -> str:
        raise RuntimeError("out of order")

    traces = evaluate(fail, tmp_path, "-n", "1")
    assert not traces[0].get("rewards")
    (episode,) = read_episodes(taken_out(tmp_path))
    assert episode.status is Status.ERROR
    assert episode.cause


def test_setting_split_and_limits(tmp_path: Path) -> None:
    options = ("--env.taskset.setting", "one-path", "--env.taskset.max-turns", "2", "--env.taskset.seed", "7")
    traces = evaluate(lambda messages: "<retrieve_tools>{}</retrieve_tools>", tmp_path, *options, "-n", "2")
    assert [trace["metrics"]["turns"] for trace in traces] == [2, 2]
    setting = traces[0]["info"]["planbench_xl"]["setting"]
    assert (setting["name"], setting["seed"], setting["max_turns"]) == ("one-path", 7, 2)


@pytest.mark.skipif(shutil.which("uv") is None, reason="the library's own harness needs uv, and packages it fetches")
def test_the_librarys_null_harness(mini: World, tmp_path: Path) -> None:
    traces = evaluate(oracle(mini), tmp_path, "--env.agent.harness.id", "null", "-n", "1")
    assert [trace["rewards"]["success"]["score"] for trace in traces] == [1]
