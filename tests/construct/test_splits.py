from __future__ import annotations

from random import Random

import pytest

from planbench_xl.construct.splits import DEV, TEST, split_records, split_tasks
from planbench_xl.world import Record, Task


def tasks(*lengths: int) -> list[Task]:
    return [Task(f"t{n}", ("a",), ("b",), length, ()) for n, length in enumerate(lengths)]


def records(*groups: int) -> list[Record]:
    """Cases in groups that have their customer in common."""
    owners = [group for group, size in enumerate(groups) for _ in range(size)]
    return [Record(f"r{n}", {"customer": f"c{owner}", "order": f"o{n}"}) for n, owner in enumerate(owners)]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_every_length_is_divided_alike(share: float) -> None:
    found = split_tasks(tasks(*[5] * 50, *[9] * 20), share, Random(1))
    short = [found[f"t{n}"] for n in range(50)]
    long = [found[f"t{n}"] for n in range(50, 70)]
    assert short.count(DEV) == 50 * share
    assert long.count(DEV) == 20 * share


def test_which_tasks_depends_on_the_seed_alone() -> None:
    once, again, other = (split_tasks(tasks(*[5] * 50), 0.2, Random(seed)) for seed in (1, 1, 2))
    assert once == again != other


def test_a_group_stays_together() -> None:
    found = split_records(records(*[7] * 30), 0.2)
    assert {split: len(of) for split, of in found.items()} == {DEV: 42, TEST: 168}
    owners = [{record.values["customer"] for record in of} for of in found.values()]
    assert not owners[0] & owners[1]


def test_share_comes_before_groups() -> None:
    """Where no border within reach separates groups, the share decides."""
    found = split_records(records(100), 0.2)
    assert len(found[DEV]) == 20


@pytest.mark.parametrize(("share", "dev"), [(0.0, 0), (1.0, 10), (0.01, 1), (0.99, 9)])
def test_extremes(share: float, dev: int) -> None:
    found = split_records(records(*[1] * 10), share)
    assert (len(found[DEV]), len(found[TEST])) == (dev, 10 - dev)
