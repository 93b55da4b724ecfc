"""Divides a world into `dev` and `test`: no task and no record is used in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from planbench_xl.world import Record, Task

DEV = "dev"
TEST = "test"

REACH = 0.05
"""How far from its share, as a part of all records, the border between the splits may lie."""


def split_tasks(tasks: Sequence[Task], share: float, rng: Random) -> dict[str, str]:
    """Return the split of each task: `dev` gets its share of every L*, drawn at random."""
    order = sorted(tasks, key=lambda task: (task.shortest_length, rng.random()))
    return {
        task.task_id: DEV if int((place + 1) * share) > int(place * share) else TEST for place, task in enumerate(order)
    }


def split_records(records: Sequence[Record], share: float) -> Mapping[str, tuple[Record, ...]]:
    """Return the records of each split: `dev` gets the first ones.

    Cases that belong together (the orders of one customer) follow each other. So near the place that the share asks
    for, the border is where two neighbours have least in common.
    """
    if not 0 < share < 1:
        return {DEV: tuple(records) if share else (), TEST: () if share else tuple(records)}
    wanted = min(max(1, round(len(records) * share)), len(records) - 1)
    reach = int(len(records) * REACH)
    places = range(max(1, wanted - reach), min(len(records) - 1, wanted + reach) + 1)
    border = min(places, key=lambda place: (_common(records[place - 1], records[place]), abs(place - wanted)))
    return {DEV: tuple(records[:border]), TEST: tuple(records[border:])}


def _common(a: Record, b: Record) -> int:
    return sum(b.values.get(name) == value for name, value in a.values.items())
