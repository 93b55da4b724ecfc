"""`planbench-xl report`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import ENGINE_OPTION, examples, json_option, needs_report_extra, print_json, print_table
from planbench_xl.cli.progress import Steps

if TYPE_CHECKING:
    from planbench_xl.engines import EngineName


@click.command(
    epilog=examples(
        "planbench-xl report runs/paper-explorer --out report",
        "planbench-xl report runs/model-a runs/model-b logs/c.eval --out report --format svg,pdf",
        "planbench-xl report ../shared/golden/output_folder --world ../shared/release --out report --no-page",
    )
)
@click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", metavar="DIR", required=True, type=click.Path(path_type=Path), help="Folder to write to.")
@click.option("--world", metavar="WORLD", help="World they were played on. [default: the one that each run names]")
@click.option(
    "--format", "formats", default="svg", show_default=True, metavar="F,…", help="Formats of figures: svg, pdf, png."
)
@click.option(
    "--judge", type=click.Choice(["contains", "exact"]), help="Judge all answers anew. [default: the run's own judge]"
)
@click.option(
    "--paths",
    "path_set",
    type=click.Choice(["exact", "reference"]),
    default="exact",
    show_default=True,
    help="Judge progress by all paths that remain, or by the listed ones as in the paper.",
)
@click.option(
    "--published/--no-published",
    default=None,
    help="Show the paper's figures beside yours, marked. [default: if all runs are on the published release]",
)
@click.option("--no-page", is_flag=True, help="No page with every episode.")
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Number of processes. [default: one per processor]"
)
@click.option("--engine", **ENGINE_OPTION)
@json_option
def report(
    paths: tuple[Path, ...],
    out: Path,
    world: str | None,
    formats: str,
    judge: str | None,
    path_set: str,
    published: bool | None,
    no_page: bool,
    workers: int | None,
    engine: EngineName,
    as_json: bool,
) -> None:
    """Write tables, figures and a page of runs into a folder: with intervals, tests and why episodes failed.

    RUN is a run folder, a folder of several (as a suite makes), an output folder of the published release, or a log of
    Inspect; of one or many models and settings. Nothing is asked of a model or a network.

    DIR gets tables/ (Markdown, LaTeX, HTML, CSV), figures/, report.json, and index.html, which opens in a browser.
    """
    needs_report_extra()
    from planbench_xl.report.counting import counted
    from planbench_xl.report.writing import write_report
    from planbench_xl.runs.loading import find_runs

    sources = find_runs(paths, world)
    with Steps() as steps:
        found = write_report(
            sources,
            out,
            judge=judge,
            paths="reference" if path_set == "reference" else "exact",
            formats=[name.strip() for name in formats.split(",") if name.strip()],
            published=published,
            workers=workers or min(os.cpu_count() or 1, len(sources)),
            engine=engine,
            page=not no_page,
            progress=partial(steps, "runs read"),
        )
    if as_json:
        print_json(found)
        return
    print_table((run.label, run.score) for run in found.runs)
    for figure in found.figures:
        if figure.skipped:
            click.echo(f"No figure '{figure.name}': it {figure.skipped}.")
    drawn = sum(bool(figure.files) for figure in found.figures)
    place = out if no_page else out / "index.html"
    parts = (counted(len(found.runs), "run"), counted(len(found.tables), "table"), counted(drawn, "figure"))
    click.echo(f"{', '.join(parts)}: {place}")
