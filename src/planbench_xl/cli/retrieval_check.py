"""`planbench-xl world retrieval-check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.audit import Steps
from planbench_xl.cli.common import examples, json_option, print_json

if TYPE_CHECKING:
    from planbench_xl.audit.retrieval_check import RetrievalCheck, Row

WORDS = {"by_output_info": "by output", "by_inputs": "by inputs", "by_io_info": "both"}
HEADS = ("inputs", "tasks", "listed %", "at once %", "correct %", "list size", "turns")


@click.command(
    name="retrieval-check",
    short_help="Test retrieval on single tools.",
    epilog=examples(
        "planbench-xl world retrieval-check mini",
        "planbench-xl world retrieval-check ../shared/release --max-tools 0",
        "planbench-xl world retrieval-check mini --retriever my_module:MyRetriever --json",
    ),
)
@click.argument("path")
@click.option(
    "--retriever", default="reference", show_default=True, metavar="NAME", help="A name, or package.module:factory."
)
@click.option(
    "--max-tools",
    type=click.IntRange(min=0),
    default=30,
    show_default=True,
    metavar="N",
    help="Fill each list with distractors up to N tools; 0 for no distractors.",
)
@json_option
def retrieval_check(path: str, retriever: str, max_tools: int, as_json: bool) -> None:
    """Play one single-step task per executable tool with a scripted agent.

    The tool's inputs are known, its output is wanted. The agent retrieves with the words of the output, of the inputs,
    or both; calls what seems right, and answers. The table has the share of tasks in which the right tool was listed,
    and in which it was at once; in which the agent ended with the right value; the mean number of tools in a list, and
    of turns. `listed` tells about the retriever; `correct` also about how well a simple script reads descriptions.
    """
    from planbench_xl.audit.retrieval_check import retrieval_check as run_check
    from planbench_xl.runs.worlds import open_world

    if ":" in retriever and str(Path.cwd()) not in sys.path:
        # An installed command doesn't look for modules in the working folder, where a user's own one often is.
        sys.path.append(str(Path.cwd()))
    world = open_world(path)
    with Steps() as steps:
        check = run_check(world, retriever, max_tools=max_tools, progress=steps)
    if as_json:
        print_json(check)
    else:
        _print(check)


def _print(check: RetrievalCheck) -> None:
    lines = [("retrieval", *HEADS), *map(_cells, check.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        label, *rest = (f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join((label.strip().ljust(widths[0]), *rest)))
    tasks = max((row.tasks for row in check.rows), default=0)
    skipped = f" {len(check.skipped)} tools answer on no record and were left out." if check.skipped else ""
    click.echo(f"\n{check.world}, retriever {check.retriever}: {tasks} single-step tasks in each mode.{skipped}")


def _cells(row: Row) -> tuple[str, ...]:
    shares = (f"{share:.2%}".removesuffix("%") for share in (row.listed, row.listed_first, row.correct))
    inputs = "all" if row.inputs is None else str(row.inputs)
    return (WORDS[row.mode], inputs, str(row.tasks), *shares, f"{row.list_size:.1f}", f"{row.turns:.2f}")
