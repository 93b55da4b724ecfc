"""Paired tests, corrections, power, repeated tries and correlations, against scipy and by hand."""

from __future__ import annotations

from itertools import combinations

import pytest

np = pytest.importorskip("numpy")
from planbench_xl.statistics import (  # noqa: E402
    PairTest,
    compare_accuracy,
    compare_scores,
    correlate,
    detectable_paired,
    detectable_unpaired,
    holm,
    mcnemar,
    pair_tests,
    pass_all,
    pass_any,
    pass_rates,
    sign_flips,
)
from tests.statistics.test_bootstrap import score  # noqa: E402


def outcomes(*values: int, tries: int = 1):
    return {f"q{number:04}": (value, tries) for number, value in enumerate(values)}


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (1, 0), (8, 2), (30, 12), (5, 5), (400, 300)])
def test_mcnemar_against_the_binomial_test(gained: int, lost: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    first = [True] * lost + [False] * gained + [True, False]
    second = [False] * lost + [True] * gained + [True, False]
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second, found.both, found.neither) == (lost, gained, 1, 1)
    theirs = stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert found.p == pytest.approx(theirs)


def test_two_runs() -> None:
    first = [score(i, success=i < 50, turns=10 + i % 5) for i in range(110)]
    second = [score(i, success=i < 80, turns=12 + i % 7) for i in range(100)]
    found = compare_scores(first, second)
    test = found.accuracy
    assert (test.queries, found.episodes, test.mcnemar.only_second, test.higher_first) == (100, (100, 100), 30, 0)
    assert test.shown and test.p < 1e-6
    assert (test.difference.first, test.difference.second) == (0.5, 0.8)
    assert test.difference.value == pytest.approx(0.3)
    assert test.difference.low == pytest.approx(0.21, abs=0.02) and test.difference.high == pytest.approx(
        0.39, abs=0.02
    )
    turns = found.differences["turns"]
    assert turns.low < turns.value < turns.high and turns.method == "bootstrap"


def test_a_difference_against_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(1)
    before, after = generator.integers(0, 2, 200), generator.integers(0, 2, 200)
    found = compare_accuracy(outcomes(*before), outcomes(*after)).difference
    theirs = stats.bootstrap((after - before,), np.mean, n_resamples=20_000, method="percentile", rng=2)
    ends = theirs.confidence_interval
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.012)


def test_few_discordant_queries_still_have_an_interval() -> None:
    same = compare_accuracy(outcomes(*[1] * 60), outcomes(*[1] * 60))
    assert (same.p, same.shown, same.detectable) == (1.0, False, None)
    assert same.difference.method == "bonett-price"
    assert same.difference.low == pytest.approx(-0.0447, abs=1e-4) and same.difference.high == -same.difference.low


def test_repeated_tries_use_the_queries_means() -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(3)
    before = {f"q{i}": (int(generator.integers(0, 5)), 4) for i in range(12)}
    after = {f"q{i}": (int(generator.integers(1, 5)), 4) for i in range(12)}
    found = compare_accuracy(before, after)
    assert found.mcnemar is None and found.detectable is None and "sign flips" in found.test
    differences = np.array([after[q][0] / 4 - before[q][0] / 4 for q in sorted(before)])
    theirs = stats.permutation_test(
        (differences, np.zeros(12)), lambda a, b, axis: (a - b).mean(axis), permutation_type="samples",
        vectorized=True, n_resamples=np.inf,
    ).pvalue  # fmt: skip
    assert found.p == pytest.approx(theirs, abs=0.015)
    assert sign_flips(np.zeros((5, 1)))[0] == 1.0


def test_all_pairs_agree_with_single_comparisons() -> None:
    generator = np.random.default_rng(4)
    runs = [outcomes(*generator.integers(0, 2, 60)) for _ in range(4)]
    runs[3].pop("q0000")
    found = pair_tests(runs)
    for i, j in combinations(range(4), 2):
        alone = compare_accuracy(runs[i], runs[j])
        assert found[i, j] == PairTest(alone.queries, alone.higher_first, alone.higher_second, alone.p)
    assert found[0, 3].queries == found[0, 1].queries - 1
    repeated = [outcomes(*generator.integers(0, 4, 60), tries=3) for _ in range(3)]
    assert pair_tests(repeated)[0, 2].p == pytest.approx(compare_accuracy(repeated[0], repeated[2]).p, abs=0.02)


def test_holm() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]


def test_the_smallest_differences() -> None:
    assert detectable_paired(327, 0.3) == pytest.approx(0.0846, abs=0.002)
    assert detectable_paired(327, 0.0) is None and detectable_paired(10, 0.1) is None
    assert detectable_unpaired(327, 0.5) == pytest.approx(0.109, abs=0.003)
    assert detectable_unpaired(327, 0.9) == pytest.approx(detectable_unpaired(327, 0.1))
    assert detectable_unpaired(2, 0.5) is None
    assert detectable_paired(1000, 0.3) < detectable_paired(300, 0.3)


@pytest.mark.slow
def test_the_power_is_what_it_says() -> None:
    queries, discordance = 327, 0.3
    difference = detectable_paired(queries, discordance)
    generator = np.random.default_rng(5)
    chances = [(discordance + difference) / 2, (discordance - difference) / 2, 1 - discordance]
    found = 0
    for gained, lost, _ in generator.multinomial(queries, chances, 2000):
        found += mcnemar([False] * gained + [True] * lost, [True] * gained + [False] * lost).p < 0.05
    # The exact test is a little more careful than the approximation behind the figure.
    assert 0.74 <= found / 2000 <= 0.84


def test_pass_at_and_pass_all() -> None:
    for n, c, k in ((5, 2, 3), (4, 4, 2), (6, 0, 1), (3, 1, 3)):
        tries = [True] * c + [False] * (n - c)
        drawn = list(combinations(tries, k))
        assert pass_any(n, c, k) == pytest.approx(sum(map(any, drawn)) / len(drawn))
        assert pass_all(n, c, k) == pytest.approx(sum(map(all, drawn)) / len(drawn))


def test_pass_rates_of_a_run() -> None:
    scores = [score(i, epoch, success=epoch < i % 4) for i in range(40) for epoch in range(3)]
    rates = pass_rates(scores[:-1])
    assert [(rate.k, rate.queries) for rate in rates] == [(1, 40), (2, 40), (3, 39)]
    assert rates[0].any.value == pytest.approx(rates[0].all.value)
    assert rates[1].any.value > rates[0].any.value > rates[1].all.value
    assert rates[1].any.low < rates[1].any.value < rates[1].any.high
    assert pass_rates([score(i) for i in range(5)]) == ()


def test_correlation_against_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(6)
    x = generator.normal(size=40).round(1)
    y = x + generator.normal(size=40)
    found = correlate([*x, None], [*y, 3.0])
    assert found.points == 40
    assert found.pearson.value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert found.spearman.value == pytest.approx(stats.spearmanr(x, y).statistic)
    theirs = stats.bootstrap(
        (x, y), lambda a, b: stats.pearsonr(a, b).statistic, paired=True, vectorized=False, n_resamples=2000,
        method="percentile", rng=7,
    ).confidence_interval  # fmt: skip
    assert (found.pearson.low, found.pearson.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_correlations_that_say_nothing() -> None:
    assert correlate([1, 2, 3], [1, 2, 3]).pearson.value is None
    flat = correlate([1.0] * 6, [1, 2, 3, 4, 5, 6])
    assert (flat.points, flat.pearson.value, flat.spearman.value) == (6, None, None)
    assert correlate([], []).points == 0
