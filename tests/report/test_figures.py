"""How figures look: what can be told apart in grey, and that equal figures don't hide each other."""

from __future__ import annotations

from itertools import pairwise

import pytest

pytest.importorskip("matplotlib")
from matplotlib.colors import to_rgb

from planbench_xl.metrics import Figure
from planbench_xl.report.figures.lines import Line, Panel, _draw
from planbench_xl.report.figures.rows import _rows
from planbench_xl.report.figures.style import COLOURS, FILLS, HATCHES, MARKERS


def grey(colour: str) -> float:
    """Return how light a colour is on paper without colours, from 0 to 1."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


def test_neighbours_in_a_bar_have_other_greys_and_other_hatches() -> None:
    assert all(abs(grey(first) - grey(second)) > 0.12 for first, second in pairwise(FILLS))
    assert len(set(HATCHES[: len(FILLS)])) == len(FILLS)
    assert len(set(MARKERS)) == len(COLOURS)


def test_equal_lines_stand_beside_each_other() -> None:
    lines = tuple(Line(name=name, places=(0.0, 1.0), figures=(Figure(0.5), Figure(0.7))) for name in ("a", "b"))
    drawing = _draw([Panel(title="model", lines=lines)], "x", [0, 1])
    drawn = [line.get_xdata() for line in drawing.axes[0].lines if len(line.get_xdata()) == 2]
    places = {tuple(float(x) for x in xs) for xs in drawn}
    assert len(places) == 2 and {round(sum(xs) / 2, 6) for xs in places} == {0.43, 0.57}


def test_equal_joined_marks_stand_above_each_other() -> None:
    series = {"a": "A", "b": "B", "c": "C"}
    drawing = _rows([("model", {name: Figure(0.5) for name in series}, False)], series, joined=True)
    heights = {float(line.get_ydata()[0]) for line in drawing.axes[0].lines if len(line.get_ydata()) == 1}
    assert len(heights) == 3
