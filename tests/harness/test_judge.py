"""A model as an extra judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from planbench_xl.errors import UsageError
from planbench_xl.harness.judge import VERDICTS, judge_name, judge_run
from planbench_xl.runs.run import run
from planbench_xl.world import World
from tests.harness.server import Server


def test_a_model_judges_answers_once(mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three right answers: the model accepts one, refuses one and rambles on the third."""
    words = ["ACCEPT", "reject.", "ACCEPT or REJECT, who knows"]
    names = tuple(mini.query)[:3]
    texts = [mini.query[name].text for name in names]

    def speak(body: dict[str, Any]) -> dict[str, Any]:
        prompt = body["messages"][-1]["content"]
        return {"role": "assistant", "content": next(w for w, text in zip(words, texts, strict=True) if text in prompt)}

    run(mini, tmp_path, agent="oracle", queries=names)
    before = (tmp_path / "episodes.jsonl").read_bytes()
    with Server(speak) as server:
        monkeypatch.setenv("JURY_API_KEY", "sk-jury-0123456789")
        monkeypatch.setenv("JURY_BASE_URL", server.url)
        first = judge_run(tmp_path, mini, "openai-api/jury/x")
        with (tmp_path / VERDICTS).open("ab") as file:
            file.write(b'{"judge": "torn')
        again = judge_run(tmp_path, mini, "openai-api/jury/x")
        assert len(server.bodies) == 3
    assert first == again
    assert (first.answers, first.both, first.only_exact, first.unreadable) == (3, 1, 1, 1)
    assert first.agreement == 0.5
    assert "agreement with `exact` 50.0%" in first.line()
    assert (tmp_path / "episodes.jsonl").read_bytes() == before


def test_a_judge_is_a_model() -> None:
    assert judge_name("model:openai/gpt-5-mini") == "openai/gpt-5-mini"
    with pytest.raises(UsageError, match="names no model"):
        judge_name("exact")
