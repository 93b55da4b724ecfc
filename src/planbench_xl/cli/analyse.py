"""`planbench-xl analyse`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import examples, json_option, print_json

if TYPE_CHECKING:
    from planbench_xl.analysis import PathSet


@click.command(
    epilog=examples(
        "planbench-xl analyse runs/mini-explorer-default",
        "planbench-xl analyse runs/paper                       all runs of a suite",
        "planbench-xl analyse runs/paper --paths reference     progress by the listed paths, as in the paper",
        "planbench-xl analyse runs/a runs/b --json",
    )
)
@click.argument("folders", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--world", metavar="WORLD", help="World they were played on. [default: the one the run names]")
@click.option(
    "--judge", type=click.Choice(["contains", "exact"]), help="Judge all answers anew. [default: the run's own judge]"
)
@click.option(
    "--paths",
    type=click.Choice(["exact", "reference"]),
    default="exact",
    show_default=True,
    help="Judge progress by all solution paths, or by the listed ones as the paper does.",
)
@json_option
def analyse(folders: tuple[Path, ...], world: str | None, judge: str | None, paths: PathSet, as_json: bool) -> None:
    """Say why the episodes of runs failed: a column per run.

    RUN is a run folder, a folder of several (as a suite makes), an output folder of the published release, or a log
    of Inspect. What each line means: docs/reading-a-failure.md. The JSON also has the slices.
    """
    from planbench_xl.analysis import AnalysedRun, analyse_episodes, slices, summarise, with_distances
    from planbench_xl.runs.loading import Worlds, find_runs, load_run

    worlds, runs = Worlds(), []
    for source in find_runs(folders, world):
        loaded = load_run(source, worlds)
        for problem in loaded.problems:
            click.echo(f"Warning: {source.path}: {problem}.", err=True)
        analyses = analyse_episodes(loaded.world, loaded.episodes, judge, paths=paths)
        runs.append(
            AnalysedRun(
                label=loaded.label,
                agent=loaded.agent,
                setting=loaded.setting,
                world=loaded.world.fingerprint,
                analysis=summarise(analyses, paths),
                slices=slices(analyses),
            )
        )
    runs = with_distances(runs)
    if as_json:
        print_json({"runs": runs})
        return

    from rich.console import Console

    from planbench_xl.analysis.table import analysis_table

    Console(file=sys.stdout).print(analysis_table(runs))
