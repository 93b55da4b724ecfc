"""Whole evaluations of a scripted model: both protocols, streaming, stopping and going on, costs."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.log import read_eval_log

from planbench_xl.episodes.record import Status
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.harness import drive
from planbench_xl.harness.keeper import CostReached
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World
from tests.harness.conftest import Evaluate
from tests.harness.playing import play_model, stored
from tests.harness.server import Server
from tests.harness.speaker import Speaker


@pytest.mark.parametrize("protocol", ["text", "native"])
def test_the_oracle_spoken_through_a_server(mini: World, speaker: Speaker, evaluate: Evaluate, protocol: str) -> None:
    """Two epochs, streamed; then again with nothing left to ask."""
    options: dict[str, Any] = {"temperature": 0.5, "reasoning_effort": "low", "model_seed": 7, "max_tokens": 99}
    options["model_args"] = ("stream=true",)
    request = {"protocol": protocol, "epochs": 2, "limit": 3}
    with Server(speaker.message) as server:
        result = evaluate(server, request, **options)
        asked = len(server.bodies)
        again = evaluate(server, request, **options)
        assert len(server.bodies) == asked
    assert (again.progress.played, again.progress.present) == (0, 6)
    score = score_folder(result.folder)
    assert (score.metrics["accuracy"].value, score.complete, score.scored) == (1.0, True, 6)
    assert score.protocol.startswith(protocol)
    body = server.bodies[0]
    assert (body["temperature"], body["stream"]) == (0.5, True)
    assert {body["seed"] for body in server.bodies} == {7, 8}
    assert 99 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    choice = result.manifest.model
    assert choice is not None
    assert (choice.temperature, choice.reasoning_effort, choice.seed) == (0.5, "low", 7)
    with pytest.raises(StoreError, match=r"model.temperature: 0.5 → 0.0"):
        play_model(server, result.folder, request, **{**options, "temperature": 0.0})


def test_stopping_at_a_cost_and_going_on(mini: World, speaker: Speaker, evaluate: Evaluate, tmp_path: Path) -> None:
    """A tenth of a cent a turn; the cap is met in the middle of episodes, whose turns aren't asked again."""
    request, price = {"limit": 4}, {"price": "10,0", "max_connections": 2}
    with Server(speaker.message) as server:
        with pytest.raises(CostReached, match=r"--max-cost allows \$0\.01"):
            evaluate(server, request, max_cost=0.0145, **price)
        first = len(server.bodies)
        assert 15 <= first <= 16
        with pytest.raises(CostReached):
            evaluate(server, request, max_cost=0.0145, **price)
        assert len(server.bodies) == first
        result = evaluate(server, request, max_cost=1.0, **price)
        assert set(server.asked.values()) == {1}
        whole = play_model(server, tmp_path / "whole", request, **price)
    assert stored(result.folder) == stored(whole.folder)
    turns = sum(len(episode.turns) for episode in stored(whole.folder).values())
    assert sum(e.usage.cost or 0 for e in stored(whole.folder).values() if e.usage) == pytest.approx(turns / 1000)
    assert not list((result.folder / "journal").iterdir())


def test_only_errors_are_retried_and_from_where_they_came(mini: World, speaker: Speaker, evaluate: Evaluate) -> None:
    broken = [True]
    second = list(mini.query.values())[1].text

    def trouble(body: dict[str, Any], asked: int) -> str | None:
        return "malformed" if broken[0] and speaker.query(body) == second and speaker.turn(body) == 3 else None

    with Server(speaker.message, trouble) as server:
        first = evaluate(server, {"limit": 3})
        assert first.progress.errors == 1
        score = score_folder(first.folder)
        assert (score.coverage, score.complete) == (pytest.approx(2 / 3), False)
        before = len(server.bodies)
        assert evaluate(server, {"limit": 3}).progress.played == 0
        broken[0] = False
        result = evaluate(server, {"limit": 3, "retry_errors": True})
    assert result.progress.played == 1
    episode = stored(result.folder)[f"{mini.queries[1].query_id}#0"]
    assert episode.status is Status.SUCCESS
    assert len(server.bodies) - before == len(episode.turns) - 3


