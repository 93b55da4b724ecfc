"""`planbench-xl world retrieval-check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import examples, json_option, print_json
from planbench_xl.cli.progress import Steps

if TYPE_CHECKING:
    from planbench_xl.audit.retrieval_check import RetrievalCheck
    from planbench_xl.audit.retrieval_table import Row

WORDS = {"by_output_info": "by output", "by_inputs": "by inputs", "by_io_info": "both", "by_query": "free text"}
HEADS = (
    *("inputs", "tasks", "listed %", "at once %", "at 5 %", "at 10 %", "at 30 %", "correct %"),
    *("found", "list size", "turns", "ms"),
)


@click.command(
    name="retrieval-check",
    short_help="Test retrieval on single tools, and compare retrievers.",
    epilog=examples(
        "planbench-xl world retrieval-check mini",
        "planbench-xl world retrieval-check ../shared/release --max-tools 0",
        "planbench-xl world retrieval-check mini --retriever my_module:MyRetriever --json",
        "planbench-xl world retrieval-check retail --retriever reference --retriever bm25",
        "planbench-xl world retrieval-check retail --retriever hybrid --model models/minilm --sample 100",
    ),
)
@click.argument("path")
@click.option(
    "--retriever",
    "retrievers",
    default=("reference",),
    show_default=True,
    multiple=True,
    metavar="NAME",
    help="A name, or package.module:factory; several are compared.",
)
@click.option(
    "--max-tools",
    type=click.IntRange(min=0),
    default=30,
    show_default=True,
    metavar="N",
    help="Fill each list with distractors up to N tools; 0 for no distractors.",
)
@click.option(
    "--top-k",
    type=click.IntRange(1, 50),
    default=10,
    show_default=True,
    metavar="N",
    help="Tools that a ranking retriever finds.",
)
@click.option("--model", default="", metavar="MODEL", help="Embedding model: a folder, or the endpoint's name for it.")
@click.option("--endpoint", default="", metavar="URL", help="Base URL of an OpenAI-compatible API that embeds.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Only N tools, evenly spread over all.")
@json_option
def retrieval_check(
    path: str,
    retrievers: tuple[str, ...],
    max_tools: int,
    top_k: int,
    model: str,
    endpoint: str,
    sample: int | None,
    as_json: bool,
) -> None:
    """Play one single-step task per executable tool with a scripted agent.

    The tool's inputs are known, its output is wanted. The agent retrieves with the words of the output, of the inputs,
    or both (ranking retrievers: also with a text that names them all); calls what seems right, and answers. The table
    has the share of tasks in which the right tool was listed, in which it was at once, and in which it was among the
    first 5, 10 and 30 found, imitations aside (the reference retriever doesn't rank: among all found); in which the
    agent ended with the right value; the mean number of tools found, and in a list with imitations; of turns; and the
    time that finding takes. `listed` tells about the retriever; `correct` also about how well a simple script reads
    descriptions. With several retrievers, the rows by number of inputs are left out.
    """
    from planbench_xl.audit.retrieval_check import compare_retrievers
    from planbench_xl.retrieval import RetrievalConfig
    from planbench_xl.runs.worlds import open_world

    if any(":" in name for name in retrievers) and str(Path.cwd()) not in sys.path:
        # An installed command doesn't look for modules in the working folder, where a user's own one often is.
        sys.path.append(str(Path.cwd()))
    world = open_world(path)
    config = RetrievalConfig(max_tools=max_tools, top_k=top_k, model=model, endpoint=endpoint)
    with Steps() as steps:
        checks = compare_retrievers(world, retrievers, config, sample=sample, progress=steps)
    if as_json:
        print_json({"checks": checks})
    else:
        _print(checks)


def _print(checks: Sequence[RetrievalCheck]) -> None:
    from planbench_xl.report.counting import counted

    several = len(checks) > 1
    lines: list[tuple[str, ...]] = [("retriever  retrieval" if several else "retrieval", *HEADS)]
    for check in checks:
        start = f"{check.retriever.ljust(9)}  " if several else ""
        lines += [_cells(row, start) for row in check.rows if not several or row.inputs is None]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        label, *rest = (f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join((label.strip().ljust(widths[0]), *rest)))
    first = checks[0]
    tasks = max((row.tasks for row in first.rows), default=0)
    without = counted(len(first.skipped), "tool")
    skipped = f" Left out: {without} without an answer on any record." if first.skipped else ""
    names = ", ".join(check.retriever for check in checks)
    word = "retrievers" if several else "retriever"
    click.echo(f"\n{first.world}, {word} {names}: {tasks} single-step tasks in each mode.{skipped}")


def _cells(row: Row, start: str) -> tuple[str, ...]:
    shares = (row.listed, row.listed_first, row.at_5, row.at_10, row.at_30, row.correct)
    inputs = "all" if row.inputs is None else str(row.inputs)
    means = (f"{row.found:.1f}", f"{row.list_size:.1f}", f"{row.turns:.2f}", f"{row.milliseconds:.2f}")
    return (start + WORDS[row.mode], inputs, str(row.tasks), *(f"{100 * share:.2f}" for share in shares), *means)
