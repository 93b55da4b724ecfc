"""pass@k and pass^k: what repeated tries of a query show."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from planbench_xl.metrics import EpisodeScore, Figure, PassRate
from planbench_xl.statistics.bootstrap import RESAMPLES, figures_of_sums


def pass_any(tries: int, successes: int, k: int) -> float:
    """Return the chance that at least one of k tries succeeds, without bias, from n ≥ k tries (Chen et al. 2021)."""
    return 1 - comb(tries - successes, k) / comb(tries, k)


def pass_all(tries: int, successes: int, k: int) -> float:
    """Return the chance that all of k tries succeed, without bias, from n ≥ k tries (Yao et al. 2024)."""
    return comb(successes, k) / comb(tries, k)


def pass_rates(scores: Sequence[EpisodeScore], *, resamples: int = RESAMPLES) -> tuple[PassRate, ...]:
    """Return pass@k and pass^k for every k up to the number of repetitions; nothing if there are none.

    Each k rests on the queries that were scored at least k times.
    """
    tries: dict[str, list[bool]] = {}
    for score in scores:
        tries.setdefault(score.query_id, []).append(score.success)
    counts = [(len(outcomes), sum(outcomes)) for _, outcomes in sorted(tries.items())]
    most = max((n for n, _ in counts), default=0)
    return tuple(_rate(counts, k, resamples) for k in range(1, most + 1)) if most > 1 else ()


def _rate(counts: Sequence[tuple[int, int]], k: int, resamples: int) -> PassRate:
    enough = [(n, successes) for n, successes in counts if n >= k]
    above = np.array([[pass_any(n, c, k), pass_all(n, c, k)] for n, c in enough], dtype=np.float64)
    found: dict[str, Figure] = figures_of_sums(above, np.ones_like(above), [True, True], ["any", "all"], resamples)
    return PassRate(k=k, any=found["any"], all=found["all"], queries=len(enough))
