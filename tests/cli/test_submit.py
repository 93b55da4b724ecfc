from __future__ import annotations

import json
from pathlib import Path

import pytest

from planbench_xl.cli import main
from planbench_xl.runs.run import run
from planbench_xl.submissions import pack


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    run("mini", tmp_path / "run", agent="oracle")
    return pack(tmp_path / "run", tmp_path / "packs" / "a.zip")


def status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


def test_pack_verify_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("mini", tmp_path / "run", agent="oracle")
    file = tmp_path / "packs" / "mine.zip"
    assert status("submit", "pack", str(tmp_path / "run"), "--out", str(file), "--name", "Mine") == 0
    assert status("submit", "verify", str(file)) == 0
    assert "verified. 11 episodes played again" in capsys.readouterr().out
    assert status("submit", "board", str(file.parent), "--out", str(tmp_path / "board")) == 0
    assert "<td>Mine</td>" in (tmp_path / "board" / "index.html").read_text()


def test_json(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("submit", "verify", str(archive), "--world", "mini", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["valid"], found["replayed"]) == (True, 11)
    assert status("submit", "board", str(archive.parent), "--out", str(tmp_path / "b"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["submissions"][0]["valid"] is True


def test_a_foreign_world(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("submit", "verify", str(archive), "--world", "hospital") == 1
    assert "NOT verified, 1 problem:\n  it was played on another world" in capsys.readouterr().out


def test_no_submission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("submit", "verify", str(tmp_path / "none")) == 1
    assert "There is no file" in capsys.readouterr().err
