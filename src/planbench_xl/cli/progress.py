"""Shows how far long work is: a bar on a terminal, a line now and then elsewhere. Always on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

if TYPE_CHECKING:
    from planbench_xl.runs.run import Progress

BAR_SECONDS = 0.1
LINE_SECONDS = 10.0


class _View:
    """What may show a bar. Use as a context manager."""

    _bar: Any = None
    _task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class ProgressView(_View):
    """Shows the progress of one run, or of several one after the other. Use as a context manager.

    Args:
        quiet: Show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._label: str | None = None
        self._shown = 0.0

    def update(self, state: Progress, label: str = "") -> None:
        """Show the state of a run; often called, seldom shown."""
        if self._quiet:
            return
        first = label != self._label
        last = state.done >= state.total
        now = time.monotonic()
        wait = BAR_SECONDS if sys.stderr.isatty() else LINE_SECONDS
        if not (first or last) and now - self._shown < wait:
            return
        self._label, self._shown = label, now
        if sys.stderr.isatty():
            self._draw(state, label, first)
        else:
            self._line(state, label, first)

    def _line(self, state: Progress, label: str, first: bool) -> None:
        from planbench_xl.report.counting import counted

        head = f"{label}: " if label else ""
        if first:
            missing = state.total - state.present
            click.echo(
                f"{head}{counted(state.total, 'episode')}: {state.present} there already, {missing} to play", err=True
            )
        else:
            click.echo(f"{head}{state.done}/{state.total} episodes · {describe(state)}", err=True)

    def _draw(self, state: Progress, label: str, first: bool) -> None:
        if self._bar is None:
            self._bar = _bar()
            self._bar.start()
        if first:
            self._task = self._bar.add_task(label, total=state.total, info="")
        self._bar.update(self._task, completed=state.done, info=describe(state))
        self._bar.refresh()


class Steps(_View):
    """Shows how far other long work is, one step after the other. Use as a context manager."""

    def __init__(self) -> None:
        self._what = ""
        self._shown = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show the state; often called, seldom shown."""
        terminal = sys.stderr.isatty()
        now = time.monotonic()
        if now - self._shown < (BAR_SECONDS if terminal else LINE_SECONDS):
            return
        self._shown = now
        if not terminal:
            click.echo(f"{what}: {done}/{total}", err=True)
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._bar.start()
        if what != self._what:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task, self._what = self._bar.add_task(what, total=total), what
        self._bar.update(self._task, completed=done)
        self._bar.refresh()


def describe(state: Progress) -> str:
    """Return rate, running accuracy, errors and the time left, as far as they are known."""
    from planbench_xl.report.counting import counted

    parts = []
    if state.seconds > 0 and state.played:
        parts.append(f"{state.turns / state.seconds:,.0f} turns/s")
    if state.accuracy is not None:
        parts.append(f"accuracy {state.accuracy:.1%}")
    if state.errors:
        parts.append(counted(state.errors, "error"))
    if state.played and state.done < state.total:
        left = state.seconds / state.played * (state.total - state.done)
        parts.append(f"{left:.0f} s left" if left < 120 else f"{left / 60:.0f} min left")
    return " · ".join(parts)


def _bar() -> Any:
    """Return a bar that draws itself only when told: a thread of its own would forbid forking workers."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[info]}"),
        console=Console(stderr=True),
        auto_refresh=False,
    )
