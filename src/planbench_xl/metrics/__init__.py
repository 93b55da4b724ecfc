"""Scores: pure functions of recorded episodes and their world."""

from __future__ import annotations

from planbench_xl.metrics.episode import EpisodeScore, score_episode
from planbench_xl.metrics.figures import METRICS, Figure, figures_of
from planbench_xl.metrics.run import PassRate, RunScore, score_episodes, score_run, summarise

__all__ = [
    "METRICS",
    "EpisodeScore",
    "Figure",
    "PassRate",
    "RunScore",
    "figures_of",
    "score_episode",
    "score_episodes",
    "score_run",
    "summarise",
]
