"""`planbench-xl run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
from planbench_xl.cli.models import (
    GroupedCommand,
    make_model_request,
    model_options,
    require_inspect,
    take_model_options,
)
from planbench_xl.cli.progress import ProgressView

if TYPE_CHECKING:
    from planbench_xl.harness.judge import Agreement
    from planbench_xl.harness.request import ModelRequest
    from planbench_xl.runs.request import Request
    from planbench_xl.runs.run import ProgressCallback, RunResult


@click.command(
    cls=GroupedCommand,
    epilog=examples(
        "planbench-xl run",
        "planbench-xl run --agent oracle --setting one-path --workers 2",
        "planbench-xl run --world ../shared/release --sample 24 --max-turns 30",
        "planbench-xl run --set blocking.length=longest --set blocking.kinds=[explicit] --out runs/mine",
        "planbench-xl run --model openai/gpt-5.4 --setting one-path --protocol native --max-cost 20",
        "planbench-xl run --model openai-api/local/any --base-url http://127.0.0.1:8080/v1 --limit 5",
    ),
)
@click.option("--setting", default="default", show_default=True, help="The setting; see `planbench-xl settings`.")
@request_options
@model_options
@output_options
def run(setting: str, as_json: bool, quiet: bool, dry_run: bool, judge: str | None, **options: Any) -> None:
    """Run an agent or a model on a world in a setting, and print its scores.

    Every episode is stored as it ends. The same command on the same folder continues: only what is missing is
    played. More queries or epochs may be added; anything else that differs is refused.
    """
    from planbench_xl.report import as_dict
    from planbench_xl.runs.scores import score_folder

    chosen = take_model_options(options)
    request = make_request(options)
    models = make_model_request(chosen) if chosen["model"] is not None else None
    if dry_run:
        _estimate(request, models, setting, as_json)
        return
    ask_judge = _judge(judge)
    with resumable():
        with ProgressView(quiet=quiet) as view:
            result = _play(request, models, setting, view.update)
        agreement = ask_judge(result) if ask_judge is not None else None
    score = score_folder(result.folder, result.world, intervals=True)
    if as_json:
        extra = {} if agreement is None else {"extra_judge": agreement}
        head = {"folder": str(result.folder), "played": result.progress.played}
        print_json({**head, **as_dict(result.folder.name, score), **extra})
        return
    print_table([(result.manifest.agent, score)])
    if agreement is not None:
        click.echo(agreement.line())
    if not quiet:
        click.echo(f"Stored in {result.folder}.", err=True)


def _play(request: Request, models: ModelRequest | None, setting: str, progress: ProgressCallback) -> RunResult:
    if models is None:
        from planbench_xl.runs.request import run_request

        return run_request(request, setting, progress)
    from planbench_xl.harness.request import run_models

    return run_models(request, models, setting, progress)


def _judge(name: str | None) -> Callable[[RunResult], Agreement] | None:
    """Return what asks the extra judge, if one is named; a wrong name is refused before anything is played."""
    if name is None:
        return None
    require_inspect()
    from planbench_xl.harness.judge import judge_name, judge_run

    model = judge_name(name)
    return lambda result: judge_run(result.folder, result.world, model)


def _estimate(request: Request, models: ModelRequest | None, setting: str, as_json: bool) -> None:
    from planbench_xl.errors import UsageError

    if models is None:
        raise UsageError("--dry-run estimates what a model would take; name one with --model.")
    from planbench_xl.harness.request import estimate_request

    found = estimate_request(request, models, setting)
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(found.lines()))
