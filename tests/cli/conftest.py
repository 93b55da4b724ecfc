"""Fixtures for tests of the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from planbench_xl.cli import main


class Called(NamedTuple):
    """What a call of the command line did."""

    status: int
    out: str
    err: str


Call = Callable[..., Called]


@pytest.fixture(autouse=True)
def small_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play on the small packaged world unless a test names another."""
    monkeypatch.setenv("PLANBENCH_XL_WORLD", "mini")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Called:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Called(int(ended.value.code or 0), out, err)

    return run
