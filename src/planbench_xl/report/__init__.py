"""Reports: tables of scores. They read scores, never an environment."""

from __future__ import annotations

from planbench_xl.report.table import MainTable, Row, as_dict, main_table, show

__all__ = ["MainTable", "Row", "as_dict", "main_table", "show"]
