"""The distance between what the episodes of two runs fall into."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")
from planbench_xl.statistics import Distance, distances  # noqa: E402

Counts = dict[str, tuple[int, ...]]


def classes(*values: int | None, of: int = 3) -> dict[str, tuple[int, ...]]:
    """One episode per query, by the number of its class; None for an episode in no class."""
    return {f"q{number:04}": tuple(int(value == place) for place in range(of)) for number, value in enumerate(values)}


def distance(first: Counts, second: Counts, resamples: int = 10_000) -> Distance:
    (found,) = distances(first, [second], resamples=resamples)
    return found


def test_several_at_once_are_each_as_alone() -> None:
    runs = [classes(0, 1, 2, 0, 1), classes(1, 1, 1, 0, 0), classes(2, 2, 1), classes(2, None, 1, 1, 1), {}]
    assert distances(runs[0], runs[1:]) == [distance(runs[0], run) for run in runs[1:]]


def test_its_value_by_hand() -> None:
    found = distance(classes(0, 0, 0, 1, None), classes(0, 1, 1, 2, 2))
    assert found.distance.value == pytest.approx((abs(0.75 - 0.2) + abs(0.25 - 0.4) + 0.4) / 2)
    assert found.counts == (4, 5)


def test_runs_that_are_the_same_have_none() -> None:
    run = classes(*[0, 1, 2, None] * 20)
    found = distance(run, run)
    assert (found.distance.value, found.distance.low, found.p, found.by_chance) == (0, 0, 1, 0)


def test_runs_with_nothing_in_common() -> None:
    found = distance(classes(*[0] * 40), classes(*[1] * 40))
    assert found.distance.value == found.distance.low == found.distance.high == 1
    assert found.p is not None and found.p < 0.001
    assert found.by_chance is not None and 0 < found.by_chance < 0.3


def test_only_common_queries_count_and_nothing_comes_of_nothing() -> None:
    first, second = classes(0, 0, 0), classes(0, 0, 0, 1, 1)
    assert distance(first, second).distance.value == 0 and distance(first, second).counts == (3, 3)
    for other in ({}, classes(None, None, None)):
        found = distance(first, other)
        assert found.distance.value is None and found.p is None and found.by_chance is None
    assert distance(classes(0), classes(1)).distance.low is None


def test_the_interval_holds_the_value_and_begins_at_0_without_a_difference() -> None:
    generator = np.random.default_rng(3)
    for shift in (0.0, 0.1, 0.5):
        first = generator.choice(3, size=80, p=[0.5, 0.3, 0.2]).tolist()
        second = generator.choice(3, size=80, p=[0.5 - shift, 0.3, 0.2 + shift]).tolist()
        found = distance(classes(*first), classes(*second))
        figure = found.distance
        assert figure.low is not None and figure.high is not None and figure.value is not None and found.p is not None
        assert 0 <= figure.low <= figure.value <= figure.high <= 1
        assert (figure.low > 0) == (found.p < 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("size", [40, 300])
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_coverage_of_the_simulated_truth(shift: float, size: int) -> None:
    """The interval holds the true distance in some 90 of 100 cases at least, and the test errs in 5 of 100."""
    generator = np.random.default_rng(7)
    held = shown = 0
    for _ in range(300):
        first = generator.choice(4, size=size, p=[0.2, 0.5, 0.2, 0.1]).tolist()
        second = generator.choice(4, size=size, p=[0.2 + shift, 0.5 - shift, 0.2, 0.1]).tolist()
        found = distance(classes(*first, of=4), classes(*second, of=4), resamples=500)
        assert found.distance.low is not None and found.distance.high is not None and found.p is not None
        held += found.distance.low <= shift <= found.distance.high
        shown += found.p < 0.05
    assert held >= 0.86 * 300, held
    if shift == 0:
        assert shown <= 0.09 * 300
    if shift == 0.3:
        assert shown >= 0.7 * 300
