"""Stage 6: each task on a record, in words, with the answer that executing a path gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from planbench_xl.construct.domain import Domain
from planbench_xl.construct.splits import DEV, TEST, split_records, split_tasks
from planbench_xl.construct.writing import Writer
from planbench_xl.judging import normalise
from planbench_xl.world import Query, Record, Task, Tool, Value, World, text_form
from planbench_xl.world.lookups import Lookup, Lookups

TRIES = 60


class Executor:
    """Executes look-ups on the records, as the backend answers them."""

    def __init__(self, domain: Domain, tools: Sequence[Tool], records: Sequence[Record]) -> None:
        world = World(domain.name, domain.version, domain.domain, "", (), tuple(tools), tuple(records), (), (), ())
        self._lookups: Mapping[str, Lookup] = {lookup.tool.name: lookup for lookup in Lookups(world).all}

    def run(self, order: Sequence[str], inputs: Mapping[str, Value]) -> dict[str, Value]:
        """Call tools in an order, each with what is known by then, and return all that is known in the end."""
        known = dict(inputs)
        for name in order:
            lookup = self._lookups[name]
            answers = lookup.table[tuple(text_form(known[datatype]) for datatype in lookup.inputs)]
            ((_, values),) = answers.items()
            known.update(zip(lookup.outputs, values, strict=True))
        return known


class _Answers:
    """How good an answer a record gives: seldom held, not asked for before, no part of another value."""

    def __init__(self, records: Sequence[Record], targets: frozenset[str]) -> None:
        self._plain = {name: {r.record_id: normalise(r.values[name]) for r in records} for name in sorted(targets)}
        self._texts = {name: Counter(plain.values()) for name, plain in self._plain.items()}
        self._inside: dict[tuple[str, str], bool] = {}
        self._asked: Counter[tuple[str, str]] = Counter()
        self._records: Counter[str] = Counter()

    def choice(self, task: Task) -> int:
        """Return how many values of the task's scarcest target a single record holds."""
        return min(sum(count == 1 for count in self._texts[name].values()) for name in task.targets)

    def cost(self, task: Task, record: Record) -> tuple[int, int, int, int]:
        """Return what speaks against a record, the worst first."""
        texts = self._keys(task, record)
        return (
            sum(self._texts[name][text] > 1 for name, text in texts),
            sum(self._within_another(name, text) for name, text in texts),
            sum(self._asked[key] for key in texts),
            self._records[record.record_id],
        )

    def _within_another(self, name: str, text: str) -> bool:
        key = (name, text)
        if key not in self._inside:
            self._inside[key] = any(text in other and text != other for other in self._texts[name])
        return self._inside[key]

    def use(self, task: Task, record: Record) -> None:
        """Count a query."""
        self._asked.update(self._keys(task, record))
        self._records[record.record_id] += 1

    def _keys(self, task: Task, record: Record) -> list[tuple[str, str]]:
        return [(name, self._plain[name][record.record_id]) for name in task.targets]


def make_queries(
    domain: Domain,
    tools: Sequence[Tool],
    records: Sequence[Record],
    tasks: Sequence[Task],
    wanted: int,
    writer: Writer,
    seed: int,
    dev: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Query, ...]:
    """Put each task on a record, and some on several if there are fewer tasks than queries are wanted.

    `dev` is the share of tasks and records for the split of that name.
    """
    executor = Executor(domain, tools, records)
    rng = Random(f"{seed}||queries||{domain.name}")
    splits = split_tasks(tasks, dev, Random(f"{seed}||splits||{domain.name}"))
    placed = place_tasks(tasks, split_records(records, dev), splits, wanted, rng)
    queries: list[Query] = []
    width = len(str(max(wanted, len(tasks))))
    told: set[str] = set()
    for number, task in enumerate(tasks, 1):
        for record in placed[task.task_id]:
            inputs = {name: record.values[name] for name in task.inputs}
            known = executor.run(task.solution, inputs)
            gold = {name: known[name] for name in task.targets}
            text = _write(task, inputs, gold, told, writer, rng)
            query_id = f"{domain.name}_query_{len(queries) + 1:0{width}d}"
            split = splits[task.task_id]
            queries.append(Query(query_id, task.task_id, text, inputs, gold, record.record_id, split))
        if progress:
            progress(number, len(tasks))
    return tuple(queries)


def place_tasks(
    tasks: Sequence[Task],
    records: Mapping[str, Sequence[Record]],
    splits: Mapping[str, str],
    wanted: int,
    rng: Random,
) -> dict[str, list[Record]]:
    """Choose the records of each task: answers that nobody else holds or was asked for, then little used records.

    Tasks with few such records come first, so that the others can stay away from these.

    Args:
        tasks: The tasks.
        records: Records by split.
        splits: Split of each task.
        wanted: Number of queries.
        rng: Draws among equals.
    """
    everything = [record for split in (DEV, TEST) for record in records[split]]
    answers = _Answers(everything, frozenset(name for task in tasks for name in task.targets))
    shares = _shares(tasks, wanted)
    orders = {split: list(found) for split, found in records.items()}
    placed: dict[str, list[Record]] = {}
    for task in sorted(tasks, key=answers.choice):
        order = orders[splits[task.task_id]]
        rng.shuffle(order)
        found: list[Record] = []
        placed[task.task_id] = found
        for _ in range(min(shares[task.task_id], len(order))):
            used = {record.record_id for record in found}
            record = min((r for r in order if r.record_id not in used), key=lambda r: answers.cost(task, r))
            answers.use(task, record)
            found.append(record)
    return placed


def _shares(tasks: Sequence[Task], wanted: int) -> dict[str, int]:
    """Say how many queries each task gets: as equal as can be, the longer tasks first."""
    if not tasks:
        return {}
    each, rest = divmod(max(wanted, len(tasks)), len(tasks))
    order = sorted(tasks, key=lambda task: -task.shortest_length)
    return {task.task_id: each + (place < rest) for place, task in enumerate(order)}


def _write(
    task: Task, inputs: Mapping[str, Value], gold: Mapping[str, Value], told: set[str], writer: Writer, rng: Random
) -> str:
    """Word a request; one that holds the answer, or repeats another request, is worded again."""
    text = ""
    for _ in range(TRIES):
        text = writer.request([(name, inputs[name]) for name in task.inputs], task.targets, rng)
        if text not in told and not holds_answer(text, gold.values()):
            break
    told.add(text)
    return text


def holds_answer(text: str, answers: Iterable[Value]) -> bool:
    """Say whether a request holds one of its answers."""
    plain = normalise(text)
    return any(normalise(value) in plain for value in answers)
