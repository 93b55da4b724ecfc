"""Figures of how sure the figures are, and of how they go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from planbench_xl.metrics import Figure
from planbench_xl.report.data import ReportData, ReportRun
from planbench_xl.report.figures.style import COLOURS, FAINT, GREY, MARKERS, SkippedError, new
from planbench_xl.report.wording import MAIN, METRIC_COLUMNS
from planbench_xl.statistics import correlate
from planbench_xl.statistics.correlation import FEWEST

CORRELATED = {
    "edt": "EDT",
    "egt_precision": "EGT precision, %",
    "by_output_share": "Retrievals by output, %",
    "itcr": "ITCR, %",
}
"""What the paper correlates accuracy with."""


def radii(report: ReportData, with_published: bool) -> Drawing:
    """Draw half the width of the 95 % interval of each figure, a mark per run."""
    fractions = [name for name in MAIN if METRIC_COLUMNS[name].kind == "percent"]
    others = [name for name in MAIN if name not in fractions]
    found = {name: [r for run in report.runs if (r := _radius(run.score.metrics[name])) is not None] for name in MAIN}
    if not any(found.values()):
        raise SkippedError("needs runs of several queries")
    drawing, (left, right) = new(3.0, 1, 2)
    _strip(left, [[radius * 100 for radius in found[name]] for name in fractions], fractions)
    left.set_ylabel("Half the interval, percentage points")
    _strip(right, [_relative(report, name) for name in others], others)
    right.set_ylabel("Half the interval, % of the figure")
    handles = [
        Line2D([], [], linestyle="", marker="o", markersize=4, color=COLOURS[2], alpha=0.5, label="a run"),
        Line2D([], [], color="black", linewidth=1.6, label="median"),
    ]
    drawing.legend(handles=handles, loc="outside upper center", ncols=2)
    return drawing


def correlations(report: ReportData, with_published: bool) -> Drawing:
    """Draw accuracy against other figures, a mark per run, with the correlation."""
    runs = [run for run in report.runs if run.score.metrics["accuracy"].value is not None]
    if len(runs) < FEWEST:
        raise SkippedError(f"needs {FEWEST} or more runs")
    drawing, panels = new(5.6, 2, 2, sharey=True)
    for panel, (metric, name) in zip(panels, CORRELATED.items(), strict=True):
        _scatter(panel, runs, metric)
        panel.set_xlabel(name)
        panel.set_ylim(-3, 103)
    for panel in panels[::2]:
        panel.set_ylabel("Accuracy, %")
    handles = [
        Line2D([], [], linestyle="", marker=MARKERS[number], label=text, **_look(blocked))
        for number, (blocked, text) in enumerate(((False, "nothing blocked"), (True, "blocked")))
    ]
    drawing.legend(handles=handles, loc="outside upper center", ncols=2)
    return drawing


def _radius(figure: Figure) -> float | None:
    return None if figure.low is None or figure.high is None else (figure.high - figure.low) / 2


def _relative(report: ReportData, name: str) -> list[float]:
    """Return the radii of a figure that is no fraction, in per cent of its value."""
    figures = [run.score.metrics[name] for run in report.runs]
    return [100 * r / figure.value for figure in figures if figure.value and (r := _radius(figure)) is not None]


def _strip(panel: Axes, columns: Sequence[Sequence[float]], names: Sequence[str]) -> None:
    for place, values in enumerate(columns):
        panel.plot([place] * len(values), values, "o", markersize=4, color=COLOURS[2], alpha=0.5, markeredgewidth=0)
        if values:
            middle = sorted(values)[len(values) // 2]
            panel.plot([place - 0.25, place + 0.25], [middle, middle], color="black", linewidth=1.6)
    heads = [METRIC_COLUMNS[name].head.removesuffix(" %") for name in names]
    panel.set_xticks(range(len(names)), heads)
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.set_ylim(bottom=0)
    panel.grid(axis="y", color=FAINT, linewidth=0.6)
    panel.set_axisbelow(True)


def _scatter(panel: Axes, runs: Sequence[ReportRun], metric: str) -> None:
    scale = 100 if METRIC_COLUMNS[metric].kind == "percent" else 1
    for number, blocked in enumerate((False, True)):
        chosen = [run for run in runs if (run.preset not in ("default", "no-distractors")) == blocked]
        points = [(run.score.metrics[metric].value, run.score.metrics["accuracy"].value) for run in chosen]
        known = [(x * scale, y * 100) for x, y in points if x is not None and y is not None]
        panel.plot(
            [x for x, _ in known],
            [y for _, y in known],
            MARKERS[number],
            **_look(blocked),
            markersize=4,
            zorder=2 if blocked else 3,
        )
    found = correlate(
        [run.score.metrics["accuracy"].value for run in runs], [run.score.metrics[metric].value for run in runs]
    )
    panel.set_title(f"{_shown('r', found.pearson)}, {_shown('ρ', found.spearman)}, n = {found.points}", fontsize=7.5)
    panel.title.set_color(GREY if found.pearson.value is None else "black")
    panel.grid(color=FAINT, linewidth=0.6)
    panel.set_axisbelow(True)


def _look(blocked: bool) -> dict[str, Any]:
    """Return how a run is marked: filled without block, hollow with it, so that greys tell them apart too."""
    return {"color": COLOURS[2], "markerfacecolor": "none"} if blocked else {"color": COLOURS[0], "alpha": 0.7}


def _shown(name: str, figure: Figure) -> str:
    if figure.value is None:
        return f"{name} undefined"
    return f"{name} = {figure.value:.2f} [{figure.low:.2f}, {figure.high:.2f}]"
