"""Intervals by resampling queries, for all figures of a run at once.

A figure is a sum over the episodes divided by another. The sums of each query are a row of a matrix, a resample is a
vector that says how often each query was drawn, and all resamples of all figures are one product of two matrices.
Repetitions of a query are drawn together, since they aren't independent.

Where a resample can't say anything, another interval stands in: see `interval`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from planbench_xl.episodes.record import Status
from planbench_xl.metrics import EpisodeScore, Figure, RunScore
from planbench_xl.metrics.figures import UNBOUNDED, Terms, metrics_of

Floats = NDArray[np.float64]


class OfQuery(Protocol):
    """Anything about an episode."""

    @property
    def query_id(self) -> str:
        """The query."""


T = TypeVar("T", bound=OfQuery)

RESAMPLES = 10_000
LEVEL = 0.95
SEED = 42

FEW = 5
"""With fewer queries than this on either side, the percentiles of a fraction cover too little."""

_CELLS = 1_000_000
"""Draws made at a time: bounds the memory."""

_KEPT = 12
"""Blocks of draws that are kept for the next run, of 8 MB at most: those for all queries and for each slice of them."""

Z = 1.959963984540054
"""Quantile of the normal distribution for `LEVEL`."""


def with_intervals(score: RunScore, scores: Sequence[EpisodeScore], *, resamples: int = RESAMPLES) -> RunScore:
    """Return the score of a run with 95 % intervals for all figures, and pass@k if queries were repeated.

    Args:
        score: The score of the run.
        scores: The scores of its episodes.
        resamples: Number of bootstrap resamples.
    """
    from planbench_xl.statistics.passk import pass_rates

    scored = [one for one in scores if one.status is not Status.ERROR]
    figures = figures_with_intervals(scored, resamples=resamples)
    every = figures if len(scored) == len(scores) else figures_with_intervals(scores, resamples=resamples)
    return msgspec.structs.replace(
        score, metrics=figures, metrics_errors_as_failures=every, passes=pass_rates(scored, resamples=resamples)
    )


def figures_with_intervals(scores: Sequence[EpisodeScore], *, resamples: int = RESAMPLES) -> dict[str, Figure]:
    """Return every figure of some episodes with its interval."""
    metrics = metrics_of(scores)
    above, below = query_sums(scores, metrics)
    return figures_of_sums(above, below, [name not in UNBOUNDED for name in metrics], list(metrics), resamples)


def query_sums(items: Sequence[T], terms: Mapping[str, Callable[[T], Terms]]) -> tuple[Floats, Floats]:
    """Return the numerator and the denominator of each figure, summed over the episodes of each query.

    Args:
        items: What is known of each episode: its score, or its analysis.
        terms: What an episode adds to the numerator and the denominator of each figure.

    Returns:
        Numerators and denominators, each of shape (queries, figures), the queries sorted.
    """
    row = {query: number for number, query in enumerate(sorted({item.query_id for item in items}))}
    rows = np.array([row[item.query_id] for item in items], dtype=np.intp)
    flat = np.array([[term(item) for term in terms.values()] for item in items], dtype=np.float64)
    sums = np.zeros((len(row), len(terms), 2))
    np.add.at(sums, rows, flat.reshape(len(items), len(terms), 2))
    return sums[:, :, 0], sums[:, :, 1]


def figures_of_sums(
    above: Floats, below: Floats, fractions: Sequence[bool], names: Sequence[str], resamples: int = RESAMPLES
) -> dict[str, Figure]:
    """Return a figure with its interval for each column of sums.

    Args:
        above: Numerators, of shape (queries, figures).
        below: Denominators, likewise.
        fractions: Which figures can't be below 0 or above 1.
        names: Name of each figure.
        resamples: Number of bootstrap resamples.
    """
    ratios = resampled(above, below, resamples)
    return {
        name: interval(above[:, column], below[:, column], ratios[:, column], fraction=fractions[column])
        for column, name in enumerate(names)
    }


def interval(above: Floats, below: Floats, ratios: Floats, *, fraction: bool) -> Figure:
    """Return a figure with its interval.

    The interval holds the middle 95 % of the resamples. That fails in two cases. A fraction that (almost) all
    queries agree on, 0 of 300 for example, hardly varies among resamples, and its interval would come out too short or
    without any width: it gets Wilson's, with the number of queries for the number of trials, which is exact enough for
    an outcome per query and too wide rather than too narrow for anything else. And a single query, or a mean that is
    the same for all queries, shows nothing about others: it gets none.

    Args:
        above: Numerator of each query.
        below: Denominator of each query.
        ratios: The figure in each resample; NaN where it has no denominator.
        fraction: It can't be below 0 or above 1.
    """
    total = float(below.sum())
    if not total:
        return Figure(None)
    value = float(above.sum()) / total
    having = below > 0
    count = int(having.sum())
    if count < 2:
        return Figure(value)
    if fraction:
        some, not_all = int((above[having] > 0).sum()), int((above[having] < below[having]).sum())
        if min(some, not_all) < FEW:
            low, high = wilson(value, count)
            return Figure(value, low, high, "wilson")
    known = ratios[~np.isnan(ratios)]
    low, high = (float(end) for end in np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return Figure(value, low, high, "bootstrap") if low < high else Figure(value)


def resampled(above: Floats, below: Floats, resamples: int = RESAMPLES) -> Floats:
    """Return each figure in each resample of the queries, of shape (resamples, figures); NaN without a denominator."""
    queries, figures = above.shape
    found = np.full((resamples, figures), np.nan)
    if not queries:
        return found
    # Many figures share a denominator, and what never happened is a column of zeros.
    columns, place = np.unique(np.hstack((above, below)), axis=1, return_inverse=True)
    start = 0
    for drawn in draws(queries, resamples):
        sums = drawn @ columns
        over = sums[:, place[figures:]]
        part = found[start : start + len(drawn)]
        np.divide(sums[:, place[:figures]], over, out=part, where=over > 0)
        start += len(drawn)
    return found


def draws(queries: int, resamples: int = RESAMPLES) -> Iterator[Floats]:
    """Yield how often each query is drawn in each resample, in blocks of shape (some resamples, queries).

    The same number of queries always gets the same draws: runs on the same queries are resampled together.
    """
    rows = max(1, _CELLS // queries)
    for block, start in enumerate(range(0, resamples, rows)):
        yield _block(queries, min(rows, resamples - start), block)


@lru_cache(maxsize=_KEPT)
def _block(queries: int, rows: int, block: int) -> Floats:
    generator = np.random.default_rng([SEED, queries, block])
    picks = generator.integers(0, queries, size=(rows, queries), dtype=np.intp)
    picks += (np.arange(rows) * queries)[:, None]
    counts = np.bincount(picks.ravel(), minlength=rows * queries).reshape(rows, queries)
    return counts.astype(np.float64)


def wilson(share: float, trials: int) -> tuple[float, float]:
    """Return Wilson's interval (without correction for continuity) for a share of some trials."""
    spread = Z * (share * (1 - share) / trials + Z**2 / (4 * trials**2)) ** 0.5
    centre = share + Z**2 / (2 * trials)
    scale = 1 + Z**2 / trials
    # Exact at the ends, where rounding would miss 0 and 1 by a hair.
    low = 0.0 if share == 0 else (centre - spread) / scale
    high = 1.0 if share == 1 else (centre + spread) / scale
    return low, high
