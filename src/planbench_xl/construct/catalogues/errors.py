"""The error of reading a tool catalogue."""

from __future__ import annotations

from planbench_xl.errors import Fault, WorldError


class CatalogueError(WorldError):
    """A tool catalogue that can't be read, or from which no world can be drafted, with every fault that was found."""


def fault(file: str, place: str, problem: str, remedy: str) -> CatalogueError:
    """Return an error with one fault: file, place within it, problem and remedy."""
    return CatalogueError([Fault(file, place, "", problem, remedy)])
