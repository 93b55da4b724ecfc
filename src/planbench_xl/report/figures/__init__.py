"""The figures of a report, drawn with matplotlib (`pip install 'planbench-xl[report]'`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec
from matplotlib.figure import Figure as Drawing

from planbench_xl.engines import Crew
from planbench_xl.report.data import FigureFile, ReportData
from planbench_xl.report.figures import failures, lines, precision, rows
from planbench_xl.report.figures.style import SkippedError, save, settle, styled

__all__ = ["FIGURES", "FigureKind", "SkippedError", "write_figures"]

FORMATS = ("svg", "pdf", "png")


class FigureKind(msgspec.Struct, frozen=True):
    """A figure that a report can have.

    Attributes:
        name: Its name, which its files bear too.
        title: Its heading.
        caption: What it shows.
        draw: Draws it, with the published figures or without; raises `SkippedError` if the runs don't allow it.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[ReportData, bool], Drawing]


_BARS = "Bars: 95 % intervals over queries."

FIGURES = (
    FigureKind("accuracy", "Accuracy", f"Accuracy without block and with one path left. {_BARS}", rows.overview),
    FigureKind("block-types", "Accuracy by type of block", f"One path left. {_BARS}", rows.block_types),
    FigureKind("disabled-ratio", "Accuracy by share of disabled paths", _BARS, lines.disabled_ratios),
    FigureKind(
        "path-lengths",
        "Accuracy by the length of the path left",
        "One path left: as short as possible, any, as long as possible.",
        rows.path_lengths,
    ),
    FigureKind(
        "enforced",
        "Enforced exploration",
        f"One path left; so many wrong answers are met with a request to continue. {_BARS}",
        lines.enforced,
    ),
    FigureKind("lengths", "Accuracy by length of the shortest solution", _BARS, lines.lengths),
    FigureKind("categories", "Why episodes failed", "Default setting; n: failed episodes.", failures.categories),
    FigureKind("invoked", "Block alternatives invoked", "One path left; n: alternatives invoked.", failures.invoked),
    FigureKind(
        "follow-up",
        "What became of their values",
        "All models with one path left; n: alternatives invoked.",
        failures.follow_ups,
    ),
    FigureKind(
        "endings",
        "How failed episodes ended",
        "Default setting; n: failed episodes without a format error.",
        failures.endings,
    ),
    FigureKind(
        "radii", "How wide the intervals are", "Half the width of the 95 % interval of each figure.", precision.radii
    ),
    FigureKind("seeds", "Seeds of the block plans", f"One path left, chosen with several seeds. {_BARS}", rows.seeds),
    FigureKind(
        "correlations",
        "What goes with accuracy",
        "r: Pearson's, ρ: Spearman's correlation with 95 % intervals over runs; n: number of runs.",
        precision.correlations,
    ),
)
"""Every figure, in the order of the paper."""


def write_figures(
    report: ReportData,
    folder: Path,
    formats: Sequence[str],
    *,
    with_published: bool,
    crew: Crew | None = None,
) -> Iterator[FigureFile]:
    """Draw every figure that the runs of a report allow, and write it in some formats.

    Args:
        report: The report.
        folder: Where to write.
        formats: Some of svg, pdf and png.
        with_published: Add the paper's figures, marked as such.
        crew: Who draws; None for this process.

    Returns:
        All figures, each when it is drawn; those that can't be drawn say why.

    Raises:
        OSError: A file can't be written.
    """
    # Single episodes aren't drawn; without them a report is sent to another process at once.
    runs = tuple(msgspec.structs.replace(run, episodes=()) for run in report.runs)
    drawn = msgspec.structs.replace(report, runs=runs, tables=())
    write = partial(_write, report=drawn, folder=folder, formats=formats, with_published=with_published)
    return (crew or Crew()).spread(write, range(len(FIGURES)))


def _write(number: int, report: ReportData, folder: Path, formats: Sequence[str], with_published: bool) -> FigureFile:
    kind = FIGURES[number]
    found = FigureFile(name=kind.name, title=kind.title, caption=kind.caption)
    try:
        with styled():
            drawing = kind.draw(report, with_published)
            settle(drawing)
            for ending in formats:
                save(drawing, folder / f"{kind.name}.{ending}")
    except SkippedError as reason:
        return msgspec.structs.replace(found, skipped=str(reason))
    files = {ending: f"{folder.name}/{kind.name}.{ending}" for ending in formats}
    return msgspec.structs.replace(found, files=files)
