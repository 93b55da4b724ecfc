"""Why episodes fail: a pure function of what was recorded and of the world, as the paper defines it."""

from __future__ import annotations

from planbench_xl.analysis.compare import AnalysedRun, total_variation, with_distances
from planbench_xl.analysis.episode import PathSet, analyse_episode, analyse_episodes
from planbench_xl.analysis.model import (
    CallFacts,
    Category,
    Contamination,
    Ending,
    EpisodeAnalysis,
    FollowUp,
    Imitation,
)
from planbench_xl.analysis.run import RunAnalysis, Share, Slice, analyse_run, slices, summarise

__all__ = [
    "AnalysedRun",
    "CallFacts",
    "Category",
    "Contamination",
    "Ending",
    "EpisodeAnalysis",
    "FollowUp",
    "Imitation",
    "PathSet",
    "RunAnalysis",
    "Share",
    "Slice",
    "analyse_episode",
    "analyse_episodes",
    "analyse_run",
    "slices",
    "summarise",
    "total_variation",
    "with_distances",
]
