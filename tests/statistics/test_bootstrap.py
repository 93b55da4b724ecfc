"""Intervals: against a statistics library, and against simulated truth."""

from __future__ import annotations

from typing import Any

import pytest

from planbench_xl.episodes.record import Status
from planbench_xl.metrics import EpisodeScore

np = pytest.importorskip("numpy")
from planbench_xl.statistics.bootstrap import (  # noqa: E402
    figures_of_sums,
    figures_with_intervals,
    interval,
    resampled,
    wilson,
)


def score(query: int, epoch: int = 0, *, success: bool = False, **changes: Any) -> EpisodeScore:
    fields: dict[str, Any] = {
        "query_id": f"q{query:04}",
        "epoch": epoch,
        "status": Status.SUCCESS if success else Status.FAILURE,
        "reason": None,
        "cause": None,
        "unresolved": False,
        "answer_correct": success,
        "grounded": success,
        "success": success,
        "agrees": None,
        "turns": 10,
        "search_turns": 5,
        "call_turns": 4,
        "invalid_calls": 0,
        "untrusted_rejections": 0,
        "distractor_calls": 0,
        "by_input_searches": 3,
        "by_output_searches": 2,
        "explored": (),
        "executed": (),
        "ground_truth": (),
        "executed_ground_truth": (),
        "progress_calls": 2,
        "executed_calls": 4,
    }
    return EpisodeScore(**{**fields, **changes})


def column(values) -> Any:
    return np.array(values, dtype=np.float64).reshape(-1, 1)


def test_a_mean_against_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(1).gamma(2, 5, 200)
    found = figures_of_sums(column(values), np.ones((200, 1)), [False], ["x"])["x"]
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=2).confidence_interval
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.05 * (theirs.high - theirs.low))


def test_a_ratio_against_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(3)
    below = generator.integers(1, 20, 150).astype(float)
    above = generator.binomial(below.astype(int), 0.3).astype(float)
    found = figures_of_sums(column(above), column(below), [True], ["x"])["x"]
    theirs = stats.bootstrap(
        (above, below), lambda a, b, axis: a.sum(axis) / b.sum(axis), paired=True, vectorized=True,
        n_resamples=20_000, method="percentile", rng=4,
    ).confidence_interval  # fmt: skip
    assert found.value == pytest.approx(above.sum() / below.sum()) and found.method == "bootstrap"
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.05 * (theirs.high - theirs.low))


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (1, 327), (200, 327)])
def test_wilson_against_scipy(successes: int, trials: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    theirs = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert wilson(successes / trials, trials) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_few_queries_off_the_edge_get_wilsons_interval() -> None:
    for successes, method in ((0, "wilson"), (4, "wilson"), (5, "bootstrap"), (95, "bootstrap"), (96, "wilson")):
        scores = [score(i, success=i < successes) for i in range(100)]
        figure = figures_with_intervals(scores)["accuracy"]
        assert figure.method == method and figure.low < figure.high, successes
        if method == "wilson":
            assert (figure.low, figure.high) == wilson(successes / 100, 100)


def test_what_shows_nothing_has_no_interval() -> None:
    alone = figures_with_intervals([score(0, success=True)])
    assert alone["accuracy"].value == 1 and alone["accuracy"].low is None
    same = figures_with_intervals([score(i) for i in range(20)])
    assert same["turns"].value == 10 and same["turns"].low is None and same["turns"].method is None
    assert same["egt_precision"].value is None
    assert figures_with_intervals([])["accuracy"].value is None


def test_repetitions_of_a_query_stay_together() -> None:
    outcomes = [i % 2 == 0 for i in range(60)]
    once = figures_with_intervals([score(i, success=outcome) for i, outcome in enumerate(outcomes)])["accuracy"]
    copies = [score(i, epoch, success=outcome) for i, outcome in enumerate(outcomes) for epoch in range(10)]
    assert figures_with_intervals(copies)["accuracy"] == once


def test_the_order_of_episodes_does_not_matter_and_results_repeat() -> None:
    generator = np.random.default_rng(5)
    scores = [score(i, success=bool(generator.integers(2)), turns=int(generator.integers(5, 30))) for i in range(80)]
    assert figures_with_intervals(scores) == figures_with_intervals(scores[::-1])


def test_resamples_without_a_denominator_are_left_out() -> None:
    below = column([1] + [0] * 9)
    assert np.isnan(resampled(below, below)).any()
    # One query with a denominator says nothing of others.
    assert interval(below[:, 0], below[:, 0], resampled(below, below)[:, 0], fraction=True).low is None


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.01, 0.05, 0.5, 0.9])
def test_coverage_of_an_accuracy(truth: float) -> None:
    generator = np.random.default_rng(6)
    hits = 0
    for _ in range(1000):
        outcomes = generator.random(327) < truth
        found = figures_of_sums(column(outcomes), np.ones((327, 1)), [True], ["x"], 2000)["x"]
        hits += found.low <= truth <= found.high
    # Near 0, Wilson's interval is on the careful side.
    assert 0.93 <= hits / 1000 <= (0.999 if truth < 0.05 else 0.985), hits


@pytest.mark.slow
def test_coverage_of_a_rate_that_differs_between_queries() -> None:
    generator = np.random.default_rng(7)
    hits = 0
    for _ in range(1000):
        calls = generator.integers(2, 20, 200)
        rates = generator.beta(1, 9, 200)
        above = generator.binomial(calls, rates)
        found = figures_of_sums(column(above), column(calls), [True], ["x"], 2000)["x"]
        hits += found.low <= 0.1 <= found.high
    assert 0.925 <= hits / 1000 <= 0.975, hits
