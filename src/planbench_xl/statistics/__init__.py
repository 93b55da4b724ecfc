"""Intervals, tests and power: what the figures of a limited number of queries can and can't show.

Needs numpy (`pip install 'planbench-xl[report]'`); everything else of this package works without it.
"""

from __future__ import annotations

from planbench_xl.statistics.bootstrap import LEVEL, RESAMPLES, SEED, with_intervals
from planbench_xl.statistics.correlation import Correlation, correlate
from planbench_xl.statistics.multiple import holm
from planbench_xl.statistics.paired import (
    AccuracyTest,
    Comparison,
    Difference,
    McNemar,
    compare_accuracy,
    compare_scores,
    mcnemar,
    outcomes,
    p_values,
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
    "McNemar",
    "compare_accuracy",
    "compare_scores",
    "correlate",
    "detectable_paired",
    "detectable_unpaired",
    "holm",
    "mcnemar",
    "outcomes",
    "p_values",
    "pass_all",
    "pass_any",
    "pass_rates",
    "sign_flips",
    "with_intervals",
]
