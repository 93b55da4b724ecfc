"""The words and the order in which tables and figures name things."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planbench_xl.analysis.model import Category, Ending, FollowUp
from planbench_xl.report.data import Column
from planbench_xl.world import Kind

MAIN = (
    "accuracy",
    "egt_precision",
    "turns",
    "edt",
    "search_to_call",
    "itcr",
    "uirr",
    "forward_to_backward",
)
"""Figures of the main table, in its order."""

METRIC_COLUMNS: Mapping[str, Column] = {
    "accuracy": Column("Acc %", "percent"),
    "egt_precision": Column("EGT-P %", "percent"),
    "egt_recall": Column("EGT-R %", "percent"),
    "turns": Column("Turns", "number"),
    "edt": Column("EDT", "number"),
    "search_to_call": Column("S/C", "number"),
    "itcr": Column("ITCR %", "percent"),
    "uirr": Column("UIRR %", "percent"),
    "forward_to_backward": Column("F/B", "number"),
    "by_output_share": Column("By output %", "percent"),
    "distractors_per_call": Column("Distractors/call %", "percent"),
    "distractors_per_episode": Column("Distractors/episode", "number"),
    "progress_per_call": Column("Progress/call %", "percent"),
    "unreadable_per_turn": Column("Unreadable %", "percent"),
    "parsing_failures": Column("Parsing failures %", "percent"),
    "egt_precision_exact": Column("EGT-P exact %", "percent"),
    "egt_recall_exact": Column("EGT-R exact %", "percent"),
    "progress_per_call_exact": Column("Progress/call exact %", "percent"),
}
"""How each metric is headed and shown."""

CATEGORY_NAMES: Mapping[Category, str] = {
    Category.NO_TRACTION: "No traction",
    Category.IRRECOVERABLE_DRIFT: "Irrecoverable drift",
    Category.WEAK_RECOVERY: "Weak recovery",
    Category.STOPPED_SHORT: "Stopped short",
    Category.FORMAT_ERROR: "Format error",
}
"""The failure categories, in the order of the paper."""

ENDING_NAMES: Mapping[Ending, str] = {
    Ending.SURRENDER: "Surrender",
    Ending.WRONG_TOOL_VALUE: "Wrong tool value",
    Ending.SEARCH_EXHAUSTION: "Search exhaustion",
}

KIND_NAMES: Mapping[Kind, str] = {
    Kind.EXPLICIT: "Explicit failure",
    Kind.IMPLICIT: "Implicit failure",
    Kind.MISLEADING: "Semantically misleading",
}
"""Kinds of block alternatives."""

FOLLOW_UP_NAMES: Mapping[FollowUp, str] = {
    FollowUp.VALUE_REUSED: "Value reused",
    FollowUp.SEARCH_REUSED: "Search reused",
    FollowUp.UNUSED: "Unused",
}


def slug(name: str) -> str:
    """Return a name as a part of a file's name: labels are others' text, and may hold what leads elsewhere."""
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", name).strip(".-")[:80] or "unnamed"
