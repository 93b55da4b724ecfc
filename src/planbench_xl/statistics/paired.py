"""Two runs on the same queries: differences with intervals, and McNemar's exact test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb, nan
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from planbench_xl.metrics import EpisodeScore
from planbench_xl.metrics.figures import metrics_of
from planbench_xl.statistics.bootstrap import FEW, LEVEL, RESAMPLES, SEED, Floats, Z, query_sums, resampled
from planbench_xl.statistics.power import ALPHA, detectable_paired

Sums = tuple[Floats, Floats]
"""Numerators and denominators of a figure, each of shape (queries,)."""

Outcomes = Mapping[str, tuple[int, int]]
"""Successes and episodes of each query."""

_CELLS = 1_000_000
"""Signs drawn at a time: bounds the memory."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of two runs.

    Attributes:
        first: Its value in the first run, over the common queries.
        second: Its value in the second run.
        value: Second minus first; None if either is undefined.
        low: Lower end of the 95 % interval of the difference; None if there is none.
        high: Upper end.
        method: How the interval was made.
    """

    first: float | None
    second: float | None
    value: float | None
    low: float | None = None
    high: float | None = None
    method: Literal["bootstrap", "bonett-price"] | None = None


class McNemar(msgspec.Struct, frozen=True, kw_only=True):
    """McNemar's exact test of two runs on the same queries.

    Attributes:
        both: Queries that both solve.
        neither: Queries that neither solves.
        only_first: Queries that only the first solves.
        only_second: Queries that only the second solves.
        p: Chance of so uneven a split of the discordant queries, or one more uneven, if both runs were equally good.
    """

    both: int
    neither: int
    only_first: int
    only_second: int
    p: float

    @property
    def discordant(self) -> int:
        """Number of queries that exactly one of the two solves."""
        return self.only_first + self.only_second


class AccuracyTest(msgspec.Struct, frozen=True, kw_only=True):
    """The accuracy of two runs, compared on the queries that both have scored.

    Attributes:
        queries: Number of these queries.
        difference: The difference in accuracy.
        test: How `p` was made: McNemar's exact test, or with repetitions a sign-flip test of the queries' means.
        p: Chance of so large a difference, or a larger one, if there were none.
        mcnemar: The counts of McNemar's test; None if queries were repeated.
        higher_first: Queries on which the first run has the higher success rate.
        higher_second: Queries on which the second run has.
        detectable: Smallest difference that so many queries, with so many of them discordant, show with a power of
            80 %; None if none can be shown, or queries were repeated.
    """

    queries: int
    difference: Difference
    test: str
    p: float
    mcnemar: McNemar | None
    higher_first: int
    higher_second: int
    detectable: float | None

    @property
    def shown(self) -> bool:
        """A difference is shown at 5 %."""
        return self.p < ALPHA


class PairTest(msgspec.Struct, frozen=True):
    """Two of many runs, compared on the queries that both have scored.

    Attributes:
        queries: Number of these queries.
        higher_first: Queries on which the first run has the higher success rate.
        higher_second: Queries on which the second run has.
        p: Chance of so large a difference in accuracy, or a larger one, if there were none.
    """

    queries: int
    higher_first: int
    higher_second: int
    p: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs compared on the queries that both have scored.

    Attributes:
        episodes: Episodes of each run on them.
        differences: Every figure.
        accuracy: The test of the accuracy.
    """

    episodes: tuple[int, int]
    differences: dict[str, Difference]
    accuracy: AccuracyTest


def mcnemar(first: Iterable[bool], second: Iterable[bool]) -> McNemar:
    """Return McNemar's exact two-sided test of the outcomes of the same queries in two runs."""
    first, second = list(map(bool, first)), list(map(bool, second))
    only_first = sum(a and not b for a, b in zip(first, second, strict=True))
    only_second = sum(b and not a for a, b in zip(first, second, strict=True))
    return McNemar(
        both=sum(a and b for a, b in zip(first, second, strict=True)),
        neither=sum(not a and not b for a, b in zip(first, second, strict=True)),
        only_first=only_first,
        only_second=only_second,
        p=_two_sided(only_first, only_second),
    )


