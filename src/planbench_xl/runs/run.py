"""Runs an agent on a world in a setting: plays what is missing in a run folder, and stores each episode as it ends."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from planbench_xl import __version__
from planbench_xl.engines import EngineName
from planbench_xl.environment import Setting
from planbench_xl.episodes.record import Status
from planbench_xl.episodes.store import EpisodeWriter, Head, Key, read_heads
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.protocols import ProtocolKind, load_prompts
from planbench_xl.runs.manifest import MANIFEST, Manifest, extended, read_manifest, write_manifest
from planbench_xl.runs.player import Batch, Job, Player, play_here, rare_collections
from planbench_xl.runs.presets import check_setting
from planbench_xl.world import World, load_world, packaged_worlds


class Progress(msgspec.Struct):
    """How far a run is.

    Attributes:
        total: Number of episodes asked for.
        present: How many of them were there at the start.
        statuses: Number of episodes by status, those included.
        played: Number of episodes played now.
        turns: Number of turns played now.
        seconds: Time since the first episode started.
    """

    total: int
    present: int = 0
    statuses: dict[Status, int] = {}
    played: int = 0
    turns: int = 0
    seconds: float = 0.0

    @property
    def done(self) -> int:
        """Number of episodes in the store, of those asked for."""
        return self.present + self.played

    @property
    def accuracy(self) -> float | None:
        """Share of successes among the episodes without an infrastructure error; None before the first."""
        right, wrong = self.statuses.get(Status.SUCCESS, 0), self.statuses.get(Status.FAILURE, 0)
        return right / (right + wrong) if right + wrong else None

    @property
    def errors(self) -> int:
        """Number of episodes that the infrastructure ended."""
        return self.statuses.get(Status.ERROR, 0)

    def add(self, batch: Batch, seconds: float) -> None:
        """Count the episodes of a batch."""
        for status, turns in batch.outcomes:
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.turns += turns
        self.played += len(batch.outcomes)
        self.seconds = seconds


ProgressCallback = Callable[[Progress], None]


class RunResult(msgspec.Struct, frozen=True):
    """A run that has ended: its folder, what it is, the world it was played on, and the counts."""

    folder: Path
    manifest: Manifest
    world: World
    progress: Progress


def run(
    world: World | str | Path,
    out: str | Path,
    *,
    agent: str = "explorer",
    setting: Setting | None = None,
    queries: Iterable[str] | None = None,
    epochs: int = 1,
    agent_seed: int = 0,
    workers: int = 1,
    engine: EngineName = "local",
    protocol: ProtocolKind = "text",
    prompts: str | Path | None = None,
    retry_errors: bool = False,
    source: str | None = None,
    progress: ProgressCallback | None = None,
) -> RunResult:
    """Play every episode that is asked for and not yet in the run folder.

    Args:
        world: A world, or a packaged world's name or folder.
        out: The run folder. One that holds a run is continued, and may be extended by queries and epochs.
        agent: Name of the agent.
        setting: The setting; `default` if none is given.
        queries: Identifiers of the queries; all of the world's if none are given.
        epochs: Number of repetitions of each query.
        agent_seed: Seed from which each episode's agent seed follows.
        workers: Number of processes.
        engine: Where they are: on this machine, or on a Ray cluster.
        protocol: How the observations are worded that a model would read; a scripted agent doesn't mind.
        prompts: Folder of prompt templates that replace the packaged ones of this protocol.
        retry_errors: First remove the episodes that ended with an infrastructure error, to play them again.
        source: Where the world came from, if it is given as such: the name of a packaged one, or a folder.
        progress: Called at the start and whenever episodes have been stored.

    Raises:
        StoreError: The folder can't be written, or holds a run that differs; nothing of it is changed.
        AgentError: There is no such agent.
        UsageError: A query is unknown or a number makes no sense.
    """
    if not isinstance(world, World):
        source = source or str(world)
        world = load_world(world)
    setting = setting or Setting()
    check_setting(setting)
    for name, number in (("epochs", epochs), ("workers", workers)):
        if number < 1:
            raise UsageError(f"The number of {name} is {number}; it must be at least 1.")
    pack = load_prompts(Path(prompts), protocol) if prompts is not None else None
    # Making the player first finds an unknown agent before anything is written.
    player = Player(Job(world, setting, agent, agent_seed, protocol, pack))
    manifest = new_manifest(
        world,
        source,
        agent=agent,
        agent_seed=agent_seed,
        setting=setting,
        protocol=player.protocol.name,
        prompts=str(Path(prompts).resolve()) if prompts is not None else "",
        queries=known_queries(world, queries),
        epochs=epochs,
    )
    with EpisodeWriter(out) as writer:
        whole, stored = begin(writer, manifest, tuple(world.query), retry_errors)
        state = _play(writer, player, manifest.keys, stored, (engine, workers), progress or _ignore)
    return RunResult(writer.folder, whole, world, state)


def new_manifest(world: World, source: str | None, **fields: Any) -> Manifest:
    """Return the manifest of a run that is started now.

    Args:
        world: The world.
        source: Where it came from, if it is given as such.
        fields: The fields that world and package don't tell.
    """
    return Manifest(
        world=world.name,
        world_version=world.version,
        world_source=source_of(world, source),
        world_fingerprint=world.fingerprint,
        package=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        **fields,
    )


def _play(
    writer: EpisodeWriter,
    player: Player,
    keys: Sequence[Key],
    stored: Mapping[Key, Head],
    where: tuple[EngineName, int],
    progress: ProgressCallback,
) -> Progress:
    """Play and store what is missing of some episodes."""
    missing = [key for key in keys if key not in stored]
    present = [stored[key].status for key in keys if key in stored]
    state = Progress(len(keys), len(present), dict(Counter(present)))
    progress(state)
    started = time.perf_counter()
    with rare_collections(), closing(_batches(player, missing, *where)) as batches:
        for batch in batches:
            writer.write_lines(batch.lines)
            state.add(batch, time.perf_counter() - started)
            progress(state)
    return state


def _ignore(state: Progress) -> None:
    """Show nothing."""


def source_of(world: World, source: str | None) -> str:
    """Return where to load a world from again: a packaged name, or a folder that doesn't depend on where one is."""
    if source is None or source in packaged_worlds():
        return source or world.name
    return str(Path(source).resolve())


