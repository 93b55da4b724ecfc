"""Blocking: plans of tools to block, and their replacement at retrieval time."""

from __future__ import annotations

from planbench_xl.blocking.config import BlockingConfig
from planbench_xl.blocking.plan import BlockPlan, replace_blocked
from planbench_xl.blocking.reference import plan_reference

__all__ = ["BlockPlan", "BlockingConfig", "plan_reference", "replace_blocked"]
