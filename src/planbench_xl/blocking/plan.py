"""What a planner decides, and what it does to retrieval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from planbench_xl.world import Kind, Tool


class BlockPlan(msgspec.Struct, frozen=True):
    """The blocked tools of a task.

    Attributes:
        task_id: The task.
        resolved: The planner met its aim; if not, nothing is blocked.
        blocked: Blocked executable tools with the kinds of alternatives that replace each, in order.
        remaining: Number of listed paths that avoid every blocked tool.
    """

    task_id: str
    resolved: bool
    blocked: dict[str, tuple[Kind, ...]]
    remaining: int


def replace_blocked(
    tools: Iterable[Tool],
    blocked: Mapping[str, tuple[Kind, ...]],
    alternatives: Mapping[str, tuple[Tool, ...]],
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
