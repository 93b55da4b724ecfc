"""The paper's main table, for a terminal or for a file.

The table adapts to where it is printed: colours and lines on a terminal, plain text elsewhere, and one figure per
line where the columns don't fit. A figure is never cut or wrapped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import Any

import msgspec
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from planbench_xl.metrics import Figure, PassRate, RunScore
from planbench_xl.report.counting import counted

Row = tuple[str, RunScore]
"""Label of a run and its score."""

UNDEFINED = "–"
"""Shown for a figure without a denominator."""

MIN_LABEL = 12
FEW = 3
"""With more runs than this, only what is not as it should be is said of each."""

GAP = 2


class Column(msgspec.Struct, frozen=True):
    """One column of the table.

    Attributes:
        metric: Key of the figure.
        head: Its heading.
        percent: Show the fraction in per cent.
    """

    metric: str
    head: str
    percent: bool = False


COLUMNS = (
    Column("accuracy", "Acc %", True),
    Column("egt_precision", "EGT-P %", True),
    Column("turns", "Turns"),
    Column("edt", "EDT"),
    Column("search_to_call", "S/C"),
    Column("itcr", "ITCR %", True),
    Column("uirr", "UIRR %", True),
    Column("forward_to_backward", "F/B"),
)


class MainTable:
    """The main table with the small print of each run below it; print it with a rich console."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        terminal = console.is_terminal
        wide = _width(self.rows, intervals=True) <= options.max_width
        if self.rows and _width(self.rows) <= options.max_width:
            yield _table(self.rows, terminal, intervals=wide)
        else:
            yield from _stack(self.rows)
        if len(self.rows) > FEW:
            yield Text(fill(_together([score for _, score in self.rows]), options.max_width))
        for label, score in self.rows:
            notes = list(_notes(score, intervals=not wide) if len(self.rows) <= FEW else _warnings(score))
            indent = ""
            if len(self.rows) > 1 and notes:
                yield Text(f"\n{label}", style="bold")
                indent = "  "
            for text, style in notes:
                yield Text(fill(text, options.max_width, initial_indent=indent, subsequent_indent=indent), style=style)


def main_table(rows: Iterable[Row]) -> MainTable:
    """Return the main table of some runs.

    Args:
        rows: Label and score of each run, in the order to be shown.
    """
    return MainTable(list(rows))


def as_dict(label: str, score: RunScore) -> dict[str, Any]:
    """Return one run of the table as JSON-ready data: its label and every field of its score."""
    return {"run": label, **msgspec.to_builtins(score)}


def show(figure: Figure, *, percent: bool = False) -> str:
    """Return a figure as it is shown: two decimals, fractions in per cent where asked."""
    return UNDEFINED if figure.value is None else f"{figure.value * 100 if percent else figure.value:.2f}"


def _table(rows: Sequence[Row], terminal: bool, *, intervals: bool) -> Table:
    # On a terminal the box has a blank of its own between columns.
    table = Table(
        box=box.SIMPLE_HEAD if terminal else None,
        padding=(0, 0, 0, GAP - 1 if terminal else GAP),
        pad_edge=False,
        show_edge=False,
        header_style="bold" if terminal else "",
    )
    table.add_column("Run", overflow="fold", min_width=MIN_LABEL)
    for column in COLUMNS:
        width = _column_width(rows, column, intervals=intervals)
        table.add_column(column.head, justify="right", no_wrap=True, min_width=width)
    for label, score in rows:
        table.add_row(Text(label), *(_cell(score, column) for column in COLUMNS))
        if intervals and any(_interval(score, column) for column in COLUMNS):
            table.add_row("", *(_interval(score, column) for column in COLUMNS), style="dim" if terminal else "")
    return table


def _stack(rows: Sequence[Row]) -> Iterator[Text]:
    for label, score in rows:
        yield Text(label, style="bold")
        for column in COLUMNS:
            yield Text(f"  {column.head:<8} {_cell(score, column).rstrip():<7} {_interval(score, column)}".rstrip())


def _cell(score: RunScore, column: Column) -> str:
    shown = show(score.metrics[column.metric], percent=column.percent)
    if column.metric == "accuracy":
        return shown + (" " if score.complete else "*")
    return shown


def _interval(score: RunScore, column: Column) -> str:
    """Return the 95 % interval of a figure, or nothing if it has none."""
    figure = score.metrics[column.metric]
    if figure.low is None or figure.high is None:
        return ""
    scale = 100 if column.percent else 1
    # The blank keeps it in line with a figure that may bear a mark.
    return f"{figure.low * scale:.1f}–{figure.high * scale:.1f}" + (" " if column.metric == "accuracy" else "")


def _column_width(rows: Sequence[Row], column: Column, *, intervals: bool) -> int:
    cells = [_cell(score, column) for _, score in rows]
    cells += [_interval(score, column) for _, score in rows if intervals]
    return max(len(column.head), *map(len, cells))


