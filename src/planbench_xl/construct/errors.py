"""The errors of the construction."""

from __future__ import annotations

from planbench_xl.errors import PlanBenchError, WorldError


class DomainError(WorldError):
    """A domain file, or a world to be made of one, that can't be used, with every fault that was found."""


class CompletionError(PlanBenchError):
    """A model that can't be asked, or a file of its replies that can't be used."""
