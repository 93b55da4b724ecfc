"""`planbench-xl world audit`."""

from __future__ import annotations

import shutil
import time
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from planbench_xl.cli.common import examples, json_option, print_json
from planbench_xl.cli.progress import Steps

if TYPE_CHECKING:
    from planbench_xl.audit import AuditReport, Finding

COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
LONG = 8
"""Distributions with more entries are cut to so many."""


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
    from planbench_xl.report.counting import counted

    width = max(40, min(shutil.get_terminal_size((100, 24)).columns, 110))
    for finding in report.findings:
        _print_finding(finding, width)
    counts = {level: sum(finding.level == level for finding in report.findings) for level in COLOURS}
    found = ", ".join(counted(number, level) for level, number in counts.items())
    click.echo(fill(f"Nothing found by: {', '.join(report.passed)}.", width, break_on_hyphens=False))
    click.echo(f"\n{report.world}: {found}; {counted(len(report.passed), 'check')} passed; {seconds:.1f} s.")


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
