"""Mixes distractors among the tools found, and orders the result (reference protocol, section 3)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from random import Random

from planbench_xl.retrieval.request import Request
from planbench_xl.world import Role, Tool

TOOL_TYPES = {
    Role.EXECUTABLE: "baseline",
    Role.DISTRACTOR: "noisy_misleading",
    Role.BLOCK_ALTERNATIVE: "blocker_misleading",
}
"""The release's word for each role; it enters the seed of the final order."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True)

PER_GROUP_FIRST = 2
"""Distractors that each unblocked group may take before blocked groups get any."""


class _Group:
    """The tools found for one executable tool, and the distractors it may still get."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.primary: list[Tool] = []
        self.blocked = False
        self.pool: list[Tool] = []
        self.selected: list[Tool] = []


def seeded(text: str) -> Random:
    """Return a generator seeded by the 16-byte BLAKE2b digest of a text."""
    return Random(int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big"))


def mix_distractors(
    primary: Sequence[Tool], distractors: Mapping[str, Sequence[Tool]], domain: str, max_tools: int
) -> list[Tool]:
    """Return the tools found, each group followed by its share of distractors.

    Args:
        primary: Tools found, after blocking.
        distractors: Distractors by executable tool, sorted by name.
        domain: Domain word of the world; part of the seed.
        max_tools: Distractors fill the result up to this many tools.
    """
    present: dict[str, Tool] = {}
    for tool in primary:
        present.setdefault(tool.name, tool)
    groups: dict[str, _Group] = {}
    for tool in present.values():
        source = tool.source or tool.name
        group = groups.setdefault(source, _Group(source))
        group.primary.append(tool)
        group.blocked |= tool.role is Role.BLOCK_ALTERNATIVE
    for group in groups.values():
        group.pool = [tool for tool in distractors.get(group.source, ()) if tool.name not in present]
    total = sum(len(group.pool) for group in groups.values())
    budget = min(total, max(0, max_tools - len(present)))
    if budget > 0:
        labels = [f"{g.source}:{'blocked' if g.blocked else 'baseline'}:{len(g.primary)}" for g in groups.values()]
        rng = seeded("||".join([domain, str(budget), *labels]))
        for group in groups.values():
            rng.shuffle(group.pool)
        _select(list(groups.values()), budget, rng)
    return [tool for group in groups.values() for tool in (*group.primary, *group.selected)]


def _select(groups: list[_Group], budget: int, rng: Random) -> None:
    unblocked = [group for group in groups if not group.blocked]
    first = min(budget, PER_GROUP_FIRST * len(unblocked))
    budget -= first
    while first > 0:
        eligible = [g for g in unblocked if g.pool and len(g.selected) < PER_GROUP_FIRST]
        if not eligible:
            break
        first = _round(eligible, first, rng)
    budget += first
    while budget > 0:
        open_groups = [group for group in groups if group.pool]
        if not open_groups:
            break
        fewest = min(len(group.selected) for group in open_groups)
        budget = _round([g for g in open_groups if len(g.selected) == fewest], budget, rng)


def _round(eligible: list[_Group], budget: int, rng: Random) -> int:
    """Let each eligible group, in random order, take one distractor; return the budget that is left."""
    rng.shuffle(eligible)
    for group in eligible[:budget]:
        group.selected.append(group.pool.pop())
    return budget - min(budget, len(eligible))


def final_order(tools: Sequence[Tool], request: Request, seed: int, task_id: str, query_id: str) -> list[Tool]:
    """Return the tools in the order in which the agent sees them."""
    if len(tools) < 2:
        return list(tools)
    # The text is that of json.dumps with sorted keys; its slow part, the tools, is put together from pieces.
    pieces = ", ".join(_piece(tool.name, tool.role) for tool in tools)
    text = (
        f'{{"global_seed": {seed}, "query_id": {_dump(query_id)}, "request": {_dump(request)}, '
        f'"task_id": {_dump(task_id)}, "tools": [{pieces}]}}'
    )
    return shuffled(tools, seeded(text))


def shuffled(items: Sequence[Tool], rng: Random) -> list[Tool]:
    """Return items in the order that `rng.shuffle` would give; twice as fast, and it is half of a retrieval's cost."""
    ordered = list(items)
    draw = rng.getrandbits
    for last in range(len(ordered) - 1, 0, -1):
        width = (last + 1).bit_length()
        chosen = draw(width)
        while chosen > last:
            chosen = draw(width)
        ordered[last], ordered[chosen] = ordered[chosen], ordered[last]
    return ordered


def _dump(value: object) -> str:
    return _ENCODER.encode(value)


@lru_cache(maxsize=100_000)
def _piece(name: str, role: Role) -> str:
    return f'{{"name": {_dump(name)}, "tool_type": "{TOOL_TYPES[role]}"}}'