def _width(rows: Sequence[Row], *, intervals: bool = False) -> int:
    """Return the least width that the table needs."""
    return MIN_LABEL + sum(GAP + _column_width(rows, column, intervals=intervals) for column in COLUMNS)


def _notes(score: RunScore, *, intervals: bool) -> Iterator[tuple[str, str]]:
    """Yield the lines of small print of a run, each with a style; with the intervals, if the table hasn't."""
    if score.complete:
        yield _coverage(score), ""
    if intervals and any(_interval(score, column) for column in COLUMNS):
        yield _intervals(score), ""
    for rate in score.passes:
        yield _passes(rate), ""
    if score.failure_reasons:
        yield f"Failures: {_listed(score.failure_reasons)}.", ""
    yield from _warnings(score)
    yield _more(score), ""
    names = (score.setting or UNDEFINED, score.protocol or UNDEFINED, score.judge or UNDEFINED)
    where = f"World {score.world} ({score.fingerprint[:12]})"
    yield "{}, setting {}, protocol {}, judge {}.".format(where, *names), "dim"


def _intervals(score: RunScore) -> str:
    """Return every interval in a line, for tables too narrow to hold them."""
    found = [(column, _interval(score, column).strip()) for column in COLUMNS]
    shown = ", ".join(f"{column.head} {interval}" for column, interval in found if interval)
    return f"95 % intervals over {counted(score.queries, 'query')}: {shown}."


def _passes(rate: PassRate) -> str:
    some, every = show(rate.any, percent=True), show(rate.all, percent=True)
    return f"pass@{rate.k} {some} %, pass^{rate.k} {every} % ({counted(rate.queries, 'query')})."


def _warnings(score: RunScore) -> Iterator[tuple[str, str]]:
    """Yield the lines that are there only where something is not as it should be."""
    if not score.complete:
        yield _coverage(score), "bold yellow"
    if score.errors:
        yield _errors(score), "yellow"
    if score.unresolved:
        yield f"No plan: {counted(score.unresolved, 'episode')} ran without what the setting does.", "yellow"
    if score.disagreements:
        yield _disagreements(score.disagreements), "bold red"


def _together(scores: Sequence[RunScore]) -> str:
    """Return the line below a table of many runs: what they have in common."""
    complete = sum(score.complete for score in scores)
    names = [_common(score.protocol for score in scores), _common(score.judge for score in scores)]
    worlds = _common(f"{score.world} ({score.fingerprint[:12]})" for score in scores)
    runs = f"{len(scores)} runs, {complete if complete < len(scores) else 'all'} of them complete."
    return f"{runs} World {worlds}, protocol {names[0]}, judge {names[1]}."


def _common(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(name or UNDEFINED for name in names))


def _coverage(score: RunScore) -> str:
    total = counted(score.scored, "episode")
    if score.expected is not None:
        total = f"{score.scored} of {counted(score.expected, 'episode')}"
    share = "" if score.coverage is None else f" ({score.coverage:.1%})"
    head = "" if score.complete else "* INCOMPLETE: only "
    return f"{head}{total} scored{share}, {score.succeeded} succeeded."


def _errors(score: RunScore) -> str:
    figure = show(score.metrics_errors_as_failures["accuracy"], percent=True)
    return (
        f"Infrastructure errors: {score.errors} ({_listed(score.error_causes)}), left out of the figures above; "
        f"with them as failures, accuracy is {figure} %."
    )


def _disagreements(keys: Sequence[str]) -> str:
    named = ", ".join(keys[:3]) + (", …" if len(keys) > 3 else "")
    return f"Recorded otherwise: {counted(len(keys), 'outcome')} ({named}); the figures are worked out from the turns."


def _more(score: RunScore) -> str:
    per_call = show(score.metrics["distractors_per_call"], percent=True)
    per_episode = show(score.metrics["distractors_per_episode"])
    recall = show(score.metrics["egt_recall"], percent=True)
    progress = show(score.metrics["progress_per_call"], percent=True)
    text = f"Distractors: {per_call} % of the calls, {per_episode} per episode. EGT recall: {recall} %."
    text += f" Progress: {progress} % of the executed calls."
    unreadable = show(score.metrics["unreadable_per_turn"], percent=True)
    text += f" Unreadable replies: {unreadable} % of the turns"
    ended = score.metrics["parsing_failures"]
    text += "." if ended.value is None else f", the end of {show(ended, percent=True)} % of the failed episodes."
    if "egt_precision_exact" in score.metrics:
        precision = show(score.metrics["egt_precision_exact"], percent=True)
        recall = show(score.metrics["egt_recall_exact"], percent=True)
        progress = show(score.metrics["progress_per_call_exact"], percent=True)
        text += f" On all paths, listed or not: EGT precision {precision} %, recall {recall} %, progress {progress} %"
        text += f" (bounds for {counted(score.truth_bounds, 'query')})." if score.truth_bounds else "."
    return text


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
