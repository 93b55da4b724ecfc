"""The smallest difference in accuracy that a number of queries can show, by the usual normal approximations.

For a test at 5 % that is to find a real difference in 80 % of the cases.
"""

from __future__ import annotations

from statistics import NormalDist

ALPHA = 0.05
POWER = 0.80

_TEST = NormalDist().inv_cdf(1 - ALPHA / 2)
_FIND = NormalDist().inv_cdf(POWER)


def detectable_paired(queries: int, discordance: float) -> float | None:
    """Return the smallest difference in accuracy that McNemar's test shows between two runs on the same queries.

    Args:
        queries: Number of queries.
        discordance: Share of the queries with different outcomes, 0 to 1.

    Returns:
        A difference from 0 to `discordance`; None if even that couldn't be shown.

    Source: Connor 1987 (Biometrics 43), solved for the difference d:
        √n · d = z_α · √p + z_β · √(p − d²), with p the discordance.
    """
    if queries < 1 or discordance <= 0:
        return None
    # With x = d: n·x² − 2·√n·a·x + a² = z_β²·(p − x²), where a = z_α·√p.
    reach = _TEST * discordance**0.5
    square = queries + _FIND**2
    inside = queries * reach**2 - square * (reach**2 - _FIND**2 * discordance)
    difference = (queries**0.5 * reach + max(inside, 0.0) ** 0.5) / square
    return difference if difference <= discordance else None


def detectable_unpaired(queries: int, accuracy: float) -> float | None:
    """Return the smallest gain over an accuracy that two runs on different queries, equally many, can show.

    Args:
        queries: Number of queries of each run.
        accuracy: Accuracy of one run, 0 to 1; the gain is counted towards one half, where it is hardest to show.

    Returns:
        A difference; None if no difference could be shown.
    """
    if queries < 1:
        return None
    base = min(accuracy, 1 - accuracy)
    low, high = 0.0, 1 - base
    if not _shown(queries, base, high):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _shown(queries, base, middle) else (middle, high)
    return high


def _shown(queries: int, base: float, gain: float) -> bool:
    """Say whether a gain over an accuracy is found with the power wanted."""
    other = base + gain
    mean = (base + other) / 2
    needed: float = _TEST * (2 * mean * (1 - mean)) ** 0.5 + _FIND * (base * (1 - base) + other * (1 - other)) ** 0.5
    found: float = queries**0.5 * gain
    return found >= needed
