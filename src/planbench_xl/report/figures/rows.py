"""Figures with a row per model: its accuracy in several settings, as marks on one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from planbench_xl.metrics import Figure
from planbench_xl.report.data import ReportData
from planbench_xl.report.figures.style import (
    COLOURS,
    GREY,
    MARKERS,
    SkippedError,
    accuracy_axis,
    errors,
    label,
    new,
    percent,
)
from planbench_xl.report.published import published

Row = tuple[str, Mapping[str, Figure], bool]
"""Label, figure by series, and whether it is published and not ours."""

JOINED = 0.5
"""How much of a row's height its joined marks take."""

BLOCK_TYPES = {
    "default": "No block",
    "one-path": "Mixed",
    "one-path-explicit": "Explicit",
    "one-path-implicit": "Implicit",
    "one-path-misleading": "Misleading",
}
LENGTHS = {
    "one-path-shortest": "Shortest path kept",
    "one-path": "Any path kept",
    "one-path-longest": "Longest path kept",
}
SEEDED = "one-path"


def overview(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy without and with block."""
    series = {"default": "No block (default)", "one-path": "Block (one path left)"}
    return _by_preset(report, series, with_published, least=1)


def block_types(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy by the type of block alternatives (paper: figure 2, left)."""
    return _by_preset(report, BLOCK_TYPES, with_published, least=2)


def path_lengths(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy with the shortest, any and the longest path kept, joined (paper: figure 3)."""
    return _by_preset(report, LENGTHS, with_published, least=2, joined=True)


def seeds(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy in the main block setting with several seeds."""
    rows: list[Row] = []
    for model in report.models:
        runs = [run for run in report.runs if run.model == model and run.preset == SEEDED and run.seed is not None]
        figures = {f"seed {run.seed}": run.score.metrics["accuracy"] for run in runs}
        if len(figures) > 1:
            rows.append((model, figures, False))
    if not rows:
        raise SkippedError(f"needs runs of `{SEEDED}` with several seeds")
    names = sorted({name for _, figures, _ in rows for name in figures}, key=lambda name: int(name.split()[1]))
    return _rows(rows, {name: name for name in names})


def _by_preset(
    report: ReportData, series: Mapping[str, str], with_published: bool, *, least: int, joined: bool = False
) -> Drawing:
    rows: list[Row] = []
    for model in report.models:
        runs = {preset: report.find(model, preset) for preset in series}
        figures = {preset: run.score.metrics["accuracy"] for preset, run in runs.items() if run is not None}
        if sum(figure.value is not None for figure in figures.values()) >= least:
            rows.append((model, figures, False))
    if not rows:
        number = "a run" if least == 1 else f"runs of one model in {least} or more"
        raise SkippedError(f"needs {number} of the settings {', '.join(series)}")
    if with_published:
        found: dict[str, dict[str, Figure]] = {}
        for preset in series:
            for model, value in published().accuracies(preset).items():
                found.setdefault(model, {})[preset] = Figure(value)
        rows += [(f"{model} †", figures, True) for model, figures in found.items() if len(figures) >= least]
    return _rows(rows, series, joined=joined)


def _rows(rows: Sequence[Row], series: Mapping[str, str], *, joined: bool = False) -> Drawing:
    step = 0.36 if joined else 0.13 * len(series) + 0.1
    spread = JOINED if joined else 0.8
    drawing, (panel,) = new(1.2 + step * len(rows))
    for place, (_, figures, foreign) in enumerate(rows):
        shown = [name for name in series if name in figures and figures[name].value is not None]
        if joined and len(shown) > 1:
            heights = [place + _offset(series, name, spread) for name in shown]
            panel.plot([percent(figures[name]) for name in shown], heights, color=GREY, linewidth=1.2, zorder=1)
        for number, name in enumerate(series):
            if name in shown:
                height = place + _offset(series, name, spread)
                _mark(panel, figures[name], height, number, foreign=foreign, interval=not joined)
    if any(foreign for _, _, foreign in rows):
        first = next(place for place, row in enumerate(rows) if row[2])
        panel.axhline(first - 0.5, color=GREY, linewidth=0.8, linestyle=":")
    panel.set_yticks(range(len(rows)), [label(name) for name, _, _ in rows])
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.tick_params(axis="y", length=0)
    accuracy_axis(panel)
    _legend(drawing, list(series.values()), foreign=any(row[2] for row in rows))
    return drawing


def _offset(series: Mapping[str, str], name: str, spread: float) -> float:
    """Return how far below the middle of a row a series stands, so that equal figures don't hide each other."""
    return (list(series).index(name) - (len(series) - 1) / 2) * spread / len(series)


def _mark(panel: Axes, figure: Figure, place: float, number: int, *, foreign: bool, interval: bool) -> None:
    colour = GREY if foreign else COLOURS[number % len(COLOURS)]
    face = "white" if foreign else colour
    panel.errorbar(
        [percent(figure)],
        [place],
        xerr=errors([figure]) if interval and not foreign else None,
        fmt=MARKERS[number % len(MARKERS)],
        color=colour,
        markerfacecolor=face,
        markersize=5,
        elinewidth=1,
        zorder=3,
    )


def _legend(drawing: Drawing, names: Sequence[str], *, foreign: bool) -> None:
    handles = [
        Line2D(
            [], [], linestyle="", marker=MARKERS[i % len(MARKERS)], color=COLOURS[i % len(COLOURS)], label=label(name)
        )
        for i, name in enumerate(names)
    ]
    if foreign:
        text = f"† {published().mark}"
        handles.append(Line2D([], [], linestyle="", marker="o", markerfacecolor="white", color=GREY, label=text))
    drawing.legend(handles=handles, loc="outside upper center", ncols=min(3, len(handles)))


Draw = Callable[[ReportData, bool], Drawing]
