"""The tables of a report."""

from __future__ import annotations

from planbench_xl.report.data import ReportData, TableData
from planbench_xl.report.tables.failures import (
    alternatives_table,
    categories_table,
    endings_table,
    selection_table,
    shift_table,
)
from planbench_xl.report.tables.ranking import noise_table, ranking_tables
from planbench_xl.report.tables.results import (
    all_figures,
    correlation_table,
    main_results,
    passes_table,
    settings_table,
    slices_table,
)

__all__ = ["tables_of"]


def tables_of(report: ReportData, *, with_published: bool) -> tuple[TableData, ...]:
    """Return every table that the runs of a report allow.

    Args:
        report: The report.
        with_published: Add the paper's figures, in rows of their own that are marked as such.
    """
    found = [
        main_results(report, with_published=with_published),
        all_figures(report),
        settings_table(report),
        *ranking_tables(report),
        noise_table(report),
        slices_table(report),
        passes_table(report),
        correlation_table(report),
        categories_table(report, with_published=with_published),
        shift_table(report),
        endings_table(report),
        selection_table(report, with_published=with_published),
        alternatives_table(report),
    ]
    return tuple(table for table in found if table is not None and table.rows)
