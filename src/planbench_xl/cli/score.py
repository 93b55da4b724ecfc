"""`planbench-xl score`."""

from __future__ import annotations

from pathlib import Path

import click

from planbench_xl.cli.common import examples, has_report_extra, json_option, print_json, print_table

FAILED = 1

NO_INTERVALS = "No intervals: they need numpy. Run: pip install 'planbench-xl[report]'"


@click.command(
    epilog=examples(
        "planbench-xl score runs/mini-explorer-default",
        "planbench-xl score runs/a runs/b --judge exact",
        "planbench-xl score runs/paper --json",
        "planbench-xl score ../shared/golden/output_folder --world ../shared/release",
    )
)
@click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--world", metavar="WORLD", help="World they were played on. [default: the one the run names]")
@click.option(
    "--judge", type=click.Choice(["contains", "exact"]), help="Judge all answers anew. [default: the run's own judge]"
)
@click.option("--exact-paths", is_flag=True, help="Add EGT on all solution paths, listed or not (may take a minute).")
@json_option
@click.pass_context
def score(
    ctx: click.Context,
    paths: tuple[Path, ...],
    world: str | None,
    judge: str | None,
    exact_paths: bool,
    as_json: bool,
) -> None:
    """Score runs from their episodes, and print the paper's main table with 95 % intervals: a row per run.

    RUN is a run folder, a folder of several (as a suite makes), a log of Inspect, or an output folder of the published
    release, which needs --world.

    Exit status 1 if an episode comes out otherwise than recorded.
    """
    from planbench_xl.report import as_dict
    from planbench_xl.runs.loading import Worlds, find_runs, load_run
    from planbench_xl.runs.scores import add_intervals, score_loaded

    sources = find_runs(paths, world)
    worlds, rows = Worlds(), []
    for source in sources:
        run = load_run(source, worlds)
        for problem in run.problems:
            click.echo(f"Warning: {problem}.", err=True)
        result, scores = score_loaded(run, judge, exact_paths=exact_paths)
        rows.append((source.label, add_intervals(result, scores)))
    if as_json:
        dicts = [as_dict(label, result) for label, result in rows]
        print_json(dicts[0] if [source.path for source in sources] == list(map(str, paths[:1])) else {"runs": dicts})
    else:
        print_table(rows)
        if not has_report_extra():
            click.echo(NO_INTERVALS)
    if any(result.disagreements for _, result in rows):
        ctx.exit(FAILED)