def compare_scores(
    first: Sequence[EpisodeScore], second: Sequence[EpisodeScore], *, resamples: int = RESAMPLES
) -> Comparison:
    """Compare two runs on the queries that both have scored; others are left out.

    Args:
        first: Scores of the first run's episodes, infrastructure errors left out.
        second: Those of the second.
        resamples: Number of bootstrap resamples, and of sign flips.
    """
    common = {score.query_id for score in first} & {score.query_id for score in second}
    runs = [[score for score in scores if score.query_id in common] for scores in (first, second)]
    shared = metrics_of(runs[0]).keys() & metrics_of(runs[1]).keys()
    metrics = {name: metric for name, metric in metrics_of(runs[0]).items() if name in shared}
    sums = [query_sums(scores, metrics) for scores in runs]
    drawn = resampled(*sums[1], resamples) - resampled(*sums[0], resamples)
    differences = {}
    for column, name in enumerate(metrics):
        before, after = ((above[:, column], below[:, column]) for above, below in sums)
        differences[name] = _difference(before, after, drawn[:, column])
    test = compare_accuracy(*(outcomes(scores) for scores in runs), resamples=resamples)
    return Comparison(
        episodes=(len(runs[0]), len(runs[1])),
        differences={**differences, "accuracy": test.difference},
        accuracy=test,
    )


def outcomes(scores: Sequence[EpisodeScore]) -> Outcomes:
    """Return successes and episodes of each query."""
    found: dict[str, tuple[int, int]] = {}
    for score in scores:
        successes, episodes = found.get(score.query_id, (0, 0))
        found[score.query_id] = (successes + score.success, episodes + 1)
    return found


def compare_accuracy(first: Outcomes, second: Outcomes, *, resamples: int = RESAMPLES) -> AccuracyTest:
    """Compare the accuracy of two runs on the queries that both have scored, with interval and test."""
    return compare_accuracies(first, [second], resamples=resamples)[0]


def compare_accuracies(
    first: Outcomes, others: Sequence[Outcomes], *, resamples: int = RESAMPLES
) -> list[AccuracyTest]:
    """Compare the accuracy of some runs with that of a first one, each on the queries that both have scored."""
    pairs = [_paired(first, other) for other in others]
    drawn: dict[int, Floats] = {}
    # Pairs on as many queries share the draws.
    for queries in {len(pair.differences) for pair in pairs}:
        alike = [n for n, pair in enumerate(pairs) if len(pair.differences) == queries and not pair.repeated]
        if alike:
            differences = np.column_stack([pairs[n].differences for n in alike])
            means = resampled(differences, np.ones_like(differences), resamples)
            drawn |= {n: means[:, column] for column, n in enumerate(alike)}
    return [_accuracy_test(pair, drawn.get(n), resamples) for n, pair in enumerate(pairs)]


class _Paired(NamedTuple):
    """Two runs on their common queries: terms of the accuracy, differences of the rates, whether any was repeated."""

    before: Sums
    after: Sums
    differences: Floats
    repeated: bool


def _paired(first: Outcomes, second: Outcomes) -> _Paired:
    common = sorted(first.keys() & second.keys())
    sums = [np.array([run[query] for query in common], dtype=np.float64).reshape(-1, 2) for run in (first, second)]
    before, after = ((part[:, 0], part[:, 1]) for part in sums)
    differences = after[0] / after[1] - before[0] / before[1]
    return _Paired(before, after, differences, any((below > 1).any() for _, below in (before, after)))


def _accuracy_test(pair: _Paired, drawn: Floats | None, resamples: int) -> AccuracyTest:
    before, after, differences, repeated = pair
    if drawn is None:
        above, below = np.column_stack([before[0], after[0]]), np.column_stack([before[1], after[1]])
        ratios = resampled(above, below, resamples)
        drawn = ratios[:, 1] - ratios[:, 0]
    test = None if repeated else mcnemar(before[0] > 0, after[0] > 0)
    share = float(np.mean(differences != 0)) if len(differences) else 0.0
    return AccuracyTest(
        queries=len(differences),
        difference=_few_discordant(_difference(before, after, drawn), test),
        test="sign flips of the queries' mean differences" if test is None else "McNemar, exact, two-sided",
        p=float(sign_flips(differences[:, None], resamples)[0]) if test is None else test.p,
        mcnemar=test,
        higher_first=int(np.sum(differences < 0)),
        higher_second=int(np.sum(differences > 0)),
        detectable=None if test is None else detectable_paired(len(differences), share),
    )


