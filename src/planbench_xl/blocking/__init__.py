"""Blocking: plans of tools to block, their certificates, and their replacement at retrieval time."""

from __future__ import annotations

from planbench_xl.blocking.check import check_plan
from planbench_xl.blocking.config import BlockingConfig
from planbench_xl.blocking.exact import ExactPlanner
from planbench_xl.blocking.plan import BlockPlan, Certificate, PlanStatus, replace_blocked
from planbench_xl.blocking.planner import Planner
from planbench_xl.blocking.reference import all_resolved, plan_reference

__all__ = [
    "BlockPlan",
    "BlockingConfig",
    "Certificate",
    "ExactPlanner",
    "PlanStatus",
    "Planner",
    "all_resolved",
    "check_plan",
    "plan_reference",
    "replace_blocked",
]
