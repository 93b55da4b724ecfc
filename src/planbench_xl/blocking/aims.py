"""The exact planner's aims: each chooses the tools to block on the full set of a task's paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice
from random import Random

import msgspec

from planbench_xl.blocking.config import BlockingConfig
from planbench_xl.blocking.hitting import smallest_hitting_set
from planbench_xl.paths import ToolGraph, some_minimal_set, survivors

Path = frozenset[str]

MAX_STATES = 3_000
"""Different outcomes that the search for a number of paths looks at before it goes on greedily."""

MAX_TRIES = 200
"""Plans that the search for several remaining paths counts."""


class Problem(msgspec.Struct, frozen=True):
    """A task as the aims see it.

    Attributes:
        graph: The executable tools.
        start: Datatypes given.
        targets: Datatypes wanted.
        paths: All paths of at most `bound` tools, in order of size.
        executing: Numbers of those that execute on the records of the task's queries; at least one.
        bound: The bound.
    """

    graph: ToolGraph
    start: tuple[str, ...]
    targets: tuple[str, ...]
    paths: tuple[Path, ...]
    executing: tuple[int, ...]
    bound: int


class Choice(msgspec.Struct, frozen=True):
    """The tools to block, and what is known about them; the fields are those of `Certificate` and `BlockPlan`."""

    blocked: frozenset[str]
    kept: Path
    remaining: int
    wanted: int
    miss: int
    nearest: bool
    fewest: bool
    path_bound: int | None


Aim = Callable[[Problem, BlockingConfig, Random], Choice | str]
"""Returns a choice, or the reason why there is none."""


def aim_for(config: BlockingConfig) -> Aim:
    """Return the aim that a configuration names."""
    if config.aim == "remaining_paths" and config.remaining_paths == 1:
        return one_path
    return AIMS[config.aim]


def one_path(problem: Problem, config: BlockingConfig, rng: Random) -> Choice:
    """Keep one path and no other, however long."""
    kept = _pick(problem, config, rng)
    blocked, fewest = isolate(problem, kept, rng)
    return Choice(blocked, kept, 1, 1, 0, True, fewest, None)


def _pick(problem: Problem, config: BlockingConfig, rng: Random) -> Path:
    """Draw the path to keep among those that execute."""
    paths = [problem.paths[number] for number in problem.executing]
    lengths = sorted({len(path) for path in paths})
    if config.length != "any":
        wanted = {"shortest": lengths[0], "longest": lengths[-1]}.get(config.length) or rng.choice(lengths)
        paths = [path for path in paths if len(path) == wanted]
    return paths[rng.randrange(len(paths))]


def isolate(problem: Problem, kept: Path, rng: Random) -> tuple[frozenset[str], bool]:
    """Return a smallest set of tools whose blocking leaves one path, and whether it is proved to be smallest.

    Another path exists exactly if the targets can be reached without some tool of the kept one. Each such path has a
    tool outside the kept one, so the blocked tools have to hit all these differences. The known paths give the first
    ones; paths that get past a smallest hitting set give more, until none does.
    """
    names = sorted(set(problem.graph.tools) - kept)
    rng.shuffle(names)
    bit = {name: 1 << number for number, name in enumerate(names)}
    differences = {sum(bit[name] for name in path - kept) for path in problem.paths if path != kept}
    while True:
        hit = smallest_hitting_set(differences)
        blocked = frozenset(name for name in names if bit[name] & hit.mask)
        past = list(_other_paths(problem, kept, blocked))
        if not past:
            return blocked, hit.smallest
        differences.update(sum(bit[name] for name in path - kept) for path in past)


def _other_paths(problem: Problem, kept: Path, blocked: frozenset[str]) -> Iterator[Path]:
    """Yield paths other than the kept one that avoid the blocked tools; none if there is none."""
    for tool in sorted(kept):
        path = some_minimal_set(problem.graph, problem.start, problem.targets, blocked | {tool})
        if path is not None:
            yield path


def several_paths(problem: Problem, config: BlockingConfig, rng: Random) -> Choice:
    """Leave a number of paths, however long: one is isolated, then some of its blocked tools are let go again."""
    wanted = config.remaining_paths
    total = _count(problem, frozenset(), wanted + 1)
    if total <= wanted:
        kept = problem.paths[problem.executing[0]]
        return Choice(frozenset(), kept, total, wanted, wanted - total, True, True, None)
    best: Choice | None = None
    tries = 0
    while tries < MAX_TRIES and (best is None or best.miss):
        kept = _pick(problem, config, rng)
        isolating, _ = isolate(problem, kept, rng)
        tools = rng.sample(sorted(isolating), len(isolating))
        subsets = (frozenset(c) for size in range(len(tools) + 1) for c in combinations(tools, size))
        for freed in islice(subsets, MAX_TRIES // 4):
            tries += 1
            blocked = isolating - freed
            limit = 2 * wanted + 1 if best is None else wanted + best.miss
            remaining = _count(problem, blocked, limit)
            miss = abs(remaining - wanted)
            if best is None or miss < best.miss:
                best = Choice(blocked, kept, remaining, wanted, miss, miss == 0, False, None)
            if not miss:
                break
    assert best is not None
    return best


def _count(problem: Problem, blocked: frozenset[str], limit: int) -> int:
    return sum(1 for _ in survivors(problem.graph, problem.start, problem.targets, blocked, limit=limit))


def share_of_paths(problem: Problem, config: BlockingConfig, rng: Random) -> Choice | str:
    """Leave a share or a number of the paths within the bound."""
    total = len(problem.paths)
    by_ratio = config.aim == "disabled_ratio"
    wanted = round(total * config.remaining_ratio) if by_ratio else total - config.blocked_paths
    wanted = max(config.min_remaining, min(wanted, total))
    return _nearest(problem, wanted, rng)


def _nearest(problem: Problem, wanted: int, rng: Random) -> Choice:
    """Search the outcomes of blocking, by number of tools, for one that leaves the wanted number of paths.

    Two sets of tools that block the same paths are one outcome. The search is complete unless it has to stop after
    `MAX_STATES` outcomes; from there on only the nearest ones are followed.
    """
    tools = sorted(set().union(*problem.paths))
    rng.shuffle(tools)
    hits = {tool: sum(1 << n for n, path in enumerate(problem.paths) if tool in path) for tool in tools}
    executing = sum(1 << number for number in problem.executing)
    total = len(problem.paths)
    level: dict[int, tuple[str, ...]] = {0: ()}
    seen = {0}
    best: tuple[int, tuple[str, ...]] = (0, ())
    best_miss, complete = total - wanted, True
    while level and best_miss:
        grown: dict[int, tuple[str, ...]] = {}
        for lost, blocked in level.items():
            for tool in tools:
                after = lost | hits[tool]
                left = total - after.bit_count()
                if after in seen or left <= wanted - best_miss or not executing & ~after:
                    continue
                seen.add(after)
                grown[after] = (*blocked, tool)
                if abs(left - wanted) < best_miss:
                    best, best_miss = (after, grown[after]), abs(left - wanted)
        if len(seen) > MAX_STATES and best_miss:
            complete = False
            nearest = sorted(grown, key=lambda after: (abs(total - after.bit_count() - wanted), len(grown[after])))
            grown = {after: grown[after] for after in nearest[:8]}
        level = grown
    lost, blocked = best
    open_paths = [number for number in problem.executing if not lost >> number & 1]
    kept = problem.paths[rng.choice(open_paths)]
    remaining = total - lost.bit_count()
    exact = complete or not best_miss
    return Choice(frozenset(blocked), kept, remaining, wanted, best_miss, exact, complete, problem.bound)


def number_of_tools(problem: Problem, config: BlockingConfig, rng: Random) -> Choice:
    """Block a number of tools that lie on paths within the bound, beside a kept one."""
    wanted = config.blocked_tools
    on_paths = frozenset[str]().union(*problem.paths)
    paths = [problem.paths[number] for number in problem.executing]
    roomy = [path for path in paths if len(on_paths - path) >= wanted]
    kept = rng.choice(roomy) if roomy else min(paths, key=lambda path: (len(path), sorted(path)))
    others = sorted(on_paths - kept)
    blocked = frozenset(rng.sample(others, min(wanted, len(others))))
    remaining = sum(1 for path in problem.paths if not path & blocked)
    miss = wanted - len(blocked)
    return Choice(blocked, kept, remaining, wanted, miss, True, True, problem.bound)


def longer_shortest(problem: Problem, config: BlockingConfig, rng: Random) -> Choice | str:
    """Raise L* by a number of tools: every shorter path is disabled and one of the wanted length stays."""
    before = len(problem.paths[0])
    wanted = before + config.raise_shortest
    paths = [problem.paths[number] for number in problem.executing if len(problem.paths[number]) == wanted]
    if wanted > problem.bound:
        return f"paths of {wanted} tools are beyond the bound of {problem.bound}; raise blocking.max_extra"
    if not paths:
        return f"no path of {wanted} tools executes on the records"
    kept = rng.choice(paths)
    names = sorted(set(problem.graph.tools) - kept)
    rng.shuffle(names)
    bit = {name: 1 << number for number, name in enumerate(names)}
    shorter = [path for path in problem.paths if len(path) < wanted]
    hit = smallest_hitting_set(sum(bit[name] for name in path - kept) for path in shorter)
    blocked = frozenset(name for name in names if bit[name] & hit.mask)
    remaining = sum(1 for path in problem.paths if not path & blocked)
    return Choice(blocked, kept, remaining, wanted, 0, True, hit.smallest, problem.bound)


AIMS: dict[str, Aim] = {
    "remaining_paths": several_paths,
    "disabled_ratio": share_of_paths,
    "blocked_paths": share_of_paths,
    "blocked_tools": number_of_tools,
    "raise_shortest": longer_shortest,
}
"""Aims by the name that configurations use."""
