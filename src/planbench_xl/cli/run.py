"""`planbench-xl run`."""

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
        "planbench-xl run",
        "planbench-xl run --agent oracle --setting one-path --workers 2",
        "planbench-xl run --world ../shared/release --sample 24 --max-turns 30",
        "planbench-xl run --set blocking.length=longest --set blocking.kinds=[explicit] --out runs/mine",
    )
)
@click.option("--setting", default="default", show_default=True, help="The setting; see `planbench-xl settings`.")
@request_options
@output_options
def run(setting: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Run an agent on a world in a setting, and print its scores.

    Every episode is stored as it ends. The same command on the same folder continues: only what is missing is
    played. More queries or epochs may be added; anything else that differs is refused.
    """
    from planbench_xl.report import as_dict
    from planbench_xl.runs.request import run_request
    from planbench_xl.runs.scores import score_folder

    request = make_request(options)
    with resumable(), ProgressView(quiet=quiet) as view:
        result = run_request(request, setting, view.update)
    score = score_folder(result.folder, result.world)
    if as_json:
        print_json(
            {"folder": str(result.folder), "played": result.progress.played, **as_dict(result.folder.name, score)}
        )
        return
    print_table([(result.manifest.agent, score)])
    if not quiet:
        click.echo(f"Stored in {result.folder}.", err=True)
