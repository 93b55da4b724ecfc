"""What the paper reports, to stand beside our figures with a mark, never among them.

The data are in `published.toml` beside this module.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from planbench_xl.report.data import ReportRun

DATA = Path(__file__).parent / "published.toml"

RELEASE = "238c32dae6d9518f9ab7aa89186f871944b37217ec84f5b96cecd5c9b2e65d99"
"""Fingerprint of the published release as a world: figures on it can stand beside the paper's."""


class Main(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the paper's main table; fractions in per cent."""

    model: str
    version: str = ""
    accuracy: float
    egt_precision: float
    turns: float | None = None
    edt: float | None = None
    search_to_call: float | None = None
    itcr: float | None = None
    uirr: float | None = None

    @property
    def name(self) -> str:
        """Model and version."""
        return f"{self.model} ({self.version})" if self.version else self.model


class Categories(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shares of the failure categories in per cent, default setting."""

    model: str
    no_traction: float
    irrecoverable_drift: float
    weak_recovery: float
    format_error: float


class Selection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shares at non-progress calls of failed episodes in per cent, all models together."""

    preset: str
    useful: float
    recent: float
    useful_old: float
    reappears: float


class RetrievalCheck(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The single-step retrieval check; fractions in per cent."""

    model: str
    accuracy: float
    gold_tool_listed: float
    turns: float


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The paper's figures.

    Attributes:
        source: Where they are from.
        main: The main table.
        block: Accuracy in per cent by preset, for each model (`model`).
        categories: Failure categories.
        selection: Selection at non-progress calls.
        reused: Share in per cent of the invoked alternatives whose value was used again, by kind.
        retrieval_check: The single-step retrieval check.
    """

    source: str
    main: tuple[Main, ...]
    block: tuple[dict[str, str | float], ...]
    categories: tuple[Categories, ...]
    selection: tuple[Selection, ...]
    reused: dict[str, float]
    retrieval_check: RetrievalCheck

    @property
    def mark(self) -> str:
        """What every published figure is marked with."""
        return f"published, {self.source}"

    def accuracies(self, preset: str) -> dict[str, float]:
        """Return the published accuracies of a preset, as fractions by model."""
        if preset == "default":
            return {row.name: row.accuracy / 100 for row in self.main}
        return {str(row["model"]): float(row[preset]) / 100 for row in self.block if preset in row}


@cache
def published() -> Published:
    """Return the paper's figures."""
    return msgspec.toml.decode(DATA.read_bytes(), type=Published)


def is_release(run: ReportRun) -> bool:
    """Say whether a run was played on the published release."""
    return run.fingerprint == RELEASE
