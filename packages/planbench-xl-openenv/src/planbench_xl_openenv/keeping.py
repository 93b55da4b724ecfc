"""Keeps the episodes of a server in a run folder, which `planbench-xl score` and all its other commands read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Lock
from types import TracebackType

import msgspec

from planbench_xl.episodes.record import Episode
from planbench_xl.episodes.store import EpisodeWriter
from planbench_xl.protocols import TEXT_PROTOCOL
from planbench_xl.runs.manifest import write_manifest
from planbench_xl.runs.run import begin, new_manifest
from planbench_xl_openenv.environment import Game


class RunKeeper:
    """Stores each episode as it ends: the n-th of a query is its n-th epoch. Use as a context manager.

    Args:
        folder: The run folder; one that holds a run of the same game is continued.
        game: What is played.
        source: Where the world came from.
        agent: What the run calls the agent.

    Raises:
        StoreError: The folder can't be written, or holds a run that differs.
    """

    def __init__(self, folder: Path, game: Game, source: str, agent: str) -> None:
        manifest = new_manifest(
            game.world,
            source,
            agent=agent,
            agent_seed=0,
            setting=game.setting,
            protocol=TEXT_PROTOCOL,
            queries=game.queries,
            epochs=1,
        )
        self._lock = Lock()
        self._writer = EpisodeWriter(folder)
        try:
            self._manifest, stored = begin(self._writer, manifest, tuple(game.world.query), False)
        except BaseException:
            self._writer.close()
            raise
        self._played = Counter(query_id for query_id, _ in stored)

    def keep(self, episode: Episode) -> None:
        """Store an episode. Sessions may call it at the same time."""
        with self._lock:
            epoch = self._played[episode.query_id]
            self._played[episode.query_id] += 1
            if epoch >= self._manifest.epochs:
                self._manifest = msgspec.structs.replace(self._manifest, epochs=epoch + 1)
                write_manifest(self._writer.folder, self._manifest)
            self._writer.write([msgspec.structs.replace(episode, epoch=epoch)])

    def __enter__(self) -> RunKeeper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
