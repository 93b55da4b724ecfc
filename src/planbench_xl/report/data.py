"""What a report is made of: the runs with their scores and analyses, small enough to hold hundreds of runs at once.

Episodes themselves aren't kept. Whoever needs their turns visits each run while it is in memory (`report.collect`), or
reads it again with `runs.loading.load_run(run.source)`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from planbench_xl.analysis import RunAnalysis
from planbench_xl.analysis.model import Category, Ending
from planbench_xl.episodes.record import Reason, Status
from planbench_xl.metrics import Figure, RunScore
from planbench_xl.report.failures import Failures
from planbench_xl.runs.loading import RunSource

MAIN_SEED = 42
"""The seed of the paper's settings; other seeds of the same setting are for its seed ablation."""


class EpisodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One episode as lists and slices show it.

    Attributes:
        query_id: The query.
        epoch: Number of the repetition.
        task_id: Its task.
        status: How it came out, under the judge of the report.
        reason: Why it failed.
        cause: What went wrong in the infrastructure.
        category: Failure category.
        ending: How it ended, if it failed without a format error.
        turns: Number of responses.
        shortest_length: The task's L*.
        inputs: Number of the task's inputs.
        flow: The business flow of the query's target; empty if the world names none.
        regret: Turns beyond the shortest possible.
        first_wrong_turn: First turn that brought the end no nearer.
        unresolved: It ran without the blocks or failures of its setting.
    """

    query_id: str
    epoch: int
    task_id: str
    status: Status
    reason: Reason | None = None
    cause: str | None = None
    category: Category | None = None
    ending: Ending | None = None
    turns: int = 0
    shortest_length: int = 0
    inputs: int = 0
    flow: str = ""
    regret: int | None = None
    first_wrong_turn: int | None = None
    unresolved: bool = False

    @property
    def success(self) -> bool:
        """It has a correct and grounded answer."""
        return self.status is Status.SUCCESS


class Slice(msgspec.Struct, frozen=True):
    """Accuracy over the queries of some lengths.

    Attributes:
        name: The lengths, such as `5` or `≥ 8`.
        queries: Number of queries.
        accuracy: Accuracy over them.
    """

    name: str
    queries: int
    accuracy: Figure


class ReportRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a report.

    Attributes:
        label: What tells it apart from the other runs.
        model: What tells its agent or model apart from those of the other runs with the same setting.
        agent: Name of the agent or model.
        setting: Name of the setting.
        preset: The preset that the setting follows, whatever its seed; the setting's name if there is none.
        seed: Seed of the setting; None if unknown.
        protocol: Name of the protocol.
        judge: Name of the judge that the figures are under.
        world: Name of the world.
        fingerprint: Its fingerprint.
        source: Where it can be read again.
        score: Its score, with intervals.
        analysis: Why its episodes failed.
        failures: The shares of that analysis with intervals.
        slices: Accuracy by L*.
        episodes: One row per episode, sorted by query, then epoch.
        problems: What was passed over in reading.
    """

    label: str
    model: str
    agent: str
    setting: str
    preset: str
    seed: int | None
    protocol: str
    judge: str
    world: str
    fingerprint: str
    source: RunSource
    score: RunScore
    analysis: RunAnalysis
    failures: Failures
    slices: tuple[Slice, ...]
    episodes: tuple[EpisodeRow, ...]
    problems: tuple[str, ...] = ()


class FigureFile(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a report.

    Attributes:
        name: Its name, which its files bear too.
        title: Its heading.
        caption: What it shows.
        files: Its files by format, relative to the folder of the report (`figures/main.svg`).
        skipped: Why it couldn't be drawn from these runs; empty if it was.
    """

    name: str
    title: str
    caption: str
    files: dict[str, str] = {}
    skipped: str = ""


Cell = str | int | float | Figure | None
"""What a cell of a table holds: a text, a number, a figure with its interval, or nothing."""


class Column(msgspec.Struct, frozen=True):
    """One column of a table.

    Attributes:
        head: Its heading.
        kind: How its cells are shown: as they are, in per cent, as a number, as a count, as a p-value.
    """

    head: str
    kind: Literal["text", "percent", "number", "count", "p"] = "text"


class TableData(msgspec.Struct, frozen=True, kw_only=True):
    """A table, before it is laid out for a medium by `report.formats`.

    Attributes:
        name: Its name, which its files bear too.
        title: Its heading.
        columns: Its columns.
        rows: The cells of each row.
        notes: Lines below the table.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


class ReportData(msgspec.Struct, frozen=True, kw_only=True):
    """A report.

    Attributes:
        runs: Its runs, model by model.
        tables: Its tables.
        figures: Its figures, also those that couldn't be drawn.
        notes: What a reader must know of how the figures were made.
        package: Version of this package.
    """

    runs: tuple[ReportRun, ...]
    tables: tuple[TableData, ...] = ()
    figures: tuple[FigureFile, ...] = ()
    notes: tuple[str, ...] = ()
    package: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in order of their first run."""
        return tuple(dict.fromkeys(run.model for run in self.runs))

    def find(self, model: str, preset: str) -> ReportRun | None:
        """Return a model's run of a preset; of several seeds, the paper's, else the smallest."""
        runs = [run for run in self.runs if run.model == model and run.preset == preset]
        return min(runs, key=lambda run: (run.seed != MAIN_SEED, run.seed or 0), default=None)
