"""The project's own world format: one folder with a manifest and a JSON Lines file for each kind of entry."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from planbench_xl.errors import Fault, WorldError
from planbench_xl.world.model import Data, Datatype, Query, Record, Task, TaskPaths, Tool, World

FORMAT = 1
MANIFEST = "manifest.json"
FILES: Mapping[str, type[Data]] = {
    "datatypes": Datatype,
    "tools": Tool,
    "records": Record,
    "tasks": Task,
    "queries": Query,
    "paths": TaskPaths,
}
"""Name of each file (and field of `World`) with the type of its entries."""

IDENTIFIER: Mapping[type[Data], str] = {
    Datatype: "name",
    Tool: "name",
    Record: "record_id",
    Task: "task_id",
    Query: "query_id",
    TaskPaths: "task_id",
}
"""The field that tells entries of each type apart."""

T = TypeVar("T")


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `manifest.json` holds.

    Attributes:
        format: Version of the folder's layout.
        name: Short name of the world.
        version: Version of its data.
        domain: Domain word of retrieval requests.
        overview: Plain-language overview of the domain for the agent.
        counts: Number of entries per file.
        fingerprint: SHA-256 of the content, as `World.fingerprint`.
        recipe: What a built world was made from.
    """

    format: int
    name: str
    version: str
    domain: str
    overview: str
    counts: dict[str, int]
    fingerprint: str
    recipe: dict[str, Any] | None = None


def encode_lines(entries: Iterable[Data]) -> bytes:
    """Return entries as canonical JSON Lines: sorted keys, no white space, UTF-8."""
    encoder = msgspec.json.Encoder(order="sorted")
    return b"".join(encoder.encode(entry) + b"\n" for entry in entries)


def fingerprint(world: World) -> str:
    """Return the SHA-256 of a world's domain, overview and entries, whatever format they came in."""
    digest = hashlib.sha256(f"{FORMAT}\n{world.domain}\n{world.overview}\n".encode())
    for name in FILES:
        data = encode_lines(getattr(world, name))
        digest.update(f"{name} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def manifest(world: World) -> Manifest:
    """Return the manifest that belongs to a world."""
    return Manifest(
        format=FORMAT,
        name=world.name,
        version=world.version,
        domain=world.domain,
        overview=world.overview,
        counts={name: len(getattr(world, name)) for name in FILES},
        fingerprint=world.fingerprint,
        recipe=world.recipe,
    )


def encode_manifest(world: World) -> bytes:
    """Return the content of a world's `manifest.json`."""
    return msgspec.json.format(msgspec.json.encode(manifest(world)), indent=2) + b"\n"


def save(world: World, folder: Path) -> None:
    """Write a world into a folder, made if need be; the manifest comes last, so a half-written world is none.

    Raises:
        WorldError: The folder can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            write_atomically(folder / f"{name}.jsonl", encode_lines(getattr(world, name)))
        write_atomically(folder / MANIFEST, encode_manifest(world))
    except OSError as error:
        fault = Fault(str(folder), "", "", f"can't be written ({error.strerror})", "Choose another folder")
        raise WorldError([fault]) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file under a temporary name beside it, then rename it into place."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load_folder(folder: Path) -> World:
    """Read a world in this project's own format.

    Only what can't be represented is refused here (bad JSON, unknown or missing fields, wrong types, counts
    that differ from the manifest); `planbench_xl.world.validate` checks the rest.

    Raises:
        WorldError: With every fault found.
    """
    head = read_manifest(folder)
    world, faults = read_parts(folder, head)
    for name in FILES:
        found = len(getattr(world, name))
        if not faults and head.counts.get(name) != found:
            problem = f"says {head.counts.get(name)}, but {name}.jsonl has {found} entries"
            remedy = f"Restore them, or run `planbench-xl world validate --stamp {folder}` if the change is meant"
            faults.append(Fault(MANIFEST, "", f"counts.{name}", problem, remedy))
    for name in sorted(set(head.counts) - set(FILES)):
        problem = f"counts '{name}', which is no part of a world"
        faults.append(Fault(MANIFEST, "", f"counts.{name}", problem, f"Remove it or use one of: {', '.join(FILES)}"))
    if faults:
        raise WorldError(faults)
    return world


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder in this project's own format.

    Raises:
        WorldError: It is missing or malformed, or of another version of the layout.
    """
    head = read_json(folder / MANIFEST, Manifest)
    if head.format != FORMAT:
        problem = f"layout version {head.format} is not {FORMAT}, the one this version reads"
        raise WorldError([Fault(MANIFEST, "", "format", problem, "Load it with the version that wrote it")])
    return head


def read_parts(folder: Path, head: Manifest) -> tuple[World, list[Fault]]:
    """Read a folder's entries, whatever its manifest says of them; with faults, the bad entries are left out."""
    faults: list[Fault] = []
    entries: dict[str, tuple[Any, ...]] = {}
    for name, entry_type in FILES.items():
        entries[name] = tuple(read_lines(folder / f"{name}.jsonl", entry_type, faults))
    return World(head.name, head.version, head.domain, head.overview, **entries, recipe=head.recipe), faults


def read_bytes(path: Path) -> bytes:
    """Read a file of a world.

    Raises:
        WorldError: It is missing or can't be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        fault = Fault(path.name, "", "", f"is missing from {path.parent}", "Restore the file or check the path")
    except OSError as error:
        fault = Fault(path.name, "", "", f"can't be read ({error.strerror})", "Check its permissions")
    raise WorldError([fault])


def read_json(path: Path, kind: type[T]) -> T:
    """Read a JSON file as a typed value.

    Raises:
        WorldError: It is missing, isn't JSON or doesn't fit the type.
    """
    try:
        return msgspec.json.decode(read_bytes(path), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WorldError([decode_fault(path.name, "", error)]) from error


def read_lines(path: Path, kind: type[T], faults: list[Fault]) -> list[T]:
    """Read a JSON Lines file as typed entries; faults are added to the list, one per bad line."""
    decoder = msgspec.json.Decoder(kind)
    entries: list[T] = []
    try:
        data = read_bytes(path)
    except WorldError as error:
        faults.extend(error.faults)
        return entries
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            entries.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            faults.append(decode_fault(path.name, f"line {number}", error))
    return entries


def decode_fault(file: str, entry: str, error: Exception) -> Fault:
    """Turn a decoding error into a fault that names the field."""
    problem, _, path = str(error).partition(" - at `")
    field = path.removesuffix("`").removeprefix("$").lstrip(".")
    if isinstance(error, msgspec.ValidationError):
        if "unknown field" in problem:
            remedy = "Remove the field or correct its name"
        elif "missing required field" in problem:
            remedy = "Add the field"
        else:
            remedy = "Give the field a value of the expected type"
        return Fault(file, entry, field, problem[:1].lower() + problem[1:], remedy)
    return Fault(file, entry, "", f"is not valid JSON ({problem})", "Mend or regenerate it")
