"""Finds and loads a world by the name of a packaged one or by its folder."""

from __future__ import annotations

from pathlib import Path

from planbench_xl.errors import Fault, WorldError
from planbench_xl.world.model import World
from planbench_xl.world.release import MARKER, load_release
from planbench_xl.world.storage import MANIFEST, load_folder

PACKAGED = Path(__file__).parent.parent / "data"


def packaged_worlds() -> tuple[str, ...]:
    """Return the names of the worlds that come with the package."""
    return tuple(sorted(path.parent.name for path in PACKAGED.glob(f"*/{MANIFEST}")))


def find_world(name_or_path: str | Path) -> Path:
    """Return the folder of a packaged world's name or of a path.

    Raises:
        WorldError: There is neither.
    """
    if str(name_or_path) in packaged_worlds():
        return PACKAGED / str(name_or_path)
    path = Path(name_or_path)
    if path.is_dir():
        return path
    problem = "is neither a folder nor the name of a packaged world"
    remedy = f"Give the path of a world's folder or one of: {', '.join(packaged_worlds())}"
    raise WorldError([Fault(str(name_or_path), "", "", problem, remedy)])


def load_world(name_or_path: str | Path) -> World:
    """Load a packaged world by name, or a folder in this project's format or in the release's.

    Raises:
        WorldError: It can't be found or read; the message names file, entry, field and remedy.
    """
    folder = find_world(name_or_path)
    if (folder / MANIFEST).exists():
        return load_folder(folder)
    if (folder / MARKER).exists():
        return load_release(folder)
    problem = f"has neither {MANIFEST} nor {MARKER}"
    raise WorldError([Fault(str(folder), "", "", problem, "Give the folder of a world or of the published release")])
