"""`planbench-xl suite`."""

from __future__ import annotations

from typing import Any

import click

from planbench_xl.cli.common import (
    examples,
    make_request,
    output_options,
    print_json,
    print_table,
    request_options,
    resumable,
)
from planbench_xl.cli.progress import ProgressView


@click.command(
    epilog=examples(
        "planbench-xl suite paper --agent oracle",
        "planbench-xl suite paper --world ../shared/release --workers 2 --json",
    )
)
@click.argument("name", metavar="SUITE")
@request_options
@output_options
def suite(name: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Run an agent in all settings of a suite, and print one table.

    The suite `paper` is the paper's grid, `failures` the failures beyond it.

    Each setting has a sub-folder of its own, which is a run folder like any other. The same command continues.
    """
    from planbench_xl.report import as_dict
    from planbench_xl.runs.scores import score_folder
    from planbench_xl.runs.suite import run_suite

    request = make_request(options)
    with resumable(), ProgressView(quiet=quiet) as view:
        results = run_suite(name, request, lambda label, state: view.update(state, label))
    rows = [(label, score_folder(result.folder, result.world, intervals=True)) for label, result in results]
    if as_json:
        print_json({"suite": name, "runs": [as_dict(label, score) for label, score in rows]})
        return
    print_table(rows)
    if not quiet:
        click.echo(f"Stored in {results[0][1].folder.parent}.", err=True)
