"""The report page: every run, every failure class, every episode turn by turn. It works from disk."""

from __future__ import annotations

from planbench_xl.report.page.writing import PageWriter, is_page, write_page

__all__ = ["PageWriter", "is_page", "write_page"]
