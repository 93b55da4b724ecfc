"""Figures of why episodes failed: stacked shares, a bar per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Patch

from planbench_xl.report.data import ReportData, ReportRun
from planbench_xl.report.failures import category_key, ending_key, follow_up_key, invoked_key
from planbench_xl.report.figures.style import FILLS, GREY, HATCHES, SkippedError, label, new
from planbench_xl.report.published import published
from planbench_xl.report.wording import CATEGORY_NAMES, ENDING_NAMES, FOLLOW_UP_NAMES, KIND_NAMES
from planbench_xl.world import Kind

LEAST = 6.0
"""Shares below this many per cent have no number: it wouldn't fit."""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """A bar of shares.

    Attributes:
        name: What it is for.
        shares: Its parts, from 0 to 1, in the order of the legend.
        count: What the shares are of; None if unknown.
        foreign: It is published and not ours.
    """

    name: str
    shares: tuple[float, ...]
    count: int | None = None
    foreign: bool = False


def categories(report: ReportData, with_published: bool) -> Drawing:
    """Draw the shares of the failure categories, per model and over all (paper: figure 6)."""
    keys = {category_key(category): name for category, name in CATEGORY_NAMES.items()}
    bars = _per_model(report, keys, "failed episodes")
    if with_published:
        for row in published().categories:
            shares = tuple(getattr(row, category.value, 0.0) / 100 for category in CATEGORY_NAMES)
            bars.append(Bar(name=f"{row.model} †", shares=shares, foreign=True))
    return _stacked(bars, list(keys.values()), "Share of the failed episodes, %")


def endings(report: ReportData, with_published: bool) -> Drawing:
    """Draw how failed episodes ended, per model and over all."""
    keys = {ending_key(ending): name for ending, name in ENDING_NAMES.items()}
    bars = _per_model(report, keys, "failed episodes without a format error")
    return _stacked(bars, list(keys.values()), "Share of the failed episodes without a format error, %")


def invoked(report: ReportData, with_published: bool) -> Drawing:
    """Draw the block alternatives invoked by kind, per model and over all (paper: figure 7)."""
    keys = {invoked_key(kind): name for kind, name in KIND_NAMES.items()}
    bars = _per_model(report, keys, "block alternatives invoked", preset="one-path")
    return _stacked(bars, list(keys.values()), "Share of the block alternatives invoked, %")


def follow_ups(report: ReportData, with_published: bool) -> Drawing:
    """Draw what became of the values of invoked alternatives, by kind over all models (paper: figure 8)."""
    runs = [run for run in report.runs if run.preset == "one-path"]
    bars = [bar for kind, name in KIND_NAMES.items() if (bar := _follow_up(runs, kind, name)) is not None]
    if not bars:
        raise SkippedError("needs runs of one-path in which block alternatives were invoked")
    return _stacked(bars, list(FOLLOW_UP_NAMES.values()), "Share of the alternatives invoked, %")


def _follow_up(runs: Sequence[ReportRun], kind: Kind, name: str) -> Bar | None:
    keys = [follow_up_key(kind, follow_up) for follow_up in FOLLOW_UP_NAMES]
    return _together(f"{name}", runs, keys)


def _per_model(report: ReportData, keys: Mapping[str, str], what: str, preset: str = "default") -> list[Bar]:
    runs = [run for model in report.models if (run := report.find(model, preset)) is not None]
    bars = [bar for run in runs if (bar := _together(run.model, [run], list(keys))) is not None]
    if not bars:
        raise SkippedError(f"needs runs of {preset} with {what}")
    every = _together("all", runs, list(keys))
    return [*bars, every] if every is not None and len(bars) > 1 else bars


def _together(name: str, runs: Sequence[ReportRun], keys: Sequence[str]) -> Bar | None:
    """Return the shares of some runs taken together; None if there is nothing to share."""
    totals = [sum((run.failures.shares[key].value or 0.0) * run.failures.counts[key] for run in runs) for key in keys]
    count = sum(run.failures.counts[keys[0]] for run in runs)
    if not count:
        return None
    return Bar(name=name, shares=tuple(total / count for total in totals), count=count)


def _stacked(bars: Sequence[Bar], names: Sequence[str], axis: str) -> Drawing:
    drawing, (panel,) = new(1.2 + 0.32 * len(bars))
    for place, bar in enumerate(bars):
        left = 0.0
        for number, share in enumerate(bar.shares):
            width = share * 100
            panel.barh(
                place,
                width,
                left=left,
                height=0.72,
                color="white" if bar.foreign else FILLS[number],
                hatch=HATCHES[number],
                edgecolor=GREY if bar.foreign else "black",
                linewidth=0.6,
            )
            if width >= LEAST:
                panel.text(
                    left + width / 2,
                    place,
                    f"{width:.0f}",
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"},
                )
            left += width
    counts = [label(bar.name) + ("" if bar.count is None else f"  (n = {bar.count})") for bar in bars]
    panel.set_yticks(range(len(bars)), counts)
    panel.set_ylim(len(bars) - 0.5, -0.5)
    panel.set_xlim(0, 100)
    panel.set_xlabel(axis)
    panel.tick_params(axis="y", length=0)
    handles = [
        Patch(facecolor=FILLS[number], hatch=HATCHES[number], edgecolor="black", linewidth=0.6, label=name)
        for number, name in enumerate(names)
    ]
    if any(bar.foreign for bar in bars):
        handles.append(Patch(facecolor="white", edgecolor=GREY, linewidth=0.6, label=f"† {published().mark}"))
    drawing.legend(handles=handles, loc="outside upper center", ncols=3)
    return drawing
