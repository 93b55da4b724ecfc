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
        planner: `exact` plans on all paths that the tools allow, `reference` on the listed ones, as the release does.
        aim: What to reach: a number of remaining paths, a share of disabled paths, a number of blocked paths; with the
            exact planner also a number of blocked tools, or a longer L*.
        remaining_paths: Paths to leave (aim `remaining_paths`).
        disabled_ratio: Share of the paths to disable, 0 to 1 (aim `disabled_ratio`). The release's
            configurations state the remaining ratio, one minus this.
        blocked_paths: Paths to disable (aim `blocked_paths`).
        blocked_tools: Tools to block (aim `blocked_tools`).
        raise_shortest: By how many tools L* grows (aim `raise_shortest`).
        max_extra: The exact planner chooses among, and counts, paths of up to this many tools more than L*.
        tolerance: How far from the aim a plan of the reference planner may end, in paths.
        min_remaining: Paths that must remain.
        length: Prefer plans whose remaining paths are long, short or of a (mean) length drawn at random.
        fewest_tools: The reference planner then prefers plans that block the fewest tools; the exact one always does.
        alternatives: Replace a blocked tool by all `kinds`, by one of all three kinds drawn at random, or by
            `kinds_drawn` of them.
        kinds: Kinds of alternatives (alternatives `listed`).
        kinds_drawn: Number of kinds drawn per tool (alternatives `random_several`).
        max_blocked: Largest number of tools a plan of the reference planner may block.
        max_candidates: Largest number of plans that it considers per task.
    """

    enabled: bool = False
    planner: Literal["exact", "reference"] = "exact"
    aim: Literal["remaining_paths", "disabled_ratio", "blocked_paths", "blocked_tools", "raise_shortest"] = (
        "remaining_paths"
    )
    remaining_paths: int = 1
    disabled_ratio: float = 0.4
    blocked_paths: int = 1
    blocked_tools: int = 1
    raise_shortest: int = 1
    max_extra: int = 3
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
