"""`planbench-xl world paths`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import ENGINE_OPTION, examples, json_option, print_json
from planbench_xl.cli.progress import Steps

if TYPE_CHECKING:
    from planbench_xl.audit.solutions import Bounded, GraphLevel, PathRow
    from planbench_xl.engines import EngineName

HEADS = ("paths", "at most {}", "shortest", "longest", "datatypes")


@click.command(
    short_help="Count or list solution paths.",
    epilog=examples(
        "planbench-xl world paths mini",
        "planbench-xl world paths mini --task library_task_01 --list",
        "planbench-xl world paths ../shared/release --level record --time-limit 5 --json",
    ),
)
@click.argument("path")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; can be given several times.")
@click.option(
    "--max-tools",
    type=click.IntRange(min=0),
    default=9,
    show_default=True,
    metavar="N",
    help="Count paths of at most N tools apart, and list only those.",
)
@click.option(
    "--level",
    type=click.Choice(["type", "record"]),
    default="type",
    show_default=True,
    help="All executable tools, or those that answer on the record of a query.",
)
@click.option("--list", "listing", is_flag=True, help="List the paths, each in a legal order, the shortest first.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Per task; beyond it figures are bounds. [default: no limit]",
)
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Number of processes.")
@click.option("--engine", **ENGINE_OPTION)
@json_option
def paths(
    path: str,
    tasks: tuple[str, ...],
    max_tools: int,
    level: GraphLevel,
    listing: bool,
    time_limit: float | None,
    workers: int,
    engine: EngineName,
    as_json: bool,
) -> None:
    """Count the solution paths of each task, exactly where possible.

    A path is a minimal tool set: it leads from the task's inputs to its targets, and no tool can be left out. The
    table has their number, the number of those of at most N tools, the length of the shortest (L*) and of the longest,
    and the number of datatypes that lie on some path. A figure with ≥ or ≤ in front is a bound, any other is exact.
    With --level record, a task whose queries are on records of different kinds has a row for each.
    """
    from planbench_xl.audit.solutions import spread_paths
    from planbench_xl.runs.worlds import open_world

    started = time.monotonic()
    world = open_world(path)
    options = {"max_tools": max_tools, "level": level, "listing": listing, "time_limit": time_limit}
    found = spread_paths(path, tasks, workers=workers, engine=engine, **options)
    total = len(set(tasks)) or len(world.tasks)
    with Steps() as steps:
        rows = _collect(found, steps, total)
    if as_json:
        print_json(rows)
        return
    without = total - len({row.task_id for row in rows})
    _print(rows, max_tools)
    click.echo(_summary(rows, max_tools, without, time.monotonic() - started))


def _collect(found: Iterable[PathRow], steps: Steps, total: int) -> list[PathRow]:
    rows: list[PathRow] = []
    names: set[str] = set()
    for row in found:
        rows.append(row)
        names.add(row.task_id)
        steps("paths", len(names), total)
    return rows


def _print(rows: Sequence[PathRow], max_tools: int) -> None:
    times = Counter(row.task_id for row in rows)
    # A task with several rows needs its queries to tell them apart.
    labels = [row.task_id if times[row.task_id] == 1 else f"{row.task_id} ({', '.join(row.queries)})" for row in rows]
    cells = [
        (
            _shown(row.count, "≥"),
            _shown(row.up_to, "≥"),
            _shown(row.shortest, "≤"),
            _shown(row.longest, "≥"),
            f"{'' if row.useful_datatypes_exact else '≥'}{len(row.useful_datatypes):,}",
        )
        for row in rows
    ]
    heads = tuple(head.format(max_tools) for head in HEADS)
    widths = [max(len(line[column]) for line in (heads, *cells)) for column in range(len(heads))]
    first = max(map(len, ("task", *labels)), default=4)
    click.echo(_line("task", heads, first, widths))
    for label, line, row in zip(labels, cells, rows, strict=True):
        click.echo(_line(label, line, first, widths))
        for tools in row.tool_sets or ():
            click.echo(f"  {len(tools)}: {' → '.join(tools) or '(nothing to do)'}")
        if row.tool_sets is not None and not row.listing_complete:
            click.echo(f"  … stopped by the time limit after {len(row.tool_sets):,}")


def _line(label: str, cells: Sequence[str], first: int, widths: Sequence[int]) -> str:
    return "  ".join((f"{label:<{first}}", *(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))))


def _shown(figure: Bounded, bound: str) -> str:
    if figure.value is None:
        return "none" if figure.exact else "?"
    return f"{'' if figure.exact else bound}{figure.value:,}"


def _summary(rows: Sequence[PathRow], max_tools: int, without: int, seconds: float) -> str:
    tasks = len({row.task_id for row in rows})
    exact = sum(row.exact for row in rows)
    lengths = [row.shortest.value for row in rows if row.shortest.value is not None]
    number = _total(row.count for row in rows)
    short = _total(row.up_to for row in rows)
    bounds = len(rows) - exact
    parts = [
        f"{tasks:,} task{'' if tasks == 1 else 's'}",
        f"{number} paths, {short} of at most {max_tools} tools",
        f"L* {min(lengths)}–{max(lengths)}" if lengths else "no solution",
        f"{bounds:,} row{'' if bounds == 1 else 's'} with bounds (≥, ≤)" if bounds else "all figures exact",
    ]
    parts += [f"{without:,} without a query"] if without else []
    return f"\n{'; '.join(parts)}; {seconds:.1f} s."


def _total(figures: Iterable[Bounded]) -> str:
    known = list(figures)
    bound = "" if all(figure.exact for figure in known) else "≥"
    return f"{bound}{sum(figure.value or 0 for figure in known):,}"
