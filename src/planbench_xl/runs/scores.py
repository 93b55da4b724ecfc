"""Scores runs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from planbench_xl.episodes.store import read_episodes
from planbench_xl.errors import StoreError
from planbench_xl.metrics import EpisodeScore, RunScore, score_episodes, summarise
from planbench_xl.runs.loading import LoadedRun
from planbench_xl.runs.manifest import MANIFEST, read_manifest
from planbench_xl.world import World, load_world


def score_folder(
    folder: str | Path,
    world: World | None = None,
    judge: str | None = None,
    *,
    exact_paths: bool = False,
    intervals: bool = False,
) -> RunScore:
    """Score a run folder.

    Args:
        folder: The run folder.
        world: The world it was played on; loaded from where the run found it if not given.
        judge: Name of the judge that judges all answers anew; None for the one used during the run.
        exact_paths: Add the figures on all paths of the tasks, listed or not.
        intervals: Add 95 % intervals, if numpy (extra `report`) is installed.

    Raises:
        StoreError: It is no run folder, or can't be read.
        UsageError: The world isn't the one it was played on.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise StoreError(f"{folder} holds no run: {MANIFEST} is missing. Give the folder of a run.")
    world = world or load_world(manifest.world_source)
    expected = len(manifest.queries) * manifest.epochs
    episodes = read_episodes(folder)
    scores = score_episodes(world, episodes, judge, exact_paths=exact_paths)
    score = summarise(world, episodes, scores, judge, expected=expected)
    return add_intervals(score, scores) if intervals else score


def add_intervals(score: RunScore, scores: Sequence[EpisodeScore]) -> RunScore:
    """Return a score with 95 % intervals; as it is if numpy (extra `report`) isn't installed."""
    if find_spec("numpy") is None:
        return score
    from planbench_xl.statistics import with_intervals

    return with_intervals(score, scores)


def score_loaded(
    run: LoadedRun, judge: str | None = None, *, exact_paths: bool = False
) -> tuple[RunScore, list[EpisodeScore]]:
    """Score a run of any kind.

    Args:
        run: The run.
        judge: Name of the judge that judges all answers anew; None for the one used during the run.
        exact_paths: Add the figures on all paths of the tasks, listed or not.

    Returns:
        The score of the run, without intervals, and the scores of its episodes.

    Raises:
        UsageError: The world isn't the one it was played on.
    """
    scores = score_episodes(run.world, run.episodes, judge, exact_paths=exact_paths)
    return summarise(run.world, run.episodes, scores, judge, expected=run.expected), scores
