import io
import sys

import pytest

from planbench_xl.cli import progress
from planbench_xl.cli.progress import ProgressView, Steps, describe
from planbench_xl.episodes.record import Status
from planbench_xl.runs.player import Batch
from planbench_xl.runs.run import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def play(view: ProgressView, label: str = "") -> None:
    state = Progress(20, present=4)
    view.update(state, label)
    for i in range(16):
        state.add(Batch(b"", [(Status.ERROR if i == 3 else Status.SUCCESS, 10)]), 0.01 * (i + 1))
        view.update(state, label)


def test_few_lines_where_no_terminal_is(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressView() as view:
        play(view)
        play(view, "one-path")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "20 episodes: 4 there already, 16 to play",
        "20/20 episodes · 1,000 turns/s · accuracy 100.0% · 1 error",
        "one-path: 20 episodes: 4 there already, 16 to play",
        "one-path: 20/20 episodes · 1,000 turns/s · accuracy 100.0% · 1 error",
    ]


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "BAR_SECONDS", 0.0)
    monkeypatch.setenv("COLUMNS", "120")
    with ProgressView() as view:
        play(view)
    shown = terminal.getvalue()
    assert "20/20" in shown
    assert "turns/s" in shown
    assert "accuracy 100.0%" in shown


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressView(quiet=True) as view:
        play(view)
    assert capsys.readouterr() == ("", "")


def test_the_time_left() -> None:
    state = Progress(100)
    state.add(Batch(b"", [(Status.SUCCESS, 10)] * 10), 5.0)
    assert describe(state).endswith("45 s left")
    state.add(Batch(b"", []), 200.0)
    assert describe(state).endswith("30 min left")
    assert describe(Progress(3)) == ""


def test_steps_go_to_standard_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("planbench_xl.cli.progress.LINE_SECONDS", 0.0)
    with Steps() as steps:
        steps("paths", 3, 8)
    assert capsys.readouterr() == ("", "paths: 3/8\n")


def test_steps_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("planbench_xl.cli.progress.BAR_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Steps() as steps:
        steps("paths", 3, 8)
        steps("plans", 1, 8)
    out, err = capsys.readouterr()
    assert out == "" and err
