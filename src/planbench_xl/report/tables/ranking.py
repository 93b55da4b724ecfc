"""Tables that say which differences between models are shown, and which could have been."""

from __future__ import annotations

from collections.abc import Sequence

from planbench_xl.report.comparing import Pair, groups, outcomes_of, pairs_of, ranked
from planbench_xl.report.counting import counted
from planbench_xl.report.data import Cell, Column, ReportData, ReportRun, TableData
from planbench_xl.report.wording import METRIC_COLUMNS, slug

ALPHA = 0.05

DISCORDANCES = (0.05, 0.1, 0.2, 0.3, 0.4)
"""Shares of queries with different outcomes for which the noise floor is told."""


def ranking_tables(report: ReportData) -> list[TableData]:
    """Return, for each setting that several models were played in, their ranking and all pairwise tests."""
    found = []
    for name, runs in groups(report).items():
        if len(runs) > 1:
            pairs = pairs_of(runs)
            found += [_ranking(name, ranked(runs), pairs), _pairs(name, runs, pairs)]
    return found


def noise_table(report: ReportData) -> TableData:
    """Return the smallest differences in accuracy that the numbers of queries at hand can show."""
    from planbench_xl.statistics import detectable_paired, detectable_unpaired

    sizes = sorted({len(outcomes_of(run)) for run in report.runs})
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            size,
            *(detectable_paired(size, discordance) for discordance in DISCORDANCES),
            detectable_unpaired(size, 0.5),
        )
        for size in sizes
    )
    columns = (
        Column("Queries", "count"),
        *(Column(f"{discordance:.0%} discordant, points", "percent") for discordance in DISCORDANCES),
        Column("Different queries, points", "percent"),
    )
    notes = (
        "Smallest real difference in accuracy that a test at 5 % finds in 80 % of the cases: two runs on the same "
        "queries, with a share of them solved by exactly one of the two; and two runs on different queries, at 50 %.",
    )
    return TableData(name="noise", title="What can be shown", columns=columns, rows=rows, notes=notes)


def _ranking(name: str, order: Sequence[ReportRun], pairs: Sequence[Pair]) -> TableData:
    model = {run.label: run.model for run in order}
    rows: list[tuple[Cell, ...]] = []
    values = [run.score.metrics["accuracy"].value or 0.0 for run in order]
    for run, value in zip(order, values, strict=True):
        rank = 1 + sum(other > value for other in values)
        shown = [pair for pair in pairs if run.label in (pair.first, pair.second) and pair.corrected < ALPHA]
        open_ = [pair for pair in pairs if run.label in (pair.first, pair.second) and pair.corrected >= ALPHA]
        better = sum(pair.first == run.label for pair in shown)
        alike = [model[pair.second if pair.first == run.label else pair.first] for pair in open_]
        rows.append((rank, run.model, run.score.metrics["accuracy"], better, len(shown) - better, ", ".join(alike)))
    columns = (
        Column("Rank", "count"),
        Column("Model"),
        METRIC_COLUMNS["accuracy"],
        Column("Better than", "count"),
        Column("Worse than", "count"),
        Column("No difference shown from"),
    )
    notes = (
        f"Rank by accuracy. Better, worse: of {counted(len(pairs), 'pairwise test')} (McNemar's exact test on the "
        "queries that both have scored; with repetitions, sign flips of the queries' means), corrected together by "
        "Holm's method, those with p < 0.05.",
    )
    return TableData(
        name=f"ranking-{slug(name)}", title=f"Ranking, {name}", columns=columns, rows=tuple(rows), notes=notes
    )


def _pairs(name: str, runs: Sequence[ReportRun], pairs: Sequence[Pair]) -> TableData:
    by_label = {run.label: run for run in runs}
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        first, second = by_label[pair.first].model, by_label[pair.second].model
        test = pair.test
        rows.append((first, second, test.queries, test.higher_first, test.higher_second, test.p, pair.corrected))
    columns = (
        Column("First"),
        Column("Second"),
        Column("Queries", "count"),
        Column("First better", "count"),
        Column("Second better", "count"),
        Column("p", "p"),
        Column("p (Holm)", "p"),
    )
    notes = ("First, second better: discordant queries, those on which one has the higher success rate.",)
    return TableData(
        name=f"pairs-{slug(name)}", title=f"Pairwise tests, {name}", columns=columns, rows=tuple(rows), notes=notes
    )
