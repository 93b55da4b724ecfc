from __future__ import annotations

import importlib.util
import socket
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.cli import main


def status(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "mcp", *arguments])
    return int(ended.value.code or 0)


def test_without_the_sdk_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    find = importlib.util.find_spec

    def hidden(name: str, package: str | None = None) -> Any:
        return None if name == "mcp" else find(name, package)

    monkeypatch.setattr("planbench_xl.cli.serve.find_spec", hidden)
    assert status("--out", str(tmp_path / "run")) == 2
    assert "pip install 'planbench-xl[mcp]'" in capsys.readouterr().err


def test_others_are_refused_without_a_token_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("mcp")
    monkeypatch.delenv("PLANBENCH_XL_TOKEN", raising=False)
    assert status("--out", str(tmp_path / "run"), "--transport", "http", "--host", "0.0.0.0") == 2
    assert "PLANBENCH_XL_TOKEN" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_what_makes_no_sense_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    assert status("--out", str(tmp_path / "run"), "--session", "") == 2
    assert "session's name" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert status("--out", str(tmp_path / "run"), "--transport", "http", "--port", port) == 2
    assert "can't listen" in capsys.readouterr().err
    for option in ("--workers", "--agent", "--retry-errors", "--protocol"):
        assert status(option, "2") == 2
        assert "No such option" in capsys.readouterr().err
