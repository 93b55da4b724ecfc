"""Plays episodes on a Ray cluster (extra `ray`). What a worker was at when it was killed is done again by another."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from planbench_xl.engines import parts
from planbench_xl.engines.ray_cluster import AHEAD, cluster, got
from planbench_xl.episodes.store import Key, encode_episode
from planbench_xl.runs.player import Batch, Job, Player, rare_collections


def play_over_ray(job: Job, keys: Sequence[Key], workers: int) -> Iterator[Batch]:
    """Play episodes on a cluster. Batches come in the order in which they end.

    Args:
        job: What the episodes have in common; sent to the cluster once.
        keys: The episodes.
        workers: Number of workers, a core each.

    Raises:
        UsageError: The extra is missing, or the cluster can't be reached.
        PlanBenchError: A worker met a fault of the world.
    """
    chunks = deque(parts(keys, workers))
    with cluster() as ray:
        # A worker that dies is started again, wherever there is room, and given what it had at hand.
        worker = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(Worker)
        shared = ray.put(job)
        actors = [worker.remote(shared) for _ in range(min(workers, len(chunks)))]
        running: dict[Any, Any] = {}
        for actor in actors * AHEAD:
            if chunks:
                running[actor.play.remote(chunks.popleft())] = actor
        while running:
            done, _ = ray.wait(list(running))
            for part in done:
                actor = running.pop(part)
                if chunks:
                    running[actor.play.remote(chunks.popleft())] = actor
                yield got(ray, part)


class Worker:
    """Plays chunks of episodes in a process of the cluster."""

    def __init__(self, job: Job) -> None:
        self._player = Player(job)

    def play(self, keys: Sequence[Key]) -> Batch:
        """Play some episodes."""
        with rare_collections():
            episodes = [self._player.play(key) for key in keys]
        return Batch(
            b"".join(map(encode_episode, episodes)), [(episode.status, len(episode.turns)) for episode in episodes]
        )
