"""Stage 5: tasks with all of their solution paths, chosen so that lengths, targets, inputs and flows are spread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

import msgspec

from planbench_xl.blocking import BlockingConfig, plan_reference
from planbench_xl.construct.domain import Domain
from planbench_xl.paths import ToolGraph, legal_orders, minimal_tool_sets, reachable
from planbench_xl.world import Record, Task, TaskPaths, Tool, text_form

MAX_STARTS = 3
"""A task names at most so many inputs, or all parts of one key."""


class TaskKnobs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tasks to choose.

    Attributes:
        lengths: How many tasks of each L*; the largest stands for itself and all above, up to `longest`.
        longest: No task has a larger L*.
        several_targets: Share of tasks with two targets.
        several_inputs: Share of tasks with two or three inputs.
        fewest_paths: A task has at least so many minimal tool sets; with two, blocking has a choice.
        most_paths: And at most so many, all of which are listed.
    """

    lengths: dict[int, int]
    longest: int = 14
    several_targets: float = 0.1
    several_inputs: float = 0.45
    fewest_paths: int = 2
    most_paths: int = 24


@dataclass(frozen=True)
class Found:
    """A possible task with all of its minimal tool sets, smallest first."""

    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    tool_sets: tuple[tuple[str, ...], ...]

    @property
    def length(self) -> int:
        """L*."""
        return len(self.tool_sets[0])


def make_tasks(
    domain: Domain,
    tools: Sequence[Tool],
    records: Sequence[Record],
    knobs: TaskKnobs,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[Task, ...], tuple[TaskPaths, ...]]:
    """Choose tasks and list their paths.

    Every task is solvable, no part of its inputs solves it, and its minimal tool sets are all listed.
    """
    rng = Random(f"{seed}||tasks||{domain.name}")
    graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in sorted(tools, key=lambda t: t.name))
    pool = list(find_tasks(domain, graph, knobs, rng, progress))
    chosen = choose_tasks(domain, pool, knobs, _supply(records), rng)
    tasks, paths = [], []
    width = len(str(len(chosen)))
    for number, found in enumerate(chosen, 1):
        task_id = f"{domain.name}_task_{number:0{width}d}"
        solution = next(legal_orders(graph, found.inputs, found.tool_sets[0]))
        tasks.append(Task(task_id, found.inputs, found.targets, found.length, solution))
        paths.append(TaskPaths(task_id, found.tool_sets))
    return tuple(tasks), tuple(paths)


def find_tasks(
    domain: Domain,
    graph: ToolGraph,
    knobs: TaskKnobs,
    rng: Random,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Found]:
    """Yield possible tasks, starts in a drawn order."""
    starts = list(_starts(domain, graph))
    rng.shuffle(starts)
    for number, (inputs, targets) in enumerate(starts, 1):
        single = []
        for target in targets:
            found = _solve(graph, inputs, (target,), knobs)
            if found is not None:
                single.append(found)
        yield from (found for found in single if found.length >= min(knobs.lengths))
        yield from _with_two_targets(graph, single, knobs, rng)
        if progress:
            progress(number, len(starts))


def _starts(domain: Domain, graph: ToolGraph) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield inputs, each with the targets for which every one of them is needed (paper: tasks)."""
    given = [name for name, field in domain.fields.items() if field.given]
    goals = frozenset(name for name, field in domain.fields.items() if field.asked)
    reach: dict[tuple[str, ...], frozenset[str]] = {(): reachable(graph, ())}
    for size in range(1, MAX_STARTS + 1):
        for inputs in combinations(given, size):
            # Only a tool that takes what two starts lead to makes both of them needed; most triples have none.
            parts = [reach[part] for part in combinations(inputs, size - 1) if part in reach]
            if len(parts) < size:
                parts = [reachable(graph, part) for part in combinations(inputs, size - 1)]
            reached = reachable(graph, inputs)
            if size < MAX_STARTS:
                reach[inputs] = reached
            targets = reached.difference(*parts, inputs) & goals
            if targets:
                yield inputs, tuple(sorted(targets))
    keys = {key.fields for entity in domain.entity for key in entity.key if len(key.fields) > MAX_STARTS}
    for inputs in sorted(key for key in keys if set(key) <= set(given)):
        parts = [reachable(graph, part) for part in combinations(inputs, len(inputs) - 1)]
        targets = reachable(graph, inputs).difference(*parts, inputs) & goals
        if targets:
            yield inputs, tuple(sorted(targets))


def _solve(graph: ToolGraph, inputs: tuple[str, ...], targets: tuple[str, ...], knobs: TaskKnobs) -> Found | None:
    """List all minimal tool sets; None if they are too few or too many, or too long."""
    listing = minimal_tool_sets(graph, inputs, targets, limit=knobs.most_paths)
    sets = [tuple(sorted(found)) for found in listing]
    if not listing.complete or len(sets) < knobs.fewest_paths or len(sets[0]) > knobs.longest:
        return None
    return Found(inputs, targets, tuple(sorted(sets, key=lambda found: (len(found), found))))


def _with_two_targets(graph: ToolGraph, single: Sequence[Found], knobs: TaskKnobs, rng: Random) -> Iterator[Found]:
    """Yield a few tasks that ask for two things at once."""
    for one, other in _pairs(single, rng):
        found = _solve(graph, one.inputs, (*one.targets, *other.targets), knobs)
        # A target that lies on the way to the other one adds nothing.
        if found is not None and found.length >= min(knobs.lengths) and found.length > max(one.length, other.length):
            yield found


PAIRS_DRAWN, PAIRS_TRIED = 60, 16
"""Pairs of targets per start: so many are drawn, and of these the ones with the fewest paths tried."""


def _pairs(single: Sequence[Found], rng: Random) -> list[tuple[Found, Found]]:
    pairs = list(combinations(single, 2))
    rng.shuffle(pairs)
    drawn = sorted(pairs[:PAIRS_DRAWN], key=lambda pair: len(pair[0].tool_sets) * len(pair[1].tool_sets))
    return drawn[:PAIRS_TRIED]


def _supply(records: Sequence[Record]) -> dict[str, int]:
    """Return, per datatype, how many values a single record holds: so many different answers there are."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        for name, value in record.values.items():
            counts[name][text_form(value)] += 1
    return {name: sum(count == 1 for count in held.values()) for name, held in counts.items()}


