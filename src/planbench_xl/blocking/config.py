"""Which tools of a task are blocked, and by what they are replaced."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import msgspec

from planbench_xl.world import BLOCK_KINDS, Kind


class BlockingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Blocking as part of a setting (reference protocol, section 6).

    Attributes:
        enabled: Block at all.
        planner: Name of the planner.
        aim: What to reach: a number of remaining paths, a share of disabled paths, or a number of blocked paths.
        remaining_paths: Paths to leave (aim `remaining_paths`).
        disabled_ratio: Share of the paths to disable, 0 to 1 (aim `disabled_ratio`). The release's
            configurations state the remaining ratio, one minus this.
        blocked_paths: Paths to disable (aim `blocked_paths`).
        tolerance: How far from the aim a plan may end, in paths.
        min_remaining: Paths that must remain.
        length: Prefer plans whose remaining paths are long, short or of a mean length drawn at random.
        fewest_tools: Then prefer plans that block the fewest tools.
        alternatives: Replace a blocked tool by all `kinds`, by one of all three kinds drawn at random, or by
            `kinds_drawn` of them.
        kinds: Kinds of alternatives (alternatives `listed`).
        kinds_drawn: Number of kinds drawn per tool (alternatives `random_several`).
        max_blocked: Largest number of tools a plan may block.
        max_candidates: Largest number of plans to consider per task.
    """

    enabled: bool = False
    planner: Literal["reference"] = "reference"
    aim: Literal["remaining_paths", "disabled_ratio", "blocked_paths"] = "remaining_paths"
    remaining_paths: int = 1
    disabled_ratio: float = 0.4
    blocked_paths: int = 1
    tolerance: int = 1
    min_remaining: int = 1
    length: Literal["any", "longest", "shortest", "random"] = "any"
    fewest_tools: bool = False
    alternatives: Literal["listed", "random_one", "random_several"] = "listed"
    kinds: tuple[Kind, ...] = BLOCK_KINDS
    kinds_drawn: int = 3
    max_blocked: int = 4
    max_candidates: int = 20_000

    @property
    def remaining_ratio(self) -> float:
        """One minus the disabled ratio, as the decimal fraction that one would write (0.2 for 0.8)."""
        return float(1 - Decimal(repr(self.disabled_ratio)))
