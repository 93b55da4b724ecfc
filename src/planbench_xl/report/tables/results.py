"""Tables of what runs achieved: the main table, every figure, settings, lengths, repetitions, correlations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planbench_xl.metrics import Figure
from planbench_xl.report.comparing import DEFAULT, against_default, outcomes_of
from planbench_xl.report.counting import counted
from planbench_xl.report.data import Cell, Column, ReportData, ReportRun, TableData
from planbench_xl.report.published import Main, published
from planbench_xl.report.wording import MAIN, METRIC_COLUMNS

INTERVALS = (
    "Brackets: 95 % intervals, by resampling queries 10,000 times (repetitions of a query stay together); Wilson's "
    "interval for fractions that fewer than 5 queries keep from 0 or 1."
)

CORRELATES = ("edt", "egt_precision", "by_output_share", "itcr", "turns", "progress_per_call")
"""What accuracy is correlated with."""

RUN_COLUMNS = (Column("Model"), Column("Setting"))


def main_results(report: ReportData, *, with_published: bool) -> TableData:
    """Return the paper's main table: a row per model under the default setting, or per run if there is none."""
    runs = [run for run in report.runs if run.preset == DEFAULT] or list(report.runs)
    rows: list[tuple[Cell, ...]] = [(run.model, run.setting, *(run.score.metrics.get(m) for m in MAIN)) for run in runs]
    notes = [INTERVALS, *_incomplete(runs)]
    if with_published:
        rows += [_published_row(row) for row in published().main]
        notes.append(f"* {published().mark}; not measured by this package, no intervals given.")
    columns = (*RUN_COLUMNS, *(METRIC_COLUMNS[metric] for metric in MAIN))
    return TableData(name="main", title="Main results", columns=columns, rows=tuple(rows), notes=tuple(notes))


def all_figures(report: ReportData) -> TableData:
    """Return every figure of every run."""
    metrics = [name for name in METRIC_COLUMNS if any(name in run.score.metrics for run in report.runs)]
    rows = tuple(
        (
            run.model,
            run.setting,
            run.score.scored,
            run.score.errors,
            *(run.score.metrics.get(metric) for metric in metrics),
            run.score.metrics_errors_as_failures["accuracy"],
        )
        for run in report.runs
    )
    columns = (
        *RUN_COLUMNS,
        Column("Episodes", "count"),
        Column("Errors", "count"),
        *(METRIC_COLUMNS[metric] for metric in metrics),
        Column("Acc %, errors as failures", "percent"),
    )
    notes = (INTERVALS, *_incomplete(report.runs))
    return TableData(name="runs", title="Every figure of every run", columns=columns, rows=rows, notes=notes)


def settings_table(report: ReportData) -> TableData | None:
    """Return each model's accuracy in every setting and the paired difference from its default; None without one."""
    from planbench_xl.statistics import compare_accuracies, holm

    rows: list[list[Cell]] = []
    p_values: list[float] = []
    for base, others in against_default(report):
        tests = compare_accuracies(outcomes_of(base), list(map(outcomes_of, others)))
        for run, test in zip(others, tests, strict=True):
            change = Figure(test.difference.value, test.difference.low, test.difference.high)
            rows.append([run.model, run.setting, run.score.metrics["accuracy"], change, test.queries])
            rows[-1] += [test.higher_second, test.higher_first]
            p_values.append(test.p)
    if not rows:
        return None
    for row, corrected in zip(rows, holm(p_values), strict=True):
        row.append(corrected)
    columns = (
        *RUN_COLUMNS,
        METRIC_COLUMNS["accuracy"],
        Column("Change from default, points", "percent"),
        Column("Queries", "count"),
        Column("Gained", "count"),
        Column("Lost", "count"),
        Column("p (Holm)", "p"),
    )
    notes = (
        "Change: paired by query, on the queries that both runs have scored. Gained and lost: queries with a higher or "
        "lower success rate than in the default setting. p: McNemar's exact test (with repetitions, sign flips of the "
        f"queries' means), corrected by Holm's method for {counted(len(rows), 'row')}.",
        INTERVALS,
    )
    return TableData(
        name="settings", title="Accuracy by setting", columns=columns, rows=tuple(map(tuple, rows)), notes=notes
    )


def slices_table(report: ReportData) -> TableData:
    """Return the accuracy by L*."""
    names = sorted({part.name for run in report.runs for part in run.slices}, key=lambda name: (len(name), name))
    rows: list[tuple[Cell, ...]] = []
    for run in report.runs:
        found = {part.name: part for part in run.slices}
        rows.append((run.model, run.setting, *(found[n].accuracy if n in found else None for n in names)))
    counts = {part.name: part.queries for run in report.runs for part in run.slices}
    columns = (*RUN_COLUMNS, *(Column(f"L* {name} %", "percent") for name in names))
    queries = ", ".join(f"{counts[name]} with L* {name}" for name in names)
    notes = (f"Queries: {queries} (in the last run that has them).", INTERVALS)
    return TableData(
        name="lengths",
        title="Accuracy by length of the shortest solution",
        columns=columns,
        rows=tuple(rows),
        notes=notes,
    )


def passes_table(report: ReportData) -> TableData | None:
    """Return pass@k and pass^k of the runs with repetitions; None if there are none."""
    rows: list[tuple[Cell, ...]] = [
        (run.model, run.setting, rate.k, rate.any, rate.all, rate.queries)
        for run in report.runs
        for rate in run.score.passes
    ]
    if not rows:
        return None
    columns = (
        *RUN_COLUMNS,
        Column("k", "count"),
        Column("pass@k %", "percent"),
        Column("pass^k %", "percent"),
        Column("Queries", "count"),
    )
    notes = (
        "pass@k: at least one of k tries succeeds; pass^k: all of k do. Unbiased estimates from all repetitions.",
        INTERVALS,
    )
    return TableData(name="passes", title="Repeated tries", columns=columns, rows=tuple(rows), notes=notes)


def correlation_table(report: ReportData) -> TableData:
    """Return how accuracy goes with other figures over the runs."""
    from planbench_xl.statistics import correlate

    accuracy = [run.score.metrics["accuracy"].value for run in report.runs]
    rows: list[tuple[Cell, ...]] = []
    for metric in CORRELATES:
        found = correlate(accuracy, [run.score.metrics[metric].value for run in report.runs])
        name = METRIC_COLUMNS[metric].head.removesuffix(" %")
        rows.append((name, found.points, found.pearson, found.spearman))
    columns = (
        Column("Accuracy with"),
        Column("Points", "count"),
        Column("Pearson", "number"),
        Column("Spearman", "number"),
    )
    notes = (
        "A point is a run. Brackets: 95 % intervals by resampling points 10,000 times. Runs of one model aren't "
        "independent of each other, and no correlation says what causes what.",
    )
    return TableData(name="correlation", title="Correlations", columns=columns, rows=tuple(rows), notes=notes)


def _published_row(row: Main) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    for metric in MAIN:
        value = getattr(row, metric, None)
        percent = METRIC_COLUMNS[metric].kind == "percent"
        cells.append(value if value is None or not percent else value / 100)
    return (f"{row.name} *", DEFAULT, *cells)


def _incomplete(runs: Sequence[ReportRun]) -> Iterator[str]:
    for run in runs:
        score = run.score
        if not score.complete:
            total = counted(score.scored, "episode")
            if score.expected is not None:
                total = f"{score.scored} of {counted(score.expected, 'episode')}"
            yield f"INCOMPLETE: {run.label} has only {total} scored, {counted(score.errors, 'error')}."
