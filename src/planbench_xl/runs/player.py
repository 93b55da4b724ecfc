"""Plays many episodes, one after the other, and yields them as lines for the store."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from planbench_xl.agents import make_agent
from planbench_xl.environment import Environment, Setting
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.episodes.store import Key, encode_episode
from planbench_xl.protocols import Prompts, ProtocolKind, make_protocol
from planbench_xl.runs.rollout import EventLoop, rollout
from planbench_xl.world import World


class Job(msgspec.Struct, frozen=True):
    """What the players of a run have in common."""

    world: World
    setting: Setting
    agent: str
    agent_seed: int
    protocol: ProtocolKind = "text"
    prompts: Prompts | None = None


class Batch(msgspec.Struct):
    """Some episodes: their lines for the store, and status and number of turns of each."""

    lines: bytes = b""
    outcomes: list[tuple[Status, int]] = []


class Player:
    """Plays the episodes of a job, with its own environment, backend and agent."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.environment = Environment(job.world, job.setting)
        self.agent = make_agent(job.agent, self.environment)
        self.protocol = make_protocol(job.protocol, job.prompts, job.setting)
        self.loop = EventLoop()

    def play(self, key: Key) -> Episode:
        """Play one episode."""
        return rollout(
            self.environment,
            self.agent,
            key[0],
            epoch=key[1],
            agent_seed=self.job.agent_seed,
            protocol=self.protocol,
            loop=self.loop,
        )


def play_here(player: Player, keys: Sequence[Key]) -> Iterator[Batch]:
    """Play episodes in this process, one batch each."""
    for key in keys:
        episode = player.play(key)
        yield Batch(encode_episode(episode), [(episode.status, len(episode.turns))])


@contextmanager
def rare_collections() -> Iterator[None]:
    """Keep the garbage collector from walking over the world again and again: episodes leave it nothing to do.

    It is a third of a run's time otherwise.
    """
    threshold = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        gc.unfreeze()