def pair_tests(runs: Sequence[Outcomes], *, resamples: int = RESAMPLES) -> dict[tuple[int, int], PairTest]:
    """Compare the accuracy of every two runs, by their numbers, each pair on its common queries.

    All are McNemar's exact tests, or sign-flip tests if any query was repeated.
    """
    queries = sorted(set().union(*runs))
    rates = np.array([[_rate(run, query) for query in queries] for run in runs]).reshape(len(runs), len(queries))
    common = ~np.isnan(rates)
    repeated = any(episodes > 1 for run in runs for _, episodes in run.values())
    found: dict[tuple[int, int], PairTest] = {}
    alike: dict[bytes, list[tuple[int, int]]] = {}
    for i, j in combinations(range(len(runs)), 2):
        both = common[i] & common[j]
        differences = (rates[i] - rates[j])[both]
        first, second = int(np.sum(differences > 0)), int(np.sum(differences < 0))
        found[i, j] = PairTest(len(differences), first, second, _two_sided(first, second))
        alike.setdefault(both.tobytes(), []).append((i, j))
    if repeated:
        # Pairs on the same queries share the draws.
        for pairs in alike.values():
            both = common[pairs[0][0]] & common[pairs[0][1]]
            matrix = np.array([(rates[i] - rates[j])[both] for i, j in pairs])
            for pair, p in zip(pairs, sign_flips(matrix.T, resamples), strict=True):
                found[pair] = msgspec.structs.replace(found[pair], p=float(p))
    return found


def _rate(run: Outcomes, query: str) -> float:
    successes, episodes = run.get(query, (0, 0))
    return successes / episodes if episodes else nan


def _two_sided(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of a split that is even by chance."""
    discordant, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(discordant, count) for count in range(fewer + 1))
    return min(1.0, tail / 2 ** (discordant - 1)) if discordant else 1.0


def sign_flips(differences: Floats, resamples: int = RESAMPLES) -> Floats:
    """Return p-values of mean differences when each query's difference could as well have the other sign.

    The observed signs count as one of the draws, so that no p-value is 0.

    Args:
        differences: Of shape (queries, comparisons).
        resamples: Number of draws of signs.

    Returns:
        Of shape (comparisons,).
    """
    queries, comparisons = differences.shape
    # Rounding in the sums must not make equal differences unequal.
    observed = np.abs(differences.sum(axis=0)) - 1e-9
    generator = np.random.default_rng([SEED, queries])
    extreme = np.zeros(comparisons)
    rows = max(1, _CELLS // max(queries, comparisons, 1))
    for start in range(0, resamples, rows):
        signs = generator.integers(0, 2, size=(min(rows, resamples - start), queries)) * 2.0 - 1.0
        extreme += np.sum(np.abs(signs @ differences) >= observed, axis=0)
    return (extreme + 1) / (resamples + 1)


def _difference(first: Sums, second: Sums, drawn: Floats) -> Difference:
    before, after = _value(*first), _value(*second)
    if before is None or after is None:
        return Difference(first=before, second=after, value=None)
    known = drawn[~np.isnan(drawn)]
    low, high = (float(end) for end in np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    if low < high:
        return Difference(first=before, second=after, value=after - before, low=low, high=high, method="bootstrap")
    return Difference(first=before, second=after, value=after - before)


def _few_discordant(found: Difference, test: McNemar | None) -> Difference:
    """Return the difference in accuracy; with few discordant queries its resamples vary too little."""
    if test is None or test.discordant >= 2 * FEW or found.value is None:
        return found
    low, high = bonett_price(test)
    return msgspec.structs.replace(found, low=low, high=high, method="bonett-price")


def bonett_price(test: McNemar) -> tuple[float, float]:
    """Return the interval of a paired difference, second minus first, by Bonett and Price (2012)."""
    queries = test.both + test.neither + test.discordant + 2
    gained, lost = (test.only_second + 1) / queries, (test.only_first + 1) / queries
    spread = Z * ((gained + lost - (gained - lost) ** 2) / queries) ** 0.5
    return max(-1.0, gained - lost - spread), min(1.0, gained - lost + spread)


def _value(above: Floats, below: Floats) -> float | None:
    total = float(below.sum())
    return float(above.sum()) / total if total else None
