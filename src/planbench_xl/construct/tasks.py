"""Stage 5: tasks with all of their solution paths, chosen so that lengths, targets, inputs and flows are spread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from random import Random

from planbench_xl.blocking import BlockingConfig, all_resolved
from planbench_xl.construct.domain import Domain
from planbench_xl.construct.possible import Found, TaskKnobs, find_tasks
from planbench_xl.engines import EngineName, crew
from planbench_xl.paths import ToolGraph, legal_orders
from planbench_xl.world import Record, Task, TaskPaths, Tool, text_form


def make_tasks(
    domain: Domain,
    tools: Sequence[Tool],
    records: Sequence[Record],
    knobs: TaskKnobs,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
    engine: EngineName = "local",
) -> tuple[tuple[Task, ...], tuple[TaskPaths, ...]]:
    """Choose tasks and list their paths.

    Every task is solvable, no part of its inputs solves it, and its minimal tool sets are all listed. They are the same
    with any number of workers on any engine.
    """
    rng = Random(f"{seed}||tasks||{domain.name}")
    graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in sorted(tools, key=lambda t: t.name))
    with crew(workers, engine) as gathered:
        pool = list(find_tasks(domain, graph, knobs, rng, progress, gathered))
    chosen = choose_tasks(domain, pool, knobs, _supply(records), rng)
    tasks, paths = [], []
    width = len(str(len(chosen)))
    for number, found in enumerate(chosen, 1):
        task_id = f"{domain.name}_task_{number:0{width}d}"
        solution = next(legal_orders(graph, found.inputs, found.tool_sets[0]))
        tasks.append(Task(task_id, found.inputs, found.targets, found.length, solution))
        paths.append(TaskPaths(task_id, found.tool_sets))
    return tuple(tasks), tuple(paths)


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
    return all_resolved(found.tool_sets, BLOCKED)


MOST_SUPPLY = 0.33
"""Part of a target's different answers that is asked for; two targets, and splits, need some choice of records."""


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
    """Pick tasks one by one: of several targets or inputs as often as is wanted, else of one."""
    groups: dict[tuple[bool, bool], list[Found]] = {(t, i): [] for t in (False, True) for i in (False, True)}
    for found in pool:
        groups[len(found.targets) > 1, len(found.inputs) > 1].append(found)
    for group in groups.values():
        rng.shuffle(group)
    queues = {kind: _Queue(group, use) for kind, group in groups.items()}
    picked: list[Found] = []
    kinds = zip(
        _shared_out(wanted, knobs.several_targets, rng), _shared_out(wanted, knobs.several_inputs, rng), strict=True
    )
    for targets, inputs in kinds:
        # Where a kind runs out, the one that differs in its targets comes next.
        order = ((targets, inputs), (not targets, inputs), (targets, not inputs), (not targets, not inputs))
        best = next((one for kind in order if (one := queues[kind].take()) is not None), None)
        if best is None:
            break
        use.add(best)
        picked.append(best)
    return picked


def _shared_out(count: int, share: float, rng: Random) -> list[bool]:
    """Return this many answers, a share of them True, in a drawn order."""
    answers = [place < round(count * share) for place in range(count)]
    rng.shuffle(answers)
    return answers


class _Queue:
    """Possible tasks of one kind, what has been used least first; what can't be asked or blocked goes for good."""

    def __init__(self, group: Sequence[Found], use: _Use) -> None:
        self._use = use
        self._waiting = [(use.cost(found), place, found) for place, found in enumerate(group)]
        heapify(self._waiting)

    def take(self) -> Found | None:
        """Take the best one; None if there is none left."""
        while self._waiting:
            cost, place, found = heappop(self._waiting)
            now = self._use.cost(found)
            # Costs only grow, so one that hasn't grown is the least.
            if now > cost:
                heappush(self._waiting, (now, place, found))
            elif not self._use.exhausted(found) and can_be_blocked(found):
                return found
        return None