def _batches(player: Player, keys: Sequence[Key], engine: EngineName, workers: int) -> Generator[Batch, None, None]:
    if engine == "ray" and keys:
        from planbench_xl.runs.ray_engine import play_over_ray

        yield from play_over_ray(player.job, keys, workers)
    elif min(workers, len(keys)) > 1:
        # Imported on use: it takes longer than a short run.
        from planbench_xl.runs.workers import play_parallel

        yield from play_parallel(player, keys, workers)
    else:
        yield from play_here(player, keys)


def begin(
    writer: EpisodeWriter, manifest: Manifest, order: tuple[str, ...], retry_errors: bool
) -> tuple[Manifest, dict[Key, Head]]:
    """Write the manifest of a new run, or check and extend that of the run in the folder.

    Returns:
        The manifest of the whole folder, and what is stored.
    """
    old = read_manifest(writer.folder)
    heads = read_heads(writer.folder)
    if old is None and heads:
        raise StoreError(f"{writer.folder} has episodes but no {MANIFEST}. Restore it, or choose another folder.")
    whole = manifest if old is None else extended(old, manifest, order)
    if whole != old:
        write_manifest(writer.folder, whole)
    if retry_errors:
        failed = {key for key in manifest.keys if key in heads and heads[key].status is Status.ERROR}
        if failed:
            writer.drop(failed)
            heads = {key: head for key, head in heads.items() if key not in failed}
    return whole, heads


def known_queries(world: World, queries: Iterable[str] | None) -> tuple[str, ...]:
    """Return the queries asked for, in the order of the world.

    Raises:
        UsageError: One of them is unknown, or there are none.
    """
    if queries is None:
        return tuple(world.query)
    wanted = set(queries)
    unknown = sorted(wanted - set(world.query))
    if unknown:
        close = get_close_matches(unknown[0], world.query, 1) or list(world.query)[:1]
        raise UsageError(
            f"World '{world.name}' has no query '{unknown[0]}'. Did you mean '{close[0]}'? It has {len(world.queries)}."
        )
    if not wanted:
        raise UsageError("No query is asked for. Name at least one.")
    return tuple(query for query in world.query if query in wanted)


def split_queries(world: World, split: str | None) -> tuple[str, ...]:
    """Return the queries of a split in the order of the world; all of them if none is named.

    Raises:
        UsageError: The world has no such split.
    """
    if split is None:
        return tuple(world.query)
    names = tuple(query.query_id for query in world.queries if query.split == split)
    if not names:
        known = sorted({query.split for query in world.queries} - {""})
        hint = f"It has {', '.join(known)}." if known else "It isn't divided: leave out --split."
        raise UsageError(f"World '{world.name}' has no split '{split}'. {hint}")
    return names


def sample_queries(names: Sequence[str], size: int, seed: int) -> tuple[str, ...]:
    """Return a random sample of queries in the order given, drawn as the release does."""
    if not 1 <= size <= len(names):
        raise UsageError(f"A sample of {size} queries can't be drawn: give a number from 1 to {len(names)}.")
    return tuple(names[i] for i in sorted(Random(seed).sample(range(len(names)), size)))


def shard_queries(names: Sequence[str], shard: str) -> tuple[str, ...]:
    """Return one of several equal parts of some queries, as `2/8` names the second of eight.

    Raises:
        UsageError: It names no part, or one without queries.
    """
    found = re.fullmatch(r"(\d+)/(\d+)", shard)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"'{shard}' names no shard. Give a number and how many there are, as in 2/8.")
    part = tuple(names[int(found[1]) - 1 :: int(found[2])])
    if not part:
        raise UsageError(f"Shard {shard} of {len(names)} queries is empty. Use at most {len(names)} shards.")
    return part
