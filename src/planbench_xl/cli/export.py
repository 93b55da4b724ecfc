"""`planbench-xl export`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from planbench_xl.cli.common import SuggestingGroup, examples, json_option, print_json

_COUNT = click.IntRange(min=1)
_PATHS = click.argument("runs", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
_WORLD = click.option("--world", metavar="WORLD", help="World they were played on. [default: the one the run names]")


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "planbench-xl export chat runs/retail-oracle-default --out oracle.jsonl --protocol native",
        "planbench-xl export parquet retail --out tables",
        "planbench-xl export parquet runs/retail-explorer-default --out tables",
        "planbench-xl export inspect runs/retail-oracle-default --out logs",
        "planbench-xl export card retail > README.md",
    ),
)
def export() -> None:
    """Write worlds and episodes in the forms that other tools read."""


@export.command(
    epilog=examples(
        "planbench-xl export chat runs/retail-oracle-default --out oracle.jsonl",
        "planbench-xl export chat runs/retail-explorer-default --out all.jsonl --outcome any --any-split",
    )
)
@_PATHS
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="File for JSON Lines.")
@_WORLD
@click.option("--protocol", type=click.Choice(["text", "native"]), default="text", show_default=True)
@click.option("--outcome", type=click.Choice(["success", "failure", "any"]), default="success", show_default=True)
@click.option("--min-turns", type=_COUNT, default=1, show_default=True, metavar="N", help="At least so many turns.")
@click.option("--max-turns", type=_COUNT, metavar="N", help="At most so many turns.")
@click.option("--any-split", is_flag=True, help="Also queries that are for testing, not only the split dev.")
@json_option
def chat(runs: tuple[Path, ...], out: Path, world: str | None, protocol: Any, as_json: bool, **choice: Any) -> None:
    """Write episodes as chat messages, one conversation a line, for fine-tuning.

    Each episode is played again, so that every message is word for word what a model reads and writes. Only queries
    of the split dev are taken, unless --any-split is given.
    """
    from planbench_xl.exports.chat import Choice, write_chat
    from planbench_xl.report.counting import counted
    from planbench_xl.runs.loading import load_runs

    count = write_chat(load_runs(runs, world), out, protocol, Choice(**choice))
    if as_json:
        print_json({"file": str(out), "conversations": count})
    else:
        click.echo(f"{out}: {counted(count, 'conversation')}.")


@export.command(
    epilog=examples(
        "planbench-xl export parquet retail --out tables",
        "planbench-xl export parquet runs/retail-explorer-default runs/retail-oracle-default --out tables",
    )
)
@click.argument("sources", metavar="WORLD|RUN…", nargs=-1, required=True)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder for the tables.")
@_WORLD
@json_option
def parquet(sources: tuple[str, ...], out: Path, world: str | None, as_json: bool) -> None:
    """Write a world's tables, or those of runs (episodes with their scores, turns), as Parquet.

    They load in pandas, polars and DuckDB. Values of any type are JSON text.
    """
    from planbench_xl.exports.parquet import write_runs, write_world
    from planbench_xl.runs.loading import load_runs
    from planbench_xl.world import load_world, packaged_worlds

    (first, *more) = sources
    if not more and (first in packaged_worlds() or (Path(first) / "manifest.json").exists()):
        files = write_world(load_world(first), out)
    else:
        files = write_runs(load_runs(sources, world), out)
    if as_json:
        print_json({"files": [str(path) for path in files]})
    else:
        for path in files:
            click.echo(f"{path}: {path.stat().st_size:,} bytes")


@export.command(
    name="inspect",
    epilog=examples(
        "planbench-xl export inspect runs/retail-oracle-default --out logs",
        "inspect view --log-dir logs",
    ),
)
@_PATHS
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder for the logs.")
@_WORLD
@json_option
def inspect_logs(runs: tuple[Path, ...], out: Path, world: str | None, as_json: bool) -> None:
    """Write runs as logs of Inspect AI, which its viewer opens.

    Each episode is played again in the run's protocol, so that a scripted agent's conversation reads as a model's.
    Scores are those of `planbench-xl score`.
    """
    if find_spec("inspect_ai") is None:
        from planbench_xl.errors import UsageError

        raise UsageError("Logs of Inspect AI need it. Run: pip install 'planbench-xl[inspect]'")
    from planbench_xl.harness.export import write_logs
    from planbench_xl.runs.loading import find_runs

    files = write_logs(find_runs(runs, world), out)
    if as_json:
        print_json({"files": [str(path) for path in files]})
    else:
        for path in files:
            click.echo(f"{path}: {path.stat().st_size:,} bytes")


@export.command(epilog=examples("planbench-xl export card retail --license cc-by-4.0 > README.md"))
@click.argument("world")
@click.option("--license", "license_name", default="other", show_default=True, help="Licence that you give the world.")
def card(world: str, license_name: str) -> None:
    """Print a dataset card for a world."""
    from planbench_xl.exports.card import card as make
    from planbench_xl.runs.worlds import open_world

    click.echo(make(open_world(world), license_name=license_name), nl=False)
