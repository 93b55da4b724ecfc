"""How figures go together over the runs of a report."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from planbench_xl.metrics import Figure
from planbench_xl.statistics.bootstrap import LEVEL, RESAMPLES, draws

FEWEST = 4
"""With fewer points than this, a correlation says nothing: it is left out."""


class Correlation(msgspec.Struct, frozen=True, kw_only=True):
    """A correlation of two figures over some points.

    Attributes:
        points: Number of points where both are defined.
        pearson: Of the values; None with too few points, or where one figure doesn't vary.
        spearman: Of the ranks, likewise.
    """

    points: int
    pearson: Figure
    spearman: Figure


def correlate(
    first: Sequence[float | None], second: Sequence[float | None], *, resamples: int = RESAMPLES
) -> Correlation:
    """Return the correlation of two figures, with intervals by resampling points.

    Ranks are those of the whole set, also in the resamples. Resamples in which a figure doesn't vary are left out.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    values = np.array(pairs, dtype=np.float64).reshape(len(pairs), 2)
    ranks = np.column_stack([_ranks(values[:, 0]), _ranks(values[:, 1])]) if len(pairs) else values
    return Correlation(
        points=len(pairs), pearson=_with_interval(values, resamples), spearman=_with_interval(ranks, resamples)
    )


def _with_interval(values: NDArray[np.float64], resamples: int) -> Figure:
    if len(values) < FEWEST:
        return Figure(None)
    # Centred first: sums of squares of raw values would cancel.
    x, y = (column - column.mean() for column in values.T)
    sums = np.column_stack([x, y, x * x, y * y, x * y])
    value = _coefficients(np.ones((1, len(values))) @ sums, len(values))[0]
    if np.isnan(value):
        return Figure(None)
    found = np.concatenate([_coefficients(drawn @ sums, len(values)) for drawn in draws(len(values), resamples)])
    low, high = np.quantile(found[~np.isnan(found)], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Figure(float(value), float(low), float(high), "bootstrap")


def _coefficients(sums: NDArray[np.float64], points: int) -> NDArray[np.float64]:
    """Return the correlation from sums of x, y, x², y², xy per row; NaN where one doesn't vary."""
    x, y, xx, yy, xy = sums.T
    across = xx - x * x / points
    down = yy - y * y / points
    flat = (across <= 1e-12 * xx) | (down <= 1e-12 * yy)
    found = np.full(len(sums), np.nan)
    np.divide(xy - x * y / points, np.sqrt(np.abs(across * down)), out=found, where=~flat)
    np.clip(found, -1.0, 1.0, out=found)
    return found


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: NDArray[np.float64] = last - (counts - 1) / 2
    return means[inverse]
