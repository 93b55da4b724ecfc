"""`planbench-xl world compare`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import examples, json_option, print_json

if TYPE_CHECKING:
    from planbench_xl.audit.compare import Comparison, Profile

Row = tuple[str, str, str, str]


@click.command(
    short_help="Compare two worlds.",
    epilog=examples(
        "planbench-xl world compare retail hospital",
        "planbench-xl world compare retail my-private-world --json",
    ),
)
@click.argument("first")
@click.argument("second")
@json_option
def compare(first: str, second: str, as_json: bool) -> None:
    """Show whether two worlds have the same shape, and what they have in common.

    The distance of two distributions is the total variation distance: 0 if the shares are equal, 1 if nothing
    overlaps. A world that is meant to be unknown shares datatypes, look-ups and kinds of tasks with another one of its
    domain, but no records, queries or gold answers; of tool names only what chance gives.
    """
    from planbench_xl.audit.compare import compare as run_compare
    from planbench_xl.runs.worlds import open_world

    found = run_compare(open_world(first), open_world(second))
    if as_json:
        print_json(found)
        return
    _table(("", first, second, "distance"), _shape(found))
    click.echo()
    _table(("in common", first, second, "in both"), _common(found))
    differs = ", ".join(found.recipe_differs) or "nothing"
    click.echo(f"\nThe recipes differ in: {differs}. What is marked with * helps to know in advance.")


def _shape(found: Comparison) -> Iterator[Row]:
    one, other = found.first, found.second
    yield "fingerprint", one.fingerprint[:12], other.fingerprint[:12], ""
    for name in one.counts:
        yield _words(name), f"{one.counts[name]:,}", f"{other.counts[name]:,}", ""
    for name in one.means:
        yield f"mean {_words(name)}", f"{one.means[name]:.2f}", f"{other.means[name]:.2f}", ""
    yield "distinct gold answers", f"{one.distinct_answers:.1%}", f"{other.distinct_answers:.1%}", ""
    yield "right by the most frequent value", f"{one.most_frequent:.1%}", f"{other.most_frequent:.1%}", ""
    for name, distance in found.distances.items():
        yield _words(name), _spread(one, name), _spread(other, name), f"{distance:.3f}"


def _common(found: Comparison) -> Iterator[Row]:
    for entry in found.common:
        mark = " *" if entry.helps else ""
        yield f"{entry.what}{mark}", f"{entry.first:,}", f"{entry.second:,}", f"{entry.count:,}"


SHOWN = 6
"""Longer distributions are not written out."""


def _spread(profile: Profile, name: str) -> str:
    counts = profile.spreads[name]
    if len(counts) > SHOWN:
        return f"{len(counts)} groups"
    return ", ".join(f"{key}: {count}" for key, count in counts.items())


def _words(name: str) -> str:
    return name.replace("_", " ")


def _table(head: Row, rows: Iterator[Row]) -> None:
    lines = [head, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
