"""The reference planner (reference protocol, section 6): a search over few blocked tools of the listed paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from hashlib import sha256
from itertools import combinations, islice
from math import comb
from operator import or_
from random import Random

from planbench_xl.blocking.config import BlockingConfig
from planbench_xl.blocking.plan import BlockPlan, PlanStatus
from planbench_xl.world import BLOCK_KINDS, Kind

ToolSet = Sequence[str]
Candidate = tuple[str, ...]


def plan_reference(task_id: str, paths: Sequence[ToolSet], config: BlockingConfig, seed: int) -> BlockPlan:
    """Choose the tools to block for a task.

    Args:
        task_id: The task; its name enters the seed.
        paths: The task's listed tool sets.
        config: What to aim at.
        seed: Seed of the setting.
    """
    rng = Random(seed + int.from_bytes(sha256(task_id.encode()).digest()[:8], "big"))
    hits = _hits(paths)
    kept = _candidates(list(hits), hits, len(paths), config)
    if not kept:
        reason = f"no choice of at most {config.max_blocked} listed tools comes near enough to the aim"
        return BlockPlan(task_id, PlanStatus.UNRESOLVED, {}, len(paths), reason=reason)
    pool = [candidate for candidate, _ in kept]
    if config.length != "any":
        pool = _by_length(kept, paths, config, rng)
    if config.fewest_tools:
        fewest = min(map(len, pool))
        pool = [candidate for candidate in pool if len(candidate) == fewest]
    chosen = pool[rng.randrange(len(pool))]
    blocked = {tool: draw_alternatives(config, rng) for tool in chosen}
    remaining = dict(kept)[chosen]
    status = PlanStatus.SUCCESS if chosen else PlanStatus.NOT_BLOCKABLE
    left = [tuple(path) for number, path in enumerate(paths) if remaining >> number & 1]
    return BlockPlan(task_id, status, blocked, remaining.bit_count(), min(left, key=len))


def all_resolved(paths: Sequence[ToolSet], configs: Sequence[BlockingConfig]) -> bool:
    """Say whether `plan_reference` finds a plan for each of some configurations.

    It is the same search, over outcomes rather than plans, and once for all configurations that differ in their aims.

    Args:
        paths: The listed tool sets of a task.
        configs: Configurations of the same `max_blocked` and `max_candidates`.
    """
    waiting = list(configs)
    for remaining in _remaining(paths, configs[0].max_blocked, configs[0].max_candidates):
        waiting = [config for config in waiting if not _fits(remaining, len(paths), config)]
        if not waiting:
            return True
    return False


def _hits(paths: Sequence[ToolSet]) -> dict[str, int]:
    """Return the bit set of the paths that each tool lies on, by name."""
    hits: dict[str, int] = {}
    for number, path in enumerate(paths):
        for tool in path:
            hits[tool] = hits.get(tool, 0) | 1 << number
    return dict(sorted(hits.items()))


def _fits(remaining: int, total: int, config: BlockingConfig) -> bool:
    tolerance = config.tolerance if config.aim != "blocked_paths" else 0
    return remaining >= config.min_remaining and abs(remaining - _target(total, config)) <= tolerance


def _remaining(paths: Sequence[ToolSet], max_blocked: int, max_candidates: int) -> Iterator[int]:
    """Yield the numbers of paths that the plans leave which `_candidates` considers, each once."""
    hits = list(_hits(paths).values())
    total = len(paths)
    seen: set[int] = set()
    # Tools on the same paths are interchangeable, so what is lost takes fewer values than there are plans.
    lost = {0}
    left = max_candidates
    for size in range(max_blocked + 1):
        plans = comb(len(hits), size)
        if plans > left:
            rest = (reduce(or_, plan, 0) for plan in islice(combinations(hits, size), left))
            yield from _unseen(rest, total, seen)
            return
        if size:
            lost = {one | hit for one in lost for hit in set(hits)}
        yield from _unseen(lost, total, seen)
        left -= plans


def _unseen(lost: Iterable[int], total: int, seen: set[int]) -> Iterator[int]:
    for mask in lost:
        remaining = total - mask.bit_count()
        if remaining not in seen:
            seen.add(remaining)
            yield remaining


def _candidates(
    tools: Sequence[str], hits: dict[str, int], total: int, config: BlockingConfig
) -> list[tuple[Candidate, int]]:
    """Return the plans nearest to the aim, each with the bit set of the paths that remain."""
    everything = (1 << total) - 1
    best: list[tuple[Candidate, int]] = []
    best_distance = config.tolerance if config.aim != "blocked_paths" else 0
    target = _target(total, config)
    considered = 0
    for size in range(config.max_blocked + 1):
        for candidate in combinations(tools, size):
            considered += 1
            if considered > config.max_candidates:
                return best
            lost = 0
            for tool in candidate:
                lost |= hits[tool]
            remaining = total - lost.bit_count()
            distance = remaining - target if remaining >= target else target - remaining
            if distance > best_distance or remaining < config.min_remaining:
                continue
            if distance < best_distance:
                best.clear()
                best_distance = distance
            best.append((candidate, everything & ~lost))
    return best


def _target(total: int, config: BlockingConfig) -> int:
    """Return the number of paths that should remain."""
    if config.aim == "blocked_paths":
        return total - min(config.blocked_paths, total)
    wanted = config.remaining_paths
    if config.aim == "disabled_ratio":
        wanted = round(total * config.remaining_ratio)
    return max(config.min_remaining, min(wanted, total))


def _by_length(
    kept: Sequence[tuple[Candidate, int]], paths: Sequence[ToolSet], config: BlockingConfig, rng: Random
) -> list[Candidate]:
    """Return the plans whose remaining paths have the wanted mean length."""
    sizes = [len(set(path)) for path in paths]
    means: dict[int, Fraction] = {}
    for _, remaining in kept:
        if remaining not in means:
            lengths = [size for i, size in enumerate(sizes) if remaining >> i & 1]
            means[remaining] = Fraction(sum(lengths), len(lengths))
    distinct = sorted(set(means.values()))
    if config.length == "longest":
        wanted = distinct[-1]
    elif config.length == "shortest":
        wanted = distinct[0]
    else:
        wanted = distinct[rng.randrange(len(distinct))]
    return [candidate for candidate, remaining in kept if means[remaining] == wanted]


def draw_alternatives(config: BlockingConfig, rng: Random) -> tuple[Kind, ...]:
    """Return the kinds of alternatives that replace one blocked tool."""
    if config.alternatives == "listed":
        return config.kinds
    if config.alternatives == "random_one":
        return (BLOCK_KINDS[rng.randrange(len(BLOCK_KINDS))],)
    return tuple(rng.sample(BLOCK_KINDS, config.kinds_drawn))
