"""What the commands share: options, help texts, suggestions, printing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from planbench_xl import DEFAULT_WORLD

if TYPE_CHECKING:
    from planbench_xl.runs.request import Request

F = TypeVar("F", bound=Callable[..., Any])

INTERRUPTED = 130
"""Exit status after Ctrl-C."""

_COUNT = click.IntRange(min=1)

WORLD_OPTION: dict[str, Any] = {
    "default": DEFAULT_WORLD,
    "envvar": "PLANBENCH_XL_WORLD",
    "show_default": True,
    "help": "A packaged world, or the folder of one. The variable PLANBENCH_XL_WORLD changes the default.",
}
"""The option that names a world, wherever one is played."""

ENGINE_OPTION: dict[str, Any] = {
    "type": click.Choice(["local", "ray"]),
    "default": "local",
    "show_default": True,
    "help": "Where the processes are: this machine, or the Ray cluster that RAY_ADDRESS names.",
}
"""The option that names an engine, wherever work is spread."""

_REQUEST = (
    click.option("--world", **WORLD_OPTION),
    click.option("--agent", default="explorer", show_default=True, help="The agent; see `planbench-xl agents`."),
    click.option(
        "--out", metavar="DIR", help="Folder to write to, or to continue. [default: runs/WORLD-AGENT-SETTING]"
    ),
    click.option("--limit", type=_COUNT, metavar="N", help="Only the first N queries."),
    click.option("--sample", type=_COUNT, metavar="N", help="Only N queries drawn with the seed, as the release does."),
    click.option("--queries", metavar="ID,…", help="Only these queries."),
    click.option("--split", metavar="NAME", help="Only the queries of a split: dev or test."),
    click.option("--shard", metavar="I/N", help="Only the I-th of N equal parts; `planbench-xl merge` joins them."),
    click.option("--seed", type=int, metavar="N", help="Seed of block plans and tool order. [default: 42]"),
    click.option("--agent-seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the agent."),
    click.option("--epochs", type=_COUNT, default=1, show_default=True, metavar="N", help="Repetitions of each query."),
    click.option("--max-turns", type=int, metavar="N", help="Turn limit of an episode. [default: 100]"),
    click.option("--workers", type=_COUNT, default=1, show_default=True, metavar="N", help="Number of processes."),
    click.option("--engine", **ENGINE_OPTION),
    click.option("--planner", metavar="NAME", help="Planner of blocked tools: exact, or reference as the release."),
    click.option(
        "--protocol",
        type=click.Choice(["text", "native"]),
        default="text",
        show_default=True,
        help="How a model acts: by tagged text, or by calls of functions.",
    ),
    click.option("--tool-ids", is_flag=True, help="Tools have short handles by which they can be called."),
    click.option("--prompts", metavar="DIR", help="Folder with prompt templates that replace the packaged ones."),
    click.option("--set", "overrides", multiple=True, metavar="FIELD=VALUE", help="Change a field of the setting."),
    click.option("--retry-errors", is_flag=True, help="Play episodes again that the infrastructure ended."),
)


class SuggestingGroup(click.Group):
    """A group that suggests a command for a wrong one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            near = get_close_matches(args[0], known, 1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"No such command '{args[0]}'.{hint} Commands: {', '.join(known)}.")
        return super().resolve_command(ctx, args)


def examples(*lines: str, head: str = "Examples") -> str:
    """Return lines as the end of a help text, kept as they are."""
    return "\n".join(("\b", f"{head}:", *(f"  {line}" for line in lines)))


def request_options(command: F) -> F:
    """Add the options that make a `Request`."""
    for option in reversed(_REQUEST):
        command = option(command)
    return command


def output_options(command: F) -> F:
    """Add --json and --quiet."""
    quiet = click.option("--quiet", "-q", is_flag=True, help="No progress and no messages, only the result.")
    return json_option(quiet(command))


def json_option(command: F) -> F:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, and only JSON, to standard output.")(
        command
    )


def make_request(options: dict[str, Any]) -> Request:
    """Return the request that options make."""
    from planbench_xl.runs.request import Request

    if ":" in options["agent"] and str(Path.cwd()) not in sys.path:
        # An installed command doesn't look for modules in the working folder, where a user's own agent often is.
        sys.path.append(str(Path.cwd()))
    return Request(**options)


@contextmanager
def resumable() -> Iterator[None]:
    """Tell a user who presses Ctrl-C how to go on, and exit with the status for it."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Stopped. What was played is stored; run the same command again to continue.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


def has_report_extra() -> bool:
    """Say whether numpy is installed, which intervals need."""
    return find_spec("numpy") is not None


def needs_report_extra() -> None:
    """Refuse to go on without the libraries for statistics and figures.

    Raises:
        UsageError: One is missing; the message says what to install.
    """
    missing = [name for name in ("numpy", "matplotlib") if find_spec(name) is None]
    if missing:
        from planbench_xl.errors import UsageError

        raise UsageError(f"This needs {' and '.join(missing)}. Run: pip install 'planbench-xl[report]'")


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    click.echo(text)


def print_table(rows: Iterable[Any]) -> None:
    """Print the main table of some runs."""
    from rich.console import Console

    from planbench_xl.report import main_table

    Console(file=sys.stdout).print(main_table(rows))
