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
from planbench_xl.cli.models import GroupedCommand, make_model_request, plain_model_options, take_model_options
from planbench_xl.cli.progress import ProgressView


@click.command(
    cls=GroupedCommand,
    epilog=examples(
        "planbench-xl suite paper --agent oracle",
        "planbench-xl suite paper --model openai/gpt-5.4 --limit 50 --max-cost 5",
        "planbench-xl suite paper --world ../shared/release --workers 2 --json",
    ),
)
@click.argument("name", metavar="SUITE")
@request_options
@plain_model_options
@output_options
def suite(name: str, as_json: bool, quiet: bool, **options: Any) -> None:
    """Run an agent or a model in all settings of a suite, and print one table.

    The suite `paper` is the paper's grid, `failures` the failures beyond it.

    Each setting has a sub-folder of its own, which is a run folder like any other. The same command continues.
    --max-cost holds for each setting.
    """
    import msgspec

    from planbench_xl.report import as_dict
    from planbench_xl.runs.request import run_request
    from planbench_xl.runs.scores import score_folder
    from planbench_xl.runs.suite import Play, run_suite

    chosen = take_model_options(options)
    request = make_request(options)
    play: Play = run_request
    if chosen["model"] is not None:
        models = make_model_request(chosen)
        from planbench_xl.harness.request import play_with

        request, play = msgspec.structs.replace(request, agent=models.model), play_with(models)
    with resumable(), ProgressView(quiet=quiet) as view:
        results = run_suite(name, request, lambda label, state: view.update(state, label), play)
    rows = [(label, score_folder(result.folder, result.world, intervals=True)) for label, result in results]
    if as_json:
        print_json({"suite": name, "runs": [as_dict(label, score) for label, score in rows]})
        return
    print_table(rows)
    if not quiet:
        click.echo(f"Stored in {results[0][1].folder.parent}.", err=True)
