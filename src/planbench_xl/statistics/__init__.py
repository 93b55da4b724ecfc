"""Intervals, tests and power: what the figures of a limited number of queries can and can't show.

Needs numpy (`pip install 'planbench-xl[report]'`); everything else of this package works without it.
"""

from __future__ import annotations

from planbench_xl.statistics.bootstrap import LEVEL, RESAMPLES, SEED, with_intervals
from planbench_xl.statistics.correlation import Correlation, correlate
from planbench_xl.statistics.distance import Distance, distances
from planbench_xl.statistics.multiple import holm
from planbench_xl.statistics.paired import (
    AccuracyTest,
    Comparison,
    Difference,
    McNemar,
    PairTest,
    compare_accuracies,
    compare_accuracy,
    compare_scores,
    mcnemar,
    outcomes,
    pair_tests,
    sign_flips,
)
from planbench_xl.statistics.passk import pass_all, pass_any, pass_rates
from planbench_xl.statistics.power import detectable_paired, detectable_unpaired

__all__ = [
    "LEVEL",
    "RESAMPLES",
    "SEED",
    "AccuracyTest",
    "Comparison",
    "Correlation",
    "Difference",
    "Distance",
    "McNemar",
    "PairTest",
    "compare_accuracies",
    "compare_accuracy",
    "compare_scores",
    "correlate",
    "detectable_paired",
    "detectable_unpaired",
    "distances",
    "holm",
    "mcnemar",
    "outcomes",
    "pair_tests",
    "pass_all",
    "pass_any",
    "pass_rates",
    "sign_flips",
    "with_intervals",
]
