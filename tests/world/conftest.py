"""A copy of the mini world on disk, and a way to damage one entry of it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.world.loading import PACKAGED
from planbench_xl.world.storage import FILES, IDENTIFIER

Entry = dict[str, Any]
Change = Callable[[Entry], Any]


class Folder:
    """A world's folder whose files can be edited as JSON."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def manifest(self, **changes: Any) -> None:
        """Change fields of the manifest; a field set to `...` is removed."""
        file = self.path / "manifest.json"
        content = {**json.loads(file.read_text()), **changes}
        file.write_text(json.dumps({key: value for key, value in content.items() if value is not ...}))

    def lines(self, part: str) -> list[Entry]:
        """Read the entries of a part."""
        return [json.loads(line) for line in (self.path / f"{part}.jsonl").read_text().splitlines()]

    def write(self, part: str, entries: list[Entry]) -> None:
        """Write the entries of a part, with the count in the manifest."""
        (self.path / f"{part}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        counts = json.loads((self.path / "manifest.json").read_text())["counts"]
        self.manifest(counts={**counts, part: len(entries)})

    def edit(self, part: str, name: str, change: Callable[[Entry], Any]) -> None:
        """Change one entry, found by its name, in place."""
        entries = self.lines(part)
        (entry,) = [entry for entry in entries if entry[IDENTIFIER[FILES[part]]] == name]
        change(entry)
        self.write(part, entries)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A fresh copy of the mini world."""
    return Folder(Path(shutil.copytree(PACKAGED / "mini", tmp_path / "world")))


def put(*path: str | int, value: Any) -> Change:
    """Set the value at a path of an entry."""

    def change(entry: Any) -> None:
        for step in path[:-1]:
            entry = entry[step]
        entry[path[-1]] = value

    return change


def drop(*path: str | int) -> Change:
    """Remove what is at a path of an entry."""

    def change(entry: Any) -> None:
        for step in path[:-1]:
            entry = entry[step]
        del entry[path[-1]]

    return change


def add(*path: str | int, value: Any) -> Change:
    """Append a value to the list at a path of an entry."""

    def change(entry: Any) -> None:
        for step in path:
            entry = entry[step]
        entry.append(value)

    return change


def repeat(*path: str | int) -> Change:
    """Append a copy of the first item to the list at a path of an entry."""

    def change(entry: Any) -> None:
        for step in path:
            entry = entry[step]
        entry.append(entry[0])

    return change


def swap(field: str) -> Change:
    """Swap the first two items of a list."""

    def change(entry: Entry) -> None:
        entry[field][:2] = entry[field][1::-1]

    return change
