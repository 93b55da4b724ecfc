"""Runs beside each other: how much their failures differ from those in the default setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from planbench_xl.analysis.model import Category
from planbench_xl.analysis.run import RunAnalysis, Slice

DEFAULT = "default"
"""Name of the setting that others are compared with."""


class AnalysedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its analysis.

    Attributes:
        label: What tells it apart from the other runs.
        agent: Name of the agent or model.
        setting: Name of the setting.
        world: Fingerprint of the world.
        analysis: The analysis of the run.
        slices: Its slices.
        distance: Total variation distance of its categories from those of the same agent's run in the default setting;
            None if there is none among the runs, or one of them has no failure.
    """

    label: str
    agent: str
    setting: str
    world: str
    analysis: RunAnalysis
    slices: tuple[Slice, ...]
    distance: float | None = None


def with_distances(runs: Sequence[AnalysedRun]) -> list[AnalysedRun]:
    """Return runs with their distances from the default setting."""
    defaults = {(run.agent, run.world): run.analysis for run in runs if run.setting == DEFAULT}
    found = []
    for run in runs:
        default = defaults.get((run.agent, run.world))
        distance = None if default is None else total_variation(_counts(run.analysis), _counts(default))
        found.append(msgspec.structs.replace(run, distance=distance))
    return found


def _counts(analysis: RunAnalysis) -> dict[Category, int]:
    return {category: share.count for category, share in analysis.categories.items()}


def total_variation(a: Mapping[Category, float], b: Mapping[Category, float]) -> float | None:
    """Return the total variation distance of two distributions over categories: 0 if alike, 1 if disjoint.

    Args:
        a: Counts or shares per category; only their ratios matter.
        b: The other.

    Returns:
        Half the sum of the differences of the shares; None if one distribution is empty.
    """
    total_a, total_b = sum(a.values()), sum(b.values())
    if not total_a or not total_b:
        return None
    return sum(abs(a.get(c, 0) / total_a - b.get(c, 0) / total_b) for c in Category) / 2