BLOCKED = (
    BlockingConfig(enabled=True, planner="reference", aim="remaining_paths", remaining_paths=1, tolerance=0),
    *(
        BlockingConfig(enabled=True, planner="reference", aim="disabled_ratio", disabled_ratio=ratio)
        for ratio in (0.2, 0.4, 0.6, 0.8)
    ),
)
"""What the paper's settings ask of a task's paths; the reference planner must find a plan for each."""


def can_be_blocked(found: Found) -> bool:
    """Say whether the reference planner finds a plan for all settings of the paper, with exactly one path left."""
    return all(plan_reference("", found.tool_sets, config, 0).resolved for config in BLOCKED)


MOST_SUPPLY = 0.75
"""Part of a target's different answers that is asked for; tasks with two targets need some choice of records."""


class _Use:
    """How often targets, inputs and flows have been chosen; what was used little comes next."""

    def __init__(self, domain: Domain, supply: Mapping[str, int]) -> None:
        self._supply = supply
        self._flow = {name: entity.flow for name, entity in domain.owner.items()}
        self._targets: Counter[str] = Counter()
        self._inputs: Counter[str] = Counter()
        self._flows: Counter[str] = Counter()

    def exhausted(self, found: Found) -> bool:
        """Say whether a target has been asked for as often as there are different answers."""
        return any(self._targets[name] >= self._supply[name] * MOST_SUPPLY for name in found.targets)

    def cost(self, found: Found) -> float:
        """Return how much of a task has been used already."""
        targets = sum(self._targets[name] for name in found.targets) / len(found.targets)
        inputs = sum(self._inputs[name] for name in found.inputs) / len(found.inputs)
        flows = sum(self._flows[self._flow[name]] for name in found.targets) / len(found.targets)
        return 3 * targets + inputs + 0.25 * flows

    def add(self, found: Found) -> None:
        """Count a task."""
        self._targets.update(found.targets)
        self._inputs.update(found.inputs)
        self._flows.update(self._flow[name] for name in found.targets)


def choose_tasks(
    domain: Domain, pool: Sequence[Found], knobs: TaskKnobs, supply: Mapping[str, int], rng: Random
) -> list[Found]:
    """Choose tasks: the rare lengths first, of each length what has been used least.

    What a length can't fill goes to the next shorter one, so that the number of tasks is met if at all possible.

    Args:
        domain: The domain.
        pool: All possible tasks.
        knobs: What is wanted.
        supply: How many different answers there are, per target.
        rng: What is drawn from.
    """
    last = max(knobs.lengths)
    by_length: dict[int, list[Found]] = defaultdict(list)
    for found in pool:
        by_length[min(found.length, last)].append(found)
    use = _Use(domain, supply)
    chosen: list[Found] = []
    missing = 0
    for length in sorted(knobs.lengths, reverse=True):
        wanted = knobs.lengths[length] + missing
        picked = _pick(by_length[length], wanted, knobs, use, rng)
        missing = wanted - len(picked)
        chosen += picked
    if missing:
        rest = [found for found in pool if found not in set(chosen)]
        chosen += _pick(rest, missing, knobs, use, rng)
    chosen.sort(key=lambda found: (found.length, rng.random()))
    return chosen


def _pick(pool: Sequence[Found], wanted: int, knobs: TaskKnobs, use: _Use, rng: Random) -> list[Found]:
    """Pick tasks one by one: now and then of several targets or inputs, else of one."""
    groups: Mapping[tuple[bool, bool], list[Found]] = defaultdict(list)
    for found in pool:
        groups[len(found.targets) > 1, len(found.inputs) > 1].append(found)
    for group in groups.values():
        rng.shuffle(group)
    picked: list[Found] = []
    while len(picked) < wanted:
        kind = rng.random() < knobs.several_targets, rng.random() < knobs.several_inputs
        # Where a kind runs out, the one that differs in its inputs comes next.
        order = (kind, (kind[0], not kind[1]), (not kind[0], kind[1]), (not kind[0], not kind[1]))
        best = next((one for key in order if (one := _best(groups[key], use)) is not None), None)
        if best is None:
            break
        use.add(best)
        picked.append(best)
    return picked


def _best(group: list[Found], use: _Use) -> Found | None:
    """Take from a group what has been used least and can be asked and blocked; what can't goes for good."""
    while group:
        best = min(range(len(group)), key=lambda place: use.cost(group[place]))
        found = group.pop(best)
        if not use.exhausted(found) and can_be_blocked(found):
            return found
    return None
