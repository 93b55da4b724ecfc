from __future__ import annotations

import json
from pathlib import Path

import pytest

from planbench_xl.runs.run import run

from .test_submit import status


def test_chat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("mini", tmp_path / "run", agent="oracle")
    file = tmp_path / "chat.jsonl"
    arguments = ["export", "chat", str(tmp_path / "run"), "--out", str(file)]
    assert status(*arguments) == 2
    assert "--any-split" in capsys.readouterr().err
    assert status(*arguments, "--any-split", "--protocol", "native", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "conversations": 11}
    assert len(file.read_text().splitlines()) == 11


def test_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    run("mini", tmp_path / "run", agent="oracle")
    assert status("export", "parquet", "mini", "--out", str(tmp_path / "w")) == 0
    assert status("export", "parquet", str(tmp_path / "run"), "--out", str(tmp_path / "r"), "--json") == 0
    assert (tmp_path / "w" / "queries.parquet").exists()
    assert (tmp_path / "r" / "turns.parquet").exists()


def test_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("export", "card", "mini") == 0
    assert capsys.readouterr().out.startswith("---\npretty_name")


def test_inspect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("inspect_ai")
    run("mini", tmp_path / "run", agent="oracle", queries=["library_query_01"])
    out = tmp_path / "logs"
    assert status("export", "inspect", str(tmp_path / "run"), "--out", str(out), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"files": [str(out / "run.eval")]}
    assert status("score", str(out / "run.eval"), "--json") == 0
    assert '"succeeded": 1' in capsys.readouterr().out


def test_inspect_needs_the_extra(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planbench_xl.cli.export.find_spec", lambda name: None)
    assert status("export", "inspect", str(tmp_path), "--out", str(tmp_path)) == 2
    assert "pip install 'planbench-xl[inspect]'" in capsys.readouterr().err
