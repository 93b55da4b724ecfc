"""`run.json`: what a run is. It is written before the first episode, and decides what may be added to the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.environment import Setting
from planbench_xl.episodes.lines import write_failure
from planbench_xl.episodes.store import Key, replace_file
from planbench_xl.errors import StoreError
from planbench_xl.runs.presets import differences

MANIFEST = "run.json"
FORMAT = 1


class ModelChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A model and how it is asked: whatever can change its replies. Never a key, never an address.

    Attributes:
        name: Name with provider, as in `openai/gpt-5.4`.
        arguments: Arguments of the provider.
        temperature: Sampling temperature; None leaves it to the provider.
        max_tokens: Largest number of tokens of one reply.
        top_p: Nucleus sampling.
        seed: Seed of sampling, where the provider takes one.
        reasoning_effort: How much to reason, where the provider takes it.
        reasoning_tokens: Largest number of tokens of reasoning, where the provider takes it.
        solver: Solver that plays in place of the plain conversation, as `module:factory`.
    """

    name: str
    arguments: dict[str, str | int | float | bool | None] = {}
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = None
    solver: str = ""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a run is.

    Attributes:
        format: Version of this file's layout.
        world: Name of the world.
        world_version: Version of its data.
        world_source: Name of a packaged world, or its folder.
        world_fingerprint: Fingerprint of its content.
        agent: Name of the agent, or of the model.
        agent_seed: Seed from which each episode's agent seed follows.
        model: The model and how it is asked; None for a scripted agent.
        setting: The full setting, with turn limit and seed.
        protocol: Name and version of the protocol.
        prompts: Folder of the user's own prompts, or empty.
        queries: Identifiers of the queries, in the order of the world.
        epochs: Number of repetitions of each query.
        package: Version of this package that started the run.
        created: When it was started, UTC, ISO 8601.
    """

    format: int = FORMAT
    world: str
    world_version: str
    world_source: str
    world_fingerprint: str
    agent: str
    agent_seed: int
    model: ModelChoice | None = None
    setting: Setting
    protocol: str
    prompts: str = ""
    queries: tuple[str, ...]
    epochs: int
    package: str
    created: str

    @property
    def keys(self) -> list[Key]:
        """Every (query, epoch) of the run, one epoch after the other."""
        return [(query, epoch) for epoch in range(self.epochs) for query in self.queries]

    def identity(self) -> dict[str, Any]:
        """Return, as plain data, what all episodes of a run must have in common."""
        fields = ("world", "world_version", "world_fingerprint", "agent", "agent_seed", "model", "setting", "protocol")
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return {name: plain[name] for name in fields}


class _Format(msgspec.Struct):
    format: int = FORMAT


def read_manifest(folder: str | Path) -> Manifest | None:
    """Return the manifest of a run folder, or None if it has none.

    Raises:
        StoreError: It can't be read; the message says what to do.
    """
    path = Path(folder) / MANIFEST
    try:
        data = path.read_bytes()
        found = msgspec.json.decode(data, type=_Format).format
        if found > FORMAT:
            raise StoreError(
                f"{path}: has format {found}, this package reads up to {FORMAT}. "
                "Read it with the version of planbench-xl that wrote it, or a later one."
            )
        return msgspec.json.decode(data, type=Manifest)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path} can't be read ({error.strerror}). Check the path and its permissions.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: is no manifest of a run ({error}). Restore it, or choose another folder.") from error


def write_manifest(folder: str | Path, manifest: Manifest) -> None:
    """Write the manifest of a run folder, at once or not at all.

    Raises:
        StoreError: It can't be written; the message says what to do.
    """
    path = Path(folder) / MANIFEST
    try:
        replace_file(path, [msgspec.json.format(msgspec.json.encode(manifest), indent=2), b"\n"])
    except OSError as error:
        raise StoreError(write_failure(path, error)) from error


def extended(old: Manifest, new: Manifest, order: tuple[str, ...]) -> Manifest:
    """Return the manifest of a run that is continued: with the queries and epochs of both.

    Args:
        old: What the folder holds.
        new: What is to be run.
        order: All query identifiers of the world, in order.

    Raises:
        StoreError: They differ in what all episodes of a run must have in common; every difference is shown.
    """
    changed = differences(old.identity(), new.identity())
    if changed:
        raise StoreError(
            "The folder holds a run that differs from this one (there → here):\n"
            + "".join(f"  {line}\n" for line in changed)
            + "Start it with the same choices to continue it, or choose another folder with --out."
        )
    wanted = {*old.queries, *new.queries}
    queries = tuple(query for query in order if query in wanted)
    return msgspec.structs.replace(old, queries=queries, epochs=max(old.epochs, new.epochs))
