"""Reads logs of Inspect AI as runs: every sample that played an episode holds its record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_samples

from planbench_xl.episodes.record import EPISODE_VERSION, Episode, Status
from planbench_xl.errors import PlanBenchError, StoreError
from planbench_xl.harness.play import EPISODE
from planbench_xl.harness.scoring import WORLD
from planbench_xl.runs.loading import LoadedRun
from planbench_xl.world import World, load_world


def read_inspect_log(path: str | Path, world: World | None = None) -> LoadedRun:
    """Read a log as a run.

    Args:
        path: A file of Inspect's, `.eval` or `.json`.
        world: The world that it was played on; by default the one that the log names.

    Raises:
        StoreError: The file can't be read, or holds no episodes.
    """
    try:
        header = read_eval_log(str(path), header_only=True)
        found = [_episode(sample.store, str(path)) for sample in _samples(header, str(path))]
    except PlanBenchError:
        raise
    except Exception as error:
        raise StoreError(f"{path} can't be read as a log of Inspect AI ({type(error).__name__}: {error}).") from error
    episodes = _once(episode for episode in found if episode is not None)
    metadata = header.eval.metadata or {}
    source = metadata.get(WORLD)
    if source is None:
        raise StoreError(f"{path} is no log of this benchmark: its task says nothing of a world.")
    return LoadedRun(
        label=Path(path).stem,
        agent=header.eval.model,
        setting=str(metadata.get("setting", "")),
        protocol=str(metadata.get("protocol", "")),
        world=world or load_world(str(source)),
        episodes=tuple(sorted(episodes, key=lambda episode: episode.key)),
        expected=(header.eval.dataset.samples or 0) * (header.eval.config.epochs or 1),
    )


def _samples(header: EvalLog, path: str) -> Any:
    return read_eval_log_samples(path, all_samples_required=False, exclude_fields={"events", "messages"})


def _episode(store: dict[str, Any], path: str) -> Episode | None:
    found = store.get(EPISODE)
    if found is None:
        return None
    if found.get("version", EPISODE_VERSION) > EPISODE_VERSION:
        raise StoreError(f"{path}: holds episodes of a newer version. Read it with a later planbench-xl.")
    try:
        return msgspec.convert(found, Episode)
    except msgspec.ValidationError as error:
        raise StoreError(f"{path}: a sample holds no episode ({error}).") from error


def _once(episodes: Any) -> list[Episode]:
    """Keep one episode of each key: one that was repeated after an error is there twice."""
    kept: dict[tuple[str, int], Episode] = {}
    for episode in episodes:
        if episode.key not in kept or kept[episode.key].status is Status.ERROR:
            kept[episode.key] = episode
    return list(kept.values())