def test_batches_are_one_run(
    mini: World, speaker: Speaker, evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten episodes in logs of four: interrupted after the first, then continued."""
    monkeypatch.setattr(drive, "BATCH", 4)
    monkeypatch.setattr(drive, "WAVES", 2)
    real, batches = drive._evaluate, []

    def once(*args: Any) -> None:
        if batches:
            raise KeyboardInterrupt
        batches.append(1)
        real(*args)

    options: dict[str, Any] = {"max_connections": 2}
    with Server(speaker.message) as server:
        monkeypatch.setattr(drive, "_evaluate", once)
        with pytest.raises(KeyboardInterrupt):
            evaluate(server, {"limit": 5, "epochs": 2}, **options)
        monkeypatch.setattr(drive, "_evaluate", real)
        assert len(stored(tmp_path / "run")) == 4
        result = evaluate(server, {"limit": 5, "epochs": 2}, **options)
        asked = len(server.bodies)
        assert (result.progress.present, result.progress.played) == (4, 6)
        whole = play_model(server, tmp_path / "whole", {"limit": 5, "epochs": 2}, **options)
        # No finished episode was played again.
        assert len(server.bodies) == 2 * asked
    logs = [read_eval_log(str(path)) for path in sorted((result.folder / "logs").iterdir())]
    assert [len(log.samples or ()) for log in logs] == [4, 4, 2]
    names = [sample.id for log in logs for sample in log.samples or ()]
    assert sorted(names) == sorted(stored(result.folder)) and len(set(names)) == 10
    assert stored(result.folder) == stored(whole.folder)
    score = score_folder(result.folder)
    assert (score.scored, score.coverage, score.complete) == (10, 1.0, True)


def test_the_collector_is_left_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), drive.seldom_collected():
        assert gc.get_threshold() == drive.COLLECT
        raise ZeroDivisionError
    assert gc.get_threshold() == before
    gc.set_threshold(0)
    with drive.seldom_collected():
        # Somebody has turned it off.
        assert gc.get_threshold()[0] == 0
    gc.set_threshold(*before)


def test_limits_of_an_episode(mini: World, speaker: Speaker, evaluate: Evaluate) -> None:
    slow = mini.queries[1].text

    def trouble(body: dict[str, Any], asked: int) -> str | None:
        return "hang" if speaker.query(body) == slow else None

    with Server(speaker.message, trouble) as server:
        result = evaluate(server, {"limit": 2}, token_limit=500, time_limit=3.0)
    causes = [(episode.cause or "").partition(":")[0] for episode in stored(result.folder).values()]
    assert causes == ["token_limit", "time_limit"]


def test_what_is_refused_before_anything_is_asked(evaluate: Evaluate, tmp_path: Path, monkeypatch: Any) -> None:
    with Server(lambda body: {}) as server:
        with pytest.raises(UsageError, match="looks like a secret"):
            evaluate(server, model_args=("api_key=abc",))
        with pytest.raises(UsageError, match="user, a password or a query"):
            evaluate(server, base_url="http://me:secret@127.0.0.1/v1")
        with pytest.raises(UsageError, match="is no price"):
            evaluate(server, price="cheap")
        with pytest.raises(UsageError, match="--max-cost needs a price"):
            evaluate(server, max_cost=1.0)
        with pytest.raises(UsageError, match="--max-connections"):
            evaluate(server, {"workers": 2})
        with pytest.raises(UsageError, match="with all tools takes about"):
            evaluate(server, {"overrides": ("all_tools=true",)}, context=1000)
        with pytest.raises(UsageError, match="no_such_provider/x' can't be used"):
            evaluate(server, model="no_such_provider/x")
        monkeypatch.delenv("LOCAL_API_KEY")
        with pytest.raises(UsageError, match="LOCAL_API_KEY"):
            evaluate(server)
    assert not server.bodies
    assert not (tmp_path / "run").exists()


def test_the_manifest_has_no_address(speaker: Speaker, evaluate: Evaluate) -> None:
    with Server(speaker.message) as server:
        folder = evaluate(server, {"limit": 1}).folder
    manifest = json.loads((folder / "run.json").read_text())
    assert manifest["model"]["name"] == manifest["agent"] == "openai-api/local/scripted"
    assert server.url not in (folder / "run.json").read_text()
