from __future__ import annotations

import pytest

from planbench_xl.errors import UsageError
from planbench_xl.runs.engines import parts, spread
from planbench_xl.runs.plans import make_plans


def double(number: int) -> int:
    if number < 0:
        raise UsageError(f"{number} is negative")
    return 2 * number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(workers: int) -> None:
    assert list(spread(double, range(9), workers=workers)) == [2 * n for n in range(9)]
    assert list(spread(double, [], workers=workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_come_through(workers: int) -> None:
    with pytest.raises(UsageError, match="-1 is negative"):
        list(spread(double, [1, -1, 2], workers=workers))


def test_unknown_engine() -> None:
    with pytest.raises(UsageError, match="no engine 'dask'"):
        spread(double, [1], engine="dask")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "workers", "sizes"), [(0, 2, []), (5, 2, [1] * 5), (40, 2, [5] * 8), (1000, 1, [16])]
)
def test_parts(count: int, workers: int, sizes: list[int]) -> None:
    found = parts(range(count), workers)
    assert [n for part in found for n in part] == list(range(count))
    assert [len(part) for part in found][: len(sizes)] == sizes


def test_plans_do_not_depend_on_the_number_of_workers() -> None:
    assert make_plans("mini", "one-path") == make_plans("mini", "one-path", workers=2)


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"planbench-xl\[ray\]"):
        list(spread(double, [1], engine="ray"))
