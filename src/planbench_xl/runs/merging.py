"""Joins the shards of a run, played apart, into one folder. Nothing is taken twice, nothing is missed silently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from planbench_xl.episodes.record import Episode
from planbench_xl.episodes.store import EpisodeWriter, Key, iter_episodes, read_heads
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.runs.manifest import MANIFEST, Manifest, extended, read_manifest, write_manifest
from planbench_xl.world import World, load_world


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a merge.

    Attributes:
        folder: The run folder.
        manifest: What the whole run is.
        counts: Number of episodes taken from each shard, by folder.
        missing: Episodes that the whole run should have, but no shard holds.
        left_out: Number of the world's queries that no shard asks for.
    """

    folder: Path
    manifest: Manifest
    counts: dict[str, int]
    missing: tuple[Key, ...]
    left_out: int


def merge(shards: Sequence[str | Path], out: str | Path, world: World | None = None) -> Merged:
    """Join run folders into a new one.

    Args:
        shards: Run folders that differ in nothing but their queries and epochs.
        out: The new run folder.
        world: The world they were played on; loaded from where the first one found it if not given.

    Raises:
        UsageError: None is named, or one twice.
        StoreError: One is no run, they are parts of different runs, an episode is in two of them, or the new folder
            holds a run already; nothing is written then.
    """
    folders = [Path(shard) for shard in shards]
    _check_folders(folders, Path(out))
    manifests = [_manifest(folder) for folder in folders]
    world = world or load_world(manifests[0].world_source)
    whole = _joined(manifests, folders, tuple(world.query))
    owners = _owners(folders)
    with EpisodeWriter(out) as writer:
        write_manifest(writer.folder, whole)
        for folder in folders:
            writer.write(_ordered(folder))
    missing = tuple(key for key in whole.keys if key not in owners)
    counts = {str(folder): list(owners.values()).count(folder) for folder in folders}
    return Merged(
        folder=Path(out),
        manifest=whole,
        counts=counts,
        missing=missing,
        left_out=len(world.query) - len(whole.queries),
    )


def _check_folders(folders: Sequence[Path], out: Path) -> None:
    if not folders:
        raise UsageError("No run is named. Give the folders of the shards.")
    places = [folder.resolve() for folder in folders]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise UsageError(f"{folders[number]} is named twice; name each shard once.")
    if read_manifest(out) is not None or read_heads(out):
        raise StoreError(f"{out} holds a run already. Name a new folder with --out.")


def _manifest(folder: Path) -> Manifest:
    manifest = read_manifest(folder)
    if manifest is None:
        raise StoreError(f"{folder} holds no run: {MANIFEST} is missing. Give the folder of a run.")
    return manifest


def _joined(manifests: Sequence[Manifest], folders: Sequence[Path], order: tuple[str, ...]) -> Manifest:
    whole = manifests[0]
    for manifest, folder in zip(manifests[1:], folders[1:], strict=True):
        try:
            whole = extended(whole, manifest, order)
        except StoreError as error:
            raise StoreError(f"{folders[0]} and {folder} are parts of different runs. {error}") from error
    created = min(manifest.created for manifest in manifests)
    return msgspec.structs.replace(whole, created=created)


def _owners(folders: Sequence[Path]) -> dict[Key, Path]:
    """Return where each episode is."""
    owners: dict[Key, Path] = {}
    for folder in folders:
        for key in read_heads(folder):
            if key in owners:
                raise StoreError(
                    f"The episode of query '{key[0]}', epoch {key[1]} is in {owners[key]} and in {folder}. Remove it "
                    "from one of them, or merge only one of the two."
                )
            owners[key] = folder
    return owners


def _ordered(folder: Path) -> Iterator[Episode]:
    """Yield the episodes of a shard; one without any has no store."""
    return iter_episodes(folder) if read_heads(folder) else iter(())
