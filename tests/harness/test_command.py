"""The command line: what it says without the extra, and what it estimates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbench_xl.cli import cli, models
from planbench_xl.errors import UsageError
from tests.harness.conftest import Evaluate
from tests.harness.server import Server
from tests.harness.speaker import Speaker


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    result = CliRunner().invoke(cli, ["run", "--model", "openai/gpt-5.4"])
    assert isinstance(result.exception, UsageError)
    assert "pip install 'planbench-xl[inspect]'" in str(result.exception)


def test_a_dry_run_needs_a_model() -> None:
    result = CliRunner().invoke(cli, ["run", "--dry-run"])
    assert "name one with --model" in str(result.exception)


def test_help_groups_the_options_on_models() -> None:
    text = CliRunner().invoke(cli, ["run", "--help"]).output
    assert text.index("Options:") < text.index("--world") < text.index("Models (extra") < text.index("--max-cost")


def test_a_dry_run_estimates_by_what_is_stored(speaker: Speaker, evaluate: Evaluate, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    with Server(speaker.message) as server:
        common = ["--world", "mini", "--model", "openai-api/local/scripted", "--base-url", server.url, "--json"]

        def estimate(*options: str) -> dict[str, Any]:
            result = CliRunner().invoke(cli, ["run", *common, "--out", str(tmp_path / "run"), "--dry-run", *options])
            assert result.exception is None, result.exception
            found: dict[str, Any] = json.loads(result.output)
            return found

        first = estimate("--price", "10,0")
        assert (first["missing"], first["turns"], first["cost"], first["based_on"]) == (11, None, None, 0)
        assert 200 < first["opening_tokens"] < 2000
        assert not (tmp_path / "run").exists()
        result = evaluate(server, {"limit": 2})
        asked = len(server.bodies)
        second = estimate("--price", "10,0")
        assert len(server.bodies) == asked
    turns = result.progress.turns / 2
    assert (second["missing"], second["based_on"], second["turns"]) == (9, 2, turns)
    assert second["tokens_per_turn"] == 110
    assert second["cost"] == pytest.approx(9 * turns / 1000)
    with Server(speaker.message) as server:
        assert estimate()["cost"] is None


def test_a_model_plays_a_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two settings of it here; both ask the model, and each is a run folder of its own."""
    pytest.importorskip("inspect_ai")
    from planbench_xl.runs import suite as suites

    monkeypatch.setenv("LOCAL_API_KEY", "secret")
    members = (suites.Member("default", "default"), suites.Member("seven", "one-path", ("name=seven", "seed=7")))
    monkeypatch.setattr(suites, "SUITES", {"two": lambda: members})
    with Server(lambda body: {"role": "assistant", "content": "<final_answer>none</final_answer>"}) as server:
        options = ["--world", "mini", "--limit", "2", "--model", "openai-api/local/scripted", "--base-url", server.url]
        result = CliRunner().invoke(cli, ["suite", "two", *options, "--out", str(tmp_path), "--json"])
    assert result.exception is None, result.exception
    found = json.loads(result.stdout)
    assert [(run["setting"], run["scored"], run["succeeded"]) for run in found["runs"]] == [
        ("default", 2, 0),
        ("seven", 2, 0),
    ]
    assert (tmp_path / "seven" / "run.json").exists()
