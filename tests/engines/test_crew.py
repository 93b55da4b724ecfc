from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from planbench_xl.engines import crew, parts, spread
from planbench_xl.errors import PlanBenchError, UsageError
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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crew_stays_for_several_rounds(workers: int) -> None:
    with crew(workers) as gathered:
        assert gathered.workers == workers
        for start in range(3):
            items = range(start, start + 4)
            assert list(gathered.spread(double, items)) == [2 * n for n in items]


def test_workers_begin_before_the_first_result_is_taken(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with crew(2) as gathered:
        results = gathered.spread(Path.touch, [made])
        end = time.monotonic() + 30
        while not made.exists() and time.monotonic() < end:
            time.sleep(0.01)
        assert made.exists()
        assert list(results) == [None]


def die_once(path: str) -> str:
    """Die the first time."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return path


def die(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_killed_worker_was_at_is_done_again(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    with crew(2) as gathered:
        assert list(gathered.spread(die_once, paths)) == paths
        assert list(gathered.spread(double, range(3))) == [0, 2, 4]


def test_work_that_ends_every_worker_is_given_up() -> None:
    with pytest.raises(PlanBenchError, match="Use fewer workers"):
        list(spread(die, [1], workers=2))


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
