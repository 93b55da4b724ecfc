"""What a planner decides, and what it does to retrieval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from planbench_xl.world import Kind, Tool


class PlanStatus(StrEnum):
    """How planning came out.

    `success`: tools are blocked as the aim says, or as near to it as the plan states. `not_blockable`: the aim is met
    best with nothing blocked, as for a task with a single path. `unresolved`: there is no plan, and the task runs
    unblocked.
    """

    SUCCESS = "success"
    NOT_BLOCKABLE = "not_blockable"
    UNRESOLVED = "unresolved"


class Certificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the exact planner claims about a plan; `check_plan` verifies it from the world alone.

    Attributes:
        aim: What the plan was made for.
        wanted: The number that the aim asks for: paths left, tools blocked, or the length to reach.
        miss: By how much the plan misses it.
        nearest: No other choice of tools comes nearer (within `path_bound` where that counts).
        fewest: No smaller set of tools does it.
        shortest_before: L* without blocking.
        shortest_after: L* with these tools blocked.
        path_bound: Only paths of at most this many tools were counted; None: all of them, however long.
        paths_before: Number of paths without blocking, counted so; a lower bound if `path_bound` is None.
    """

    aim: str
    wanted: int
    miss: int
    nearest: bool
    fewest: bool
    shortest_before: int
    shortest_after: int
    path_bound: int | None
    paths_before: int


class BlockPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The blocked tools of a task.

    Attributes:
        task_id: The task.
        status: How planning came out.
        blocked: Blocked executable tools with the kinds of alternatives that replace each, in order.
        remaining: Number of paths that avoid every blocked tool: of the listed ones for the reference planner, of all
            that the certificate counts for the exact one.
        kept_path: A remaining path in a legal order; with the exact planner it executes on the records of the task's
            queries.
        reason: Why the plan is unresolved or blocks nothing.
        certificate: The exact planner's claims.
    """

    task_id: str
    status: PlanStatus
    blocked: dict[str, tuple[Kind, ...]]
    remaining: int
    kept_path: tuple[str, ...] = ()
    reason: str = ""
    certificate: Certificate | None = None

    @property
    def resolved(self) -> bool:
        """Whether the aim holds, or nearly so."""
        return self.status is not PlanStatus.UNRESOLVED


def replace_blocked(
    tools: Iterable[Tool], blocked: Mapping[str, tuple[Kind, ...]], alternatives: Mapping[str, tuple[Tool, ...]]
) -> list[Tool]:
    """Return the tools with each blocked one replaced, in place, by its alternatives of the planned kinds.

    Args:
        tools: Tools found.
        blocked: Kinds per blocked tool.
        alternatives: Block alternatives by executable tool, in the order explicit, implicit, misleading.
    """
    shown: list[Tool] = []
    for tool in tools:
        kinds = blocked.get(tool.name)
        if kinds is None:
            shown.append(tool)
        else:
            shown.extend(other for other in alternatives.get(tool.name, ()) if other.kind in kinds)
    return shown
