"""How far apart two runs are in what their episodes fall into: the total variation distance of their shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from planbench_xl.metrics import Figure
from planbench_xl.statistics.bootstrap import LEVEL, RESAMPLES, SEED, Floats, draws
from planbench_xl.statistics.power import ALPHA

Counts = Mapping[str, tuple[int, ...]]
"""For each query, how many of its episodes fall into each class."""

_CELLS = 1_000_000
"""Sides drawn at a time: bounds the memory."""


class Distance(msgspec.Struct, frozen=True, kw_only=True):
    """The total variation distance of two runs on the same queries.

    Attributes:
        distance: Half the sum of the differences of the shares, 0 if alike, 1 if disjoint, with its interval; its value
            is None if a run has nothing in any class.
        by_chance: What the distance would be on average if the runs were alike but for chance; None likewise.
        p: Chance of so large a distance, or a larger one, if they were; None likewise.
        counts: Episodes in all classes of each run.
    """

    distance: Figure
    by_chance: float | None
    p: float | None
    counts: tuple[int, int]


def distances(first: Counts, others: Sequence[Counts], *, resamples: int = RESAMPLES) -> list[Distance]:
    """Return the distance of each of some runs from a first one, on the queries that both have.

    A distance can't be negative, so chance alone pushes it up, and in a resample further up than in the sample: the
    middle 95 % of the resamples lie too high. The interval therefore reaches as far down from the value as their upper
    end lies above it, within 0 and 1, and begins at 0 where the test shows no difference.

    The test takes, for each query, what the two runs made of it, and changes the sides of half of the queries at
    random: were the runs alike, that would change nothing but for chance.

    Args:
        first: What the episodes of each query fall into in the first run.
        others: The same of the other runs.
        resamples: Number of bootstrap resamples, and of changes of sides.
    """
    common = [tuple(sorted(first.keys() & other.keys())) for other in others]
    found: dict[int, Distance] = {}
    # Runs on the same queries share the draws.
    for queries in dict.fromkeys(common):
        alike = [number for number, shared in enumerate(common) if shared == queries]
        rows = [[run[query] for query in queries] for run in (first, *(others[number] for number in alike))]
        shape = len(rows), len(queries), -1 if queries else 1
        counts = np.array(rows, dtype=np.float64).reshape(shape).transpose(1, 0, 2)
        found |= zip(alike, _from_first(counts, resamples), strict=True)
    return [found[number] for number in range(len(others))]


def _from_first(counts: Floats, resamples: int) -> list[Distance]:
    """Return the distance of each run but the first from it, of counts of shape (queries, runs, classes)."""
    queries, runs, _ = counts.shape
    totals = counts.sum(axis=0)
    values = _distances(totals[:1], totals[1:])
    sizes = [int(total) for total in totals.sum(axis=-1)]
    if queries < 2:
        return [_alone(value, (sizes[0], size)) for value, size in zip(values, sizes[1:], strict=True)]
    drawn, swapped = _drawn(counts, resamples), _swapped(counts, resamples)
    return [
        _distance(float(values[place]), (sizes[0], sizes[place + 1]), drawn[:, place], swapped[:, place])
        for place in range(runs - 1)
    ]


def _alone(value: float, sizes: tuple[int, int]) -> Distance:
    """Return a distance of which nothing more can be said."""
    return Distance(distance=Figure(value if all(sizes) else None), by_chance=None, p=None, counts=sizes)


def _distance(value: float, sizes: tuple[int, int], drawn: Floats, swapped: Floats) -> Distance:
    if not all(sizes):
        return _alone(value, sizes)
    # Draws that leave a run with nothing in any class say nothing.
    drawn, swapped = drawn[~np.isnan(drawn)], swapped[~np.isnan(swapped)]
    # The observed sides count as one of the draws, so that no p-value is 0; rounding must not make equals unequal.
    p = float((np.sum(swapped >= value - 1e-9) + 1) / (len(swapped) + 1))
    high = max(value, float(np.quantile(drawn, (1 + LEVEL) / 2)))
    low = max(0.0, 2 * value - high) if p < ALPHA else 0.0
    found = Figure(value, low, high, "bootstrap")
    return Distance(distance=found, by_chance=float(swapped.mean()), p=p, counts=sizes)


def _drawn(counts: Floats, resamples: int) -> Floats:
    """Return the distances in each resample of the queries, of shape (resamples, runs - 1)."""
    queries, runs, classes = counts.shape
    flat = counts.reshape(queries, -1)
    drawn = np.concatenate([times @ flat for times in draws(queries, resamples)]).reshape(-1, runs, classes)
    return _distances(drawn[:, :1], drawn[:, 1:])


def _swapped(counts: Floats, resamples: int) -> Floats:
    """Return the distances with the sides of random queries changed, of shape (resamples, runs - 1)."""
    queries, runs, classes = counts.shape
    change = counts[:, 1:] - counts[:, :1]
    totals = counts.sum(axis=0)
    generator = np.random.default_rng([SEED, queries])
    found = []
    rows = max(1, _CELLS // queries)
    for start in range(0, resamples, rows):
        sides = generator.integers(0, 2, size=(min(rows, resamples - start), queries)).astype(np.float64)
        moved = (sides @ change.reshape(queries, -1)).reshape(-1, runs - 1, classes)
        found.append(_distances(totals[:1] + moved, totals[1:] - moved))
    return np.concatenate(found)


def _distances(before: Floats, after: Floats) -> Floats:
    """Return the distances of counts, with the classes as the last axis; NaN where a run has nothing in any."""
    with np.errstate(invalid="ignore"):
        shares = [counts / counts.sum(axis=-1, keepdims=True) for counts in (before, after)]
    found: Floats = np.abs(shares[0] - shares[1]).sum(axis=-1) / 2
    return found
