"""Conformance: does this package behave as recorded? Replays recorded files, and tells every difference."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.episodes.release_output import is_release_output
from planbench_xl.errors import StoreError
from planbench_xl.runs.conformance.compare import Difference, Place
from planbench_xl.runs.conformance.output import check_output
from planbench_xl.runs.conformance.replay import check_episodes, check_phrases, check_plans, check_tool_sets
from planbench_xl.world import World

__all__ = ["Checked", "Difference", "check_file"]

Check = Callable[[World, Place, dict[str, Any]], Iterator[Difference]]


class Checked(msgspec.Struct, frozen=True):
    """What came of checking one file or folder.

    Attributes:
        file: The file or folder.
        kind: What it holds.
        count: How many of them.
        differences: Every difference found.
    """

    file: str
    kind: str
    count: int
    differences: tuple[Difference, ...]


def check_file(path: str | Path, world: World) -> Checked:
    """Check a recorded file, or an output folder of the release.

    Args:
        path: Episodes of a setting, block plans, phrases or minimal tool sets (`.json` or `.json.gz`), or a folder.
        world: The world that it was recorded on.

    Raises:
        StoreError: It can't be read, or is none of these.
    """
    path = Path(path)
    try:
        if path.is_dir():
            return _check_folder(path, world)
        data = _read(path)
        kind, count, check = _kind(path, data)
        return Checked(str(path), kind, count, tuple(check(world, Place(str(path)), data)))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path} isn't laid out as recorded files are ({error!r}). Restore it.") from error


def _check_folder(path: Path, world: World) -> Checked:
    if not is_release_output(path):
        raise StoreError(f"{path} is no output folder of the release. Give one, or recorded files.")
    differences = tuple(check_output(world, path))
    return Checked(str(path), "output folder", 1, differences)


def _kind(path: Path, data: Any) -> tuple[str, int, Check]:
    """Tell what a file holds by its content."""
    if isinstance(data, dict) and data:
        values = list(data.values())
        if isinstance(data.get("episodes"), list):
            return "episodes", len(data["episodes"]), check_episodes
        if all(isinstance(value, dict) and isinstance(value.get("plans"), dict) for value in values):
            return "block plans", sum(len(value["plans"]) for value in values), check_plans
        if all(isinstance(value, str) for value in values):
            return "phrases", len(data), check_phrases
        if all(isinstance(value, dict) and "count_up_to_9_tools" in value for value in values):
            return "tasks' minimal tool sets", len(data), check_tool_sets
    raise StoreError(
        f"{path} holds neither recorded episodes, nor block plans, phrases or minimal tool sets. Give one of these."
    )


def _read(path: Path) -> Any:
    try:
        raw = path.read_bytes()
        return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (OSError, EOFError, zlib.error) as error:
        raise StoreError(f"{path} can't be read ({error}). Check the path.") from error
    except ValueError as error:
        raise StoreError(f"{path} isn't JSON ({error}). Restore it.") from error
