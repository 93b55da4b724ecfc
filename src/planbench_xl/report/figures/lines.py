"""Figures with a panel per model: its accuracy over something that grows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from planbench_xl.metrics import Figure
from planbench_xl.report.data import ReportData, ReportRun
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

RATIOS = {"default": 0.0, "disabled-0.2": 20.0, "disabled-0.4": 40.0, "disabled-0.6": 60.0, "disabled-0.8": 80.0}
BUDGETS = {"one-path": 0, **{f"enforced-{budget}": budget for budget in range(1, 6)}}
COLUMNS = 4

APART = 0.14
"""How far apart lines of a panel stand, in steps of its axis: else equal ones would hide each other."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a panel.

    Attributes:
        name: What it is, for the legend.
        places: Where its points are.
        figures: Their figures.
        foreign: It is published and not ours.
    """

    name: str
    places: tuple[float, ...]
    figures: tuple[Figure, ...]
    foreign: bool = False


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """A panel: a model's lines, and perhaps a level to compare with."""

    title: str
    lines: tuple[Line, ...]
    level: float | None = None


def disabled_ratios(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy over the share of disabled paths (paper: figure 2, right)."""
    panels = _panels(report, RATIOS, with_published, "measured")
    return _draw(panels, "Disabled paths, %", list(RATIOS.values()))


def enforced(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy over the budget of enforced exploration, against the line without block (paper: figure 4)."""
    panels = _panels(
        report, {name: float(budget) for name, budget in BUDGETS.items()}, with_published, "measured, with block"
    )
    levels = {model: _level(report.find(model, "default")) for model in report.models}
    levels |= {f"{model} †": value * 100 for model, value in published().accuracies("default").items()}
    panels = [msgspec.structs.replace(panel, level=levels.get(panel.title)) for panel in panels]
    return _draw(panels, "Budget of enforced exploration", list(BUDGETS.values()), level="without block, same source")


def lengths(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy by L*, without and with block (paper: figure 5)."""
    names = {"default": "no block", "one-path": "block"}
    slices = {part.name for run in report.runs if run.preset in names for part in run.slices}
    order = sorted(slices, key=lambda name: (len(name), name))
    panels = []
    for model in report.models:
        lines = []
        for preset, name in names.items():
            run = report.find(model, preset)
            if run is not None and len(run.slices) > 1:
                places = tuple(float(order.index(part.name)) for part in run.slices)
                lines.append(Line(name=name, places=places, figures=tuple(part.accuracy for part in run.slices)))
        if lines:
            panels.append(Panel(title=model, lines=tuple(lines)))
    if not panels:
        raise SkippedError("needs runs of default or one-path over tasks of several lengths")
    return _draw(panels, "Length of the shortest solution, L*", list(range(len(order))), ticks=order)


def _panels(report: ReportData, places: dict[str, float], with_published: bool, name: str) -> list[Panel]:
    panels = []
    for model in report.models:
        runs = {place: report.find(model, preset) for preset, place in places.items()}
        found = [(place, run.score.metrics["accuracy"]) for place, run in runs.items() if run is not None]
        found = [(place, figure) for place, figure in found if figure.value is not None]
        if len(found) > 1:
            panels.append(Panel(title=model, lines=(_line(name, found),)))
    if not panels:
        raise SkippedError(f"needs runs of one model in two or more of the settings {', '.join(places)}")
    if with_published:
        values: dict[str, list[tuple[float, Figure]]] = {}
        for preset, place in places.items():
            for model, value in published().accuracies(preset).items():
                values.setdefault(model, []).append((place, Figure(value)))
        panels += [
            Panel(title=f"{model} †", lines=(_line(name, found, foreign=True),))
            for model, found in values.items()
            if len(found) > 1
        ]
    return panels


def _line(name: str, found: Sequence[tuple[float, Figure]], *, foreign: bool = False) -> Line:
    places, figures = zip(*found, strict=True)
    return Line(name=name, places=places, figures=figures, foreign=foreign)


def _level(run: ReportRun | None) -> float | None:
    value = None if run is None else run.score.metrics["accuracy"].value
    return None if value is None else value * 100


def _draw(
    panels: Sequence[Panel],
    axis: str,
    places: Sequence[float],
    *,
    ticks: Sequence[str] | None = None,
    level: str = "",
) -> Drawing:
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    drawing, axes = new(0.8 + 1.55 * rows, rows, columns, sharex=True, sharey=True)
    for place, (panel, shown) in enumerate(zip(axes, panels, strict=False)):
        for number, line in enumerate(shown.lines):
            _draw_line(panel, line, number, (number - (len(shown.lines) - 1) / 2) * APART)
        if shown.level is not None:
            panel.axhline(shown.level, color=GREY, linestyle="--", linewidth=1, label=level)
        panel.set_title(label(shown.title), fontsize=8)
        accuracy_axis(panel, "y")
        panel.set_ylabel("Accuracy, %" if place % columns == 0 else "")
        panel.set_xticks(list(places), ticks or [f"{tick:g}" for tick in places])
        panel.tick_params(axis="x", labelbottom=place + columns >= len(panels))
    for panel in axes[len(panels) :]:
        panel.set_visible(False)
    drawing.supxlabel(axis, fontsize=9)
    _legend(drawing, axes[: len(panels)], foreign=any(line.foreign for panel in panels for line in panel.lines))
    return drawing


def _draw_line(panel: Axes, line: Line, number: int, offset: float) -> None:
    values = [percent(figure) for figure in line.figures]
    colour = GREY if line.foreign else COLOURS[2 * number % len(COLOURS)]
    panel.errorbar(
        [place + offset for place in line.places],
        values,
        yerr=None if line.foreign else errors(line.figures),
        fmt=MARKERS[number],
        linestyle=":" if line.foreign else ("-", "--")[number % 2],
        color=colour,
        markerfacecolor="white" if line.foreign else colour,
        markersize=4,
        linewidth=1.2,
        elinewidth=0.9,
        label=f"† {published().mark}" if line.foreign else line.name,
    )


def _legend(drawing: Drawing, panels: Sequence[Axes], *, foreign: bool) -> None:
    """Name each thing once; a figure with one kind of line needs no legend."""
    found: dict[str, Artist] = {}
    for panel in panels:
        for handle, text in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(str(text), handle)
    if len(found) > 1 or foreign:
        drawing.legend(list(found.values()), list(found), loc="outside upper center", ncols=min(4, len(found)))
