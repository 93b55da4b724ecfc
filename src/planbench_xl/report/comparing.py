"""Runs of a report compared with each other: outcomes per query, pairs within a setting, settings within a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from planbench_xl.episodes.record import Status
from planbench_xl.report.data import ReportData, ReportRun

if TYPE_CHECKING:
    from planbench_xl.statistics import PairTest

DEFAULT = "default"
"""The preset that others are compared with."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of the same setting.

    Attributes:
        first: Label of the one with the higher accuracy.
        second: Label of the other.
        test: Their test, on the queries that both have scored.
        corrected: Its p-value, corrected by Holm's method for all pairs of the setting.
    """

    first: str
    second: str
    test: PairTest
    corrected: float


def outcomes_of(run: ReportRun) -> dict[str, tuple[int, int]]:
    """Return successes and scored episodes of each query; those without a scored episode are left out."""
    found: dict[str, tuple[int, int]] = {}
    for row in run.episodes:
        if row.status is not Status.ERROR:
            successes, episodes = found.get(row.query_id, (0, 0))
            found[row.query_id] = (successes + row.success, episodes + 1)
    return found


def ranked(runs: Sequence[ReportRun]) -> list[ReportRun]:
    """Return runs with the most accurate first; equal ones keep their order."""
    return sorted(runs, key=lambda run: -(run.score.metrics["accuracy"].value or 0.0))


def pairs_of(runs: Sequence[ReportRun]) -> tuple[Pair, ...]:
    """Return every pair of some runs, tested on the queries that both have scored, and corrected together."""
    from planbench_xl.statistics import holm, pair_tests

    order = ranked(runs)
    found = pair_tests([outcomes_of(run) for run in order])
    corrected = holm([test.p for test in found.values()])
    return tuple(
        Pair(first=order[i].label, second=order[j].label, test=test, corrected=one)
        for ((i, j), test), one in zip(found.items(), corrected, strict=True)
    )


def against_default(report: ReportData) -> Iterator[tuple[ReportRun, list[ReportRun]]]:
    """Yield each model's run in the default setting, if it has one, and its other runs on the same world."""
    for model in report.models:
        base = report.find(model, DEFAULT)
        if base is not None:
            same = [run for run in report.runs if run.model == model and run.fingerprint == base.fingerprint]
            yield base, [run for run in same if run is not base]


def groups(report: ReportData) -> dict[str, list[ReportRun]]:
    """Return the runs that can be ranked with each other: those on the same world with the same setting.

    A group's name is its setting; with several worlds, the world's name and fingerprint too.
    """
    several = len({run.fingerprint for run in report.runs}) > 1
    found: dict[str, list[ReportRun]] = {}
    for run in report.runs:
        name = f"{run.setting}, {run.world} {run.fingerprint[:8]}" if several else run.setting
        found.setdefault(name, []).append(run)
    return found
