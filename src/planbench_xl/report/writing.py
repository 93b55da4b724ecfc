"""Writes a report: tables in every format, figures, the data, and the page in which any episode can be looked into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from planbench_xl.analysis import PathSet
from planbench_xl.engines import EngineName, crew
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.report.collect import collect
from planbench_xl.report.data import ReportData
from planbench_xl.report.formats import FORMATS
from planbench_xl.report.published import is_release
from planbench_xl.report.tables import tables_of
from planbench_xl.runs.loading import RunSource
from planbench_xl.world.storage import write_atomically

DATA = "report.json"
TABLES = "tables"
FIGURES = "figures"

FIGURE_FORMATS = ("svg", "pdf", "png")


def write_report(
    sources: Sequence[RunSource],
    out: str | Path,
    *,
    judge: str | None = None,
    paths: PathSet = "exact",
    formats: Iterable[str] = ("svg",),
    published: bool | None = None,
    workers: int = 1,
    engine: EngineName = "local",
    page: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> ReportData:
    """Score and analyse runs, and write a report of them into a folder.

    Args:
        sources: Where the runs are.
        out: The folder; it is made if it is missing. Files of an earlier report in it are replaced.
        judge: Name of the judge that judges all answers anew; None for the one used during each run.
        paths: What progress is judged by: all paths that remain, or the listed ones as in the paper (`reference`).
        formats: Formats of the figures: svg, pdf, png.
        published: Show the paper's figures beside ours, marked as such; None for: if every run is on the published
            release.
        workers: Number of processes.
        engine: Where they are: on this machine, or on a Ray cluster.
        page: Write the page, too.
        progress: Called with the number of runs that are done and of all.

    Raises:
        PlanBenchError: A run can't be read or scored, or the folder can't be written.
    """
    from planbench_xl.report.figures import write_figures
    from planbench_xl.report.page import PageWriter

    formats = tuple(dict.fromkeys(formats))
    unknown = set(formats) - set(FIGURE_FORMATS)
    if unknown:
        raise UsageError(f"Figures have no format '{unknown.pop()}'; choose among {', '.join(FIGURE_FORMATS)}.")
    folder = Path(out)
    try:
        for part in (folder, folder / TABLES, folder / FIGURES):
            part.mkdir(parents=True, exist_ok=True)
        pages = PageWriter(folder) if page else None
        visit = None if pages is None else pages.add
        with crew(min(workers, len(sources)), engine) as gathered:
            report = collect(sources, judge=judge, paths=paths, crew=gathered, visit=visit, progress=progress)
            with_published = all(map(is_release, report.runs)) if published is None else published
            figures = write_figures(report, folder / FIGURES, formats, with_published=with_published, crew=gathered)
            # Meanwhile, others draw.
            report = msgspec.structs.replace(report, tables=tables_of(report, with_published=with_published))
            write_tables(report, folder / TABLES)
            report = msgspec.structs.replace(report, figures=tuple(figures))
        write_atomically(folder / DATA, msgspec.json.encode(report))
        if pages is not None:
            pages.finish({run.label: run.model for run in report.runs})
    except OSError as error:
        place = error.filename or folder
        raise StoreError(f"{place} can't be written ({error.strerror}). Choose another folder or make room.") from error
    return report


def write_tables(report: ReportData, folder: Path) -> None:
    """Write every table in every format, and all of them in one Markdown file.

    Raises:
        OSError: A file can't be written.
    """
    for table in report.tables:
        for ending, layout in FORMATS.items():
            write_atomically(folder / f"{table.name}.{ending}", layout(table).encode())
    together = "\n".join(FORMATS["md"](table) for table in report.tables)
    write_atomically(folder / "all.md", together.encode())
