"""Audits of a world: what makes scores wrong or easy to misread, its solution paths, and its retrieval."""

from __future__ import annotations

from planbench_xl.audit.audit import audit
from planbench_xl.audit.report import AuditReport, Finding, Level, TaskFigures

__all__ = ["AuditReport", "Finding", "Level", "TaskFigures", "audit"]
