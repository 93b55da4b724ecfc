"""Tables of why episodes failed."""

from __future__ import annotations

from planbench_xl.episodes.record import Status
from planbench_xl.report.comparing import against_default
from planbench_xl.report.counting import counted
from planbench_xl.report.data import Cell, Column, ReportData, ReportRun, TableData
from planbench_xl.report.failures import category_key, ending_key, follow_up_key, invoked_key
from planbench_xl.report.published import published
from planbench_xl.report.tables.results import INTERVALS, RUN_COLUMNS
from planbench_xl.report.wording import CATEGORY_NAMES, ENDING_NAMES, FOLLOW_UP_NAMES, KIND_NAMES

SELECTION = {
    "useful": Column("Useful tool known %", "percent"),
    "recent": Column("Called from recent %", "percent"),
    "useful_old": Column("Useful one old %", "percent"),
    "reappears": Column("Re-appears %", "percent"),
}
"""Shares at non-progress calls."""


def categories_table(report: ReportData, *, with_published: bool) -> TableData:
    """Return the shares of the failure categories."""
    keys = {category_key(category): name for category, name in CATEGORY_NAMES.items()}
    extra: list[tuple[Cell, ...]] = []
    notes = ["Shares of the failed episodes. Stopped short is ours: progress up to the end, still failed.", INTERVALS]
    if with_published:
        for row in published().categories:
            values = [getattr(row, category.value, None) for category in CATEGORY_NAMES]
            cells = [None if value is None else value / 100 for value in values]
            extra.append((f"{row.model} *", "default", None, *cells))
        notes.append(f"* {published().mark}; small shares were read off a figure.")
    return _shares(report, "categories", "Why episodes failed", "Failed", keys, tuple(extra), tuple(notes))


def shift_table(report: ReportData) -> TableData | None:
    """Return how far each model's failure categories in a setting are from those in its default; None without one."""
    from planbench_xl.statistics import distances, holm

    rows: list[list[Cell]] = []
    tested: dict[int, float] = {}
    for base, others in against_default(report):
        for run, found in zip(others, distances(_categories(base), list(map(_categories, others))), strict=True):
            if found.p is not None:
                tested[len(rows)] = found.p
            rows.append([run.model, run.setting, *found.counts, found.distance, found.by_chance, None])
    if not rows:
        return None
    for row, corrected in zip(tested, holm(list(tested.values())), strict=True):
        rows[row][-1] = corrected
    columns = (
        *RUN_COLUMNS,
        Column("Failed in default", "count"),
        Column("Failed", "count"),
        Column("Distance", "number"),
        Column("By chance", "number"),
        Column("p (Holm)", "p"),
    )
    notes = (
        "Distance: total variation distance of the shares of the failure categories from those of the same model in "
        "the default setting, on the queries that both runs have scored; 0 if they are alike, 1 if they have nothing "
        "in common. Brackets: 95 % intervals, from the upper end of 10,000 resamples of queries and as far down. By "
        "chance: the mean distance if the two settings are changed about in half of the queries at random, 10,000 "
        "times. p: how often that gives so large a distance, corrected by Holm's method for "
        f"{counted(len(tested), 'row')}.",
    )
    return TableData(
        name="shift",
        title="Shift of failure categories between settings",
        columns=columns,
        rows=tuple(map(tuple, rows)),
        notes=notes,
    )


def _categories(run: ReportRun) -> dict[str, tuple[int, ...]]:
    """Return how many episodes of each query failed in each category; infrastructure errors are left out."""
    found: dict[str, list[int]] = {}
    for row in run.episodes:
        if row.status is not Status.ERROR:
            counts = found.setdefault(row.query_id, [0] * len(CATEGORY_NAMES))
            for place, category in enumerate(CATEGORY_NAMES):
                counts[place] += row.category is category
    return {query: tuple(counts) for query, counts in found.items()}


def endings_table(report: ReportData) -> TableData:
    """Return the shares of the endings."""
    keys = {ending_key(ending): name for ending, name in ENDING_NAMES.items()}
    notes = ("Shares of the failed episodes without a format error.", INTERVALS)
    return _shares(report, "endings", "How failed episodes ended", "Failed, no format error", keys, (), notes)


def selection_table(report: ReportData, *, with_published: bool) -> TableData:
    """Return what tools were at hand when a call gave no progress."""
    rows: list[tuple[Cell, ...]] = [
        (run.model, run.setting, run.failures.counts["useful"], *(run.failures.shares[key] for key in SELECTION))
        for run in report.runs
    ]
    notes = [
        "At executed calls of failed episodes that gave no progress: a tool that would have was known; the tool "
        "called came with the current or the previous retrieval; the newest sighting of a useful tool is more than two "
        "retrievals back (of calls with one known); after drift, a useful tool comes again.",
        INTERVALS,
    ]
    if with_published:
        for row in published().selection:
            shares = (getattr(row, key) / 100 for key in SELECTION)
            rows.append(("all *", row.preset, None, *shares))
        notes.append(f"* {published().mark}.")
    columns = (*RUN_COLUMNS, Column("Calls", "count"), *SELECTION.values())
    return TableData(name="selection", title="Tools at hand", columns=columns, rows=tuple(rows), notes=tuple(notes))


def alternatives_table(report: ReportData) -> TableData:
    """Return which block alternatives were invoked, and what became of their values; a row per run and kind."""
    rows: list[tuple[Cell, ...]] = []
    for run in report.runs:
        failures = run.failures
        if not any(share.count for share in run.analysis.alternatives.values()):
            continue
        for kind, name in KIND_NAMES.items():
            shares = [failures.shares[follow_up_key(kind, one)] for one in FOLLOW_UP_NAMES]
            count = run.analysis.alternatives[kind.value].count
            rows.append((run.model, run.setting, name, count, failures.shares[invoked_key(kind)], *shares))
    columns = (
        *RUN_COLUMNS,
        Column("Kind"),
        Column("Invoked", "count"),
        Column("Share %", "percent"),
        *(Column(f"{name} %", "percent") for name in FOLLOW_UP_NAMES.values()),
    )
    notes = (
        "Share: of all block alternatives invoked. Follow-up: shares of those of the kind, in all episodes.",
        INTERVALS,
    )
    return TableData(
        name="alternatives", title="Block alternatives invoked", columns=columns, rows=tuple(rows), notes=notes
    )


def _shares(
    report: ReportData,
    name: str,
    title: str,
    count: str,
    keys: dict[str, str],
    extra: tuple[tuple[Cell, ...], ...],
    notes: tuple[str, ...],
) -> TableData:
    first = next(iter(keys))
    rows: list[tuple[Cell, ...]] = [
        (run.model, run.setting, run.failures.counts[first], *(run.failures.shares[key] for key in keys))
        for run in report.runs
    ]
    columns = (*RUN_COLUMNS, Column(count, "count"), *(Column(f"{head} %", "percent") for head in keys.values()))
    return TableData(name=name, title=title, columns=columns, rows=(*rows, *extra), notes=notes)
