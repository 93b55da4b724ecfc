"""The command line. Each command is a module of its own, imported when it is used."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import click

from planbench_xl import __version__
from planbench_xl.cli.common import INTERRUPTED, SuggestingGroup, examples
from planbench_xl.errors import AgentError, PlanBenchError, PromptError, SettingError, UsageError

COMMANDS: Mapping[str, str] = {
    "run": "Run an agent on a world and print its scores.",
    "suite": "Run an agent in all settings of a suite.",
    "score": "Score runs: the paper's main table with intervals.",
    "compare": "Compare two runs, query by query.",
    "report": "Write tables, figures and a page of any runs.",
    "view": "Look into runs in a browser.",
    "serve": "Serve episodes to agents of any make, over MCP.",
    "analyse": "Say why the episodes of runs failed.",
    "merge": "Join the shards of a run.",
    "export": "Write worlds and episodes for other tools.",
    "submit": "Pack, verify and rank runs to hand in.",
    "settings": "List the settings, or show one.",
    "agents": "List the agents.",
    "world": "Describe or check a world.",
    "blocks": "Show or verify which tools are blocked.",
    "build": "Build a world from a domain file and a seed.",
    "doctor": "Say what is installed, and what is missing for what.",
    "conformance": "Compare with recorded behaviour of the reference.",
}
"""Every command with its line in the list. Module and function bear the command's name (`_` for `-`)."""

USAGE_ERRORS = (SettingError, UsageError, AgentError, PromptError)
"""Errors in what was asked for (exit status 2); all others are failures (exit status 1)."""


class Commands(SuggestingGroup):
    """A group that imports a command when it is used, so that the others cost nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(import_module(f"{__name__}.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=examples(
        "planbench-xl run                      the explorer agent on the packaged world",
        "planbench-xl run --setting one-path   with all but one path of each task blocked",
        "planbench-xl COMMAND --help           explanation and examples of a command",
    ),
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Can an agent plan over long chains of tool calls when it can't see all tools, and some fail or mislead?"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status: 0, 1 after a failure, 2 after a wrong call, 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that can't show a character must not end the program.
            stream.reconfigure(errors="replace")
    # Our matrices are small: threads of a numerical library take longer to agree than one takes to multiply.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(_status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    try:
        status = cli.main(arguments, prog_name="planbench-xl", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except PlanBenchError as error:
        click.echo(f"Error: {error}", err=True)
        return 2 if isinstance(error, USAGE_ERRORS) else 1
    except BrokenPipeError:
        # The reader of our output has gone (`| head`); what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        click.echo(f"Error: {error}", err=True)
        return 1
