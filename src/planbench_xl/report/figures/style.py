"""How figures look: colours that colour-blind people can tell apart, and markers and hatches that don't need them.

Colours are those of Okabe and Ito, in an order whose greys differ from each to the next. Whatever a colour says, a
marker, a hatch or a line style says too. What is published and not ours is grey and hollow.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing

from planbench_xl.metrics import Figure
from planbench_xl.world.storage import write_atomically

COLOURS = ("#000000", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "////", "....", "xx", "\\\\\\\\", "--", "oo", "**")
FILLS = ("#D55E00", "#E69F00", "#2E8BCB", "#F7E98E", "#BBBBBB")
"""Fills of stacked bars: their greys, too, differ from each to the next, and black hatches show on all."""

GREY = "#777777"
FAINT = "#DDDDDD"

WIDTH = 7.2
"""Width of a figure in inches: that of a page's text."""

LONGEST_LABEL = 34

_RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.grid": False,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "planbench-xl",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "path.simplify": False,
}

_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
"""Nothing of when and by what a figure was drawn: the same report has the same bytes."""


class SkippedError(Exception):
    """A figure can't be drawn from the runs at hand; the message says why."""


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style, whatever the user's own configuration."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def new(height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Drawing, list[Axes]]:
    """Return an empty figure with its panels, row by row."""
    drawing = Drawing(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(drawing)
    panels = drawing.subplots(rows, columns, squeeze=False, **options)
    return drawing, list(panels.ravel())


def settle(drawing: Drawing) -> None:
    """Lay a figure out once: without this, every format would do it again."""
    drawing.draw_without_rendering()
    drawing.set_layout_engine("none")


def save(drawing: Drawing, path: Path) -> None:
    """Write a figure in the format of the path's ending, at once or not at all, the same bytes each time."""
    kind = path.suffix[1:]
    stream = io.BytesIO()
    drawing.savefig(stream, format=kind, dpi=200, metadata=_METADATA[kind])
    write_atomically(path, stream.getvalue())


def label(text: str) -> str:
    """Return others' text as a label: nothing in it is read as a formula or hidden, and it is short."""
    text = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", " ", text)
    text = text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"
    # A legend leaves out what starts with an underscore.
    return text.replace("\\", "\\\\").replace("$", r"\$") if not text.startswith("_") else label(f" {text}")


def percent(figure: Figure) -> float:
    """Return a figure's value in per cent; it must have one."""
    assert figure.value is not None
    return figure.value * 100


def errors(figures: Sequence[Figure]) -> list[list[float]]:
    """Return how far the intervals of figures reach down and up, in per cent; nothing where there is none."""
    down, up = [], []
    for figure in figures:
        value = figure.value or 0.0
        down.append(100 * (value - (value if figure.low is None else figure.low)))
        up.append(100 * ((value if figure.high is None else figure.high) - value))
    # A resampled interval can lie off a value of a few queries by a hair.
    return [[max(0.0, one) for one in down], [max(0.0, one) for one in up]]


def accuracy_axis(panel: Axes, axis: Literal["x", "y"] = "x") -> None:
    """Make an axis one of accuracy in per cent, from 0 to 100."""
    getattr(panel, f"set_{axis}lim")(-3, 103)
    getattr(panel, f"set_{axis}ticks")([0, 25, 50, 75, 100])
    getattr(panel, f"set_{axis}label")("Accuracy, %")
    panel.grid(axis=axis, color=FAINT, linewidth=0.6)
    panel.set_axisbelow(True)
