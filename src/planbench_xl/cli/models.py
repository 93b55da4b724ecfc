"""The options of commands that ask models."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from planbench_xl.harness.request import ModelRequest

F = TypeVar("F", bound=Callable[..., Any])

_COUNT = click.IntRange(min=1)
_EFFORTS = click.Choice(["none", "minimal", "low", "medium", "high", "xhigh", "max"])

INSTALL = "Asking a model needs Inspect AI. Run: pip install 'planbench-xl[inspect]'"

MODEL_OPTIONS = (
    click.option("--model", metavar="NAME", help="Evaluate this model in place of an agent, as openai/gpt-5.4."),
    click.option("-M", "--model-arg", "model_args", multiple=True, metavar="KEY=VALUE", help="Provider's argument."),
    click.option("--base-url", metavar="URL", help="Address of its provider, such as a local server's."),
    click.option(
        "--temperature", type=float, default=0.0, show_default=True, help="Sampling temperature; -1: the provider's."
    ),
    click.option("--max-tokens", type=_COUNT, default=8192, show_default=True, metavar="N", help="Longest reply."),
    click.option("--top-p", type=click.FloatRange(0, 1), help="Nucleus sampling."),
    click.option("--model-seed", type=int, metavar="N", help="Seed of sampling; later epochs count on from it."),
    click.option("--reasoning-effort", type=_EFFORTS, help="How much to reason."),
    click.option("--reasoning-tokens", type=_COUNT, metavar="N", help="Most tokens of reasoning in a reply."),
    click.option("--solver", default="", metavar="MODULE:NAME", help="A solver or agent of Inspect AI to play."),
    click.option("--context", type=_COUNT, metavar="N", help="Length of its context, if Inspect AI doesn't know it."),
    click.option("--max-connections", type=_COUNT, metavar="N", help="Calls at a time. [default: as many as go well]"),
    click.option("--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Stop when the run has cost this."),
    click.option("--price", metavar="IN,OUT[,CACHED]", help="Dollars per million tokens."),
    click.option("--token-limit", type=_COUNT, metavar="N", help="Tokens that end an episode, as an error."),
    click.option(
        "--time-limit", type=click.FloatRange(min=1), default=3600, show_default=True, metavar="S",
        help="Seconds that end an episode, as an error.",
    ),
    click.option(
        "--timeout", type=_COUNT, default=600, show_default=True, metavar="S", help="Seconds for a call, retries too."
    ),
    click.option("--cache", is_flag=True, help="Take replies from Inspect AI's cache."),
    click.option(
        "--display", type=click.Choice(["none", "plain", "rich", "full"]), default="none", show_default=True,
        help="Inspect AI's own display.",
    ),
)  # fmt: skip
"""Options of `ModelRequest`, by its field names."""


class GroupedCommand(click.Command):
    """A command whose options on models have a heading of their own in the help text."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        own: list[tuple[str, str]] = []
        models: list[tuple[str, str]] = []
        names = model_names()
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                (models if param.name in names else own).append(record)
        for heading, rows in (("Options", own), ("Models (extra planbench-xl[inspect])", models)):
            with formatter.section(heading):
                formatter.write_dl(rows)


def model_options(command: F) -> F:
    """Add the options that make a `ModelRequest`, --judge and --dry-run."""
    command = click.option(
        "--judge", metavar="model:NAME", help="A model as an extra judge of answers; decides nothing."
    )(command)
    command = click.option("--dry-run", is_flag=True, help="Only estimate tokens, turns and cost of a model.")(command)
    return plain_model_options(command)


def plain_model_options(command: F) -> F:
    """Add the options that make a `ModelRequest`."""
    for option in reversed(MODEL_OPTIONS):
        command = option(command)
    return command


def model_names() -> set[str]:
    """Return the names of the options on models."""

    @model_options
    def probe() -> None: ...

    return {param.name for param in click.command()(probe).params if param.name}


def take_model_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options on models out of all options."""
    return {name: options.pop(name) for name in model_names() - {"dry_run", "judge"}}


def make_model_request(options: dict[str, Any]) -> ModelRequest:
    """Return the request that options on models make.

    Raises:
        UsageError: Inspect AI isn't installed.
    """
    require_inspect()
    from planbench_xl.harness.request import ModelRequest

    return ModelRequest(**options)


def require_inspect() -> None:
    """Say what to install if models can't be asked.

    Raises:
        UsageError: Inspect AI isn't installed.
    """
    if find_spec("inspect_ai") is None:
        from planbench_xl.errors import UsageError

        raise UsageError(INSTALL)
