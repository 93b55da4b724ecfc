"""`planbench-xl world audit`."""

from __future__ import annotations

import shutil
import sys
import time
from textwrap import fill
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from planbench_xl.cli.common import examples, json_option, print_json

if TYPE_CHECKING:
    from planbench_xl.audit import AuditReport, Finding

BAR_SECONDS = 0.1
LINE_SECONDS = 5.0
COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
LONG = 8
"""Distributions with more entries are cut to so many."""


class Steps:
    """Shows on standard error how far a check is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
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

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


@click.command(
    short_help="Find weaknesses of a world.",
    epilog=examples(
        "planbench-xl world audit mini",
        "planbench-xl world audit ../shared/release --fail-on never",
        "planbench-xl world audit my-world --json --fail-on warning > audit.json",
    ),
)
@click.argument("path")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    default="error",
    show_default=True,
    help="Exit status 1 if there is a finding of this level or a worse one.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="For the paths of one task; beyond it figures are bounds.",
)
@json_option
@click.pass_context
def audit(ctx: click.Context, path: str, fail_on: str, time_limit: float, as_json: bool) -> None:
    """Find what in a world makes scores wrong or easy to misread.

    Solution paths against the list, inputs that aren't needed, calls and gold answers against the records, retrieval,
    answers that score without work, imitations that tell the truth, repeated and leaking texts, block plans. Each
    finding has a count, an example, what it does to scores and what to do; --json has all entries concerned.
    """
    from planbench_xl.audit import Level
    from planbench_xl.audit import audit as run_audit
    from planbench_xl.runs.worlds import open_world

    started = time.monotonic()
    world = open_world(path)
    with Steps() as steps:
        report = run_audit(world, steps, time_limit=time_limit)
    if as_json:
        print_json(report)
    else:
        _print(report, time.monotonic() - started)
    ctx.exit(1 if fail_on != "never" and report.at_least(Level(fail_on)) else 0)


def _print(report: AuditReport, seconds: float) -> None:
    width = max(40, min(shutil.get_terminal_size((100, 24)).columns, 110))
    for finding in report.findings:
        _print_finding(finding, width)
    counts = {level: sum(finding.level == level for finding in report.findings) for level in COLOURS}
    found = ", ".join(f"{number} {level}{'' if number == 1 else 's'}" for level, number in counts.items())
    click.echo(fill(f"Nothing found by: {', '.join(report.passed)}.", width, break_on_hyphens=False))
    click.echo(f"\n{report.world}: {found}; {len(report.passed)} checks passed; {seconds:.1f} s.")


def _print_finding(finding: Finding, width: int) -> None:
    count = f"{finding.count:,}"
    if finding.total is not None:
        count += f" of {finding.total:,}"
    if finding.share is not None:
        count += f" ({finding.share:.1%})"
    click.echo(click.style(finding.level.value, fg=COLOURS[finding.level], bold=True) + f" {finding.id}: {count}")
    click.echo(fill(f"{finding.title}.", width, initial_indent="  ", subsequent_indent="  "))
    figures = "; ".join(_figure(name, value) for name, value in finding.figures.items())
    for head, text in (
        ("Figures", figures),
        ("Example", finding.example),
        ("Effect", finding.effect),
        ("Remedy", finding.remedy),
    ):
        if text:
            click.echo(fill(f"{head + ':':<8} {text}", width, initial_indent="  ", subsequent_indent=" " * 11))
    click.echo()


def _figure(name: str, value: Any) -> str:
    if isinstance(value, dict):
        shown = [f"{key}: {_number(number)}" for key, number in list(value.items())[:LONG]]
        shown += [f"and {len(value) - LONG} more"] if len(value) > LONG else []
        return f"{name.replace('_', ' ')} ({', '.join(shown) or 'none'})"
    return f"{name.replace('_', ' ')} {_number(value)}"


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
