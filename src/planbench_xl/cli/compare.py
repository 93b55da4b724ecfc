"""`planbench-xl compare`."""

from __future__ import annotations

from pathlib import Path

import click

from planbench_xl.cli.common import examples, json_option, needs_report_extra, print_json


@click.command(
    epilog=examples(
        "planbench-xl compare runs/retail-explorer-default runs/retail-forward-default",
        "planbench-xl compare runs/paper/default runs/paper/one-path --judge exact",
        "planbench-xl compare logs/a.eval logs/b.eval --json",
    )
)
@click.argument("first", metavar="A", type=click.Path(path_type=Path))
@click.argument("second", metavar="B", type=click.Path(path_type=Path))
@click.option("--world", metavar="WORLD", help="World they were played on. [default: the one that each names]")
@click.option(
    "--judge", type=click.Choice(["contains", "exact"]), help="Judge all answers anew. [default: the run's own judge]"
)
@click.option("--exact-paths", is_flag=True, help="Add EGT on all solution paths, listed or not (may take a minute).")
@json_option
def compare(first: Path, second: Path, world: str | None, judge: str | None, exact_paths: bool, as_json: bool) -> None:
    """Compare two runs on the queries that both have scored.

    Shows the difference of every figure with its paired 95 % interval (bootstrap over queries), McNemar's exact test
    of the accuracy with the discordant queries, and the smallest difference that so many queries can show. Runs on
    different worlds are refused.

    A and B are run folders, output folders of the published release, or logs of Inspect.
    """
    needs_report_extra()
    from rich.console import Console
    from rich.text import Text

    from planbench_xl.errors import UsageError
    from planbench_xl.report.formats import terminal
    from planbench_xl.report.versus import compare_runs, explanation, versus_table
    from planbench_xl.runs.loading import load_runs

    runs = load_runs([first, second], world)
    if len(runs) != 2:
        raise UsageError(f"{first} and {second} hold {len(runs)} runs; name the folders of two.")
    found = compare_runs(runs[0], runs[1], judge, exact_paths=exact_paths)
    if as_json:
        print_json(found)
        return
    console = Console()
    console.print(terminal(versus_table(found)))
    for line in explanation(found):
        console.print(Text(line))
