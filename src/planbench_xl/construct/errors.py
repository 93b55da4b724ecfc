"""The error of the construction."""

from __future__ import annotations

from planbench_xl.errors import WorldError


class DomainError(WorldError):
    """A domain file, or a world to be made of one, that can't be used, with every fault that was found."""
