"""Two worlds side by side: are they equally hard, and does knowing one help with the other?

Worlds of one domain file and different seeds should have the same shape and nothing in common that an agent could have
learnt by heart: a private test set is such a world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import msgspec

from planbench_xl.judging import normalise
from planbench_xl.world import World, text_form

Counts = dict[str, int]

RARE = 0.5
"""Of a datatype at least so many of whose values differ, a value tells the record; others repeat in any two worlds."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of a world.

    Attributes:
        name: Its name.
        fingerprint: Its fingerprint.
        recipe: What it was built from; None if it wasn't built.
        counts: How many datatypes, tools, records, tasks, queries and listed paths there are.
        spreads: Distributions by name: datatypes by type, tools by role, flawed tools by kind, executable tools by
            inputs, tasks by L*, inputs, targets and listed paths, queries by split.
        means: Mean L* of the queries, listed paths per task, inputs per task and executable tools per datatype.
        distinct_answers: Different pairs of datatype and gold answer, as a part of all gold answers.
        most_frequent: Share of queries that always answering the most frequent value would get right, if answers
            needn't be grounded.
    """

    name: str
    fingerprint: str
    recipe: dict[str, Any] | None
    counts: Counts
    spreads: dict[str, Counts]
    means: dict[str, float]
    distinct_answers: float
    most_frequent: float


class Common(msgspec.Struct, frozen=True, kw_only=True):
    """What two worlds share of one kind of thing.

    Attributes:
        what: The kind of thing.
        count: How many are in both.
        first: How many the first world has.
        second: How many the second one has.
        helps: Knowing them from one world helps in the other; equivalent worlds that are meant to be unknown share none
            or hardly any.
        examples: Up to three of them.
    """

    what: str
    count: int
    first: int
    second: int
    helps: bool
    examples: tuple[str, ...] = ()


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two worlds side by side.

    Attributes:
        first: Shape of the first world.
        second: Shape of the second one.
        distances: Per distribution, the total variation distance, from 0 (equal shares) to 1.
        common: What they share.
        recipe_differs: Names of the parts of the recipes that differ.
    """

    first: Profile
    second: Profile
    distances: dict[str, float]
    common: tuple[Common, ...]
    recipe_differs: tuple[str, ...]


def compare(first: World, second: World) -> Comparison:
    """Compare the shapes of two worlds and find what they have in common."""
    one, other = profile(first), profile(second)
    names = [*one.spreads, *(name for name in other.spreads if name not in one.spreads)]
    return Comparison(
        first=one,
        second=other,
        distances={name: distance(one.spreads.get(name, {}), other.spreads.get(name, {})) for name in names},
        common=tuple(_common(first, second)),
        recipe_differs=_differences(first.recipe, second.recipe),
    )


def profile(world: World) -> Profile:
    """Return the shape of a world."""
    lengths = [world.task[query.task_id].shortest_length for query in world.queries if query.task_id in world.task]
    paths = [len(entry.tool_sets) for entry in world.paths]
    inputs = [len(task.inputs) for task in world.tasks]
    answers = [(name, text_form(value)) for query in world.queries for name, value in query.answers.items()]
    return Profile(
        name=world.name,
        fingerprint=world.fingerprint,
        recipe=world.recipe,
        counts={
            "datatypes": len(world.datatypes),
            "tools": len(world.tools),
            "records": len(world.records),
            "tasks": len(world.tasks),
            "queries": len(world.queries),
            "listed_paths": sum(paths),
        },
        spreads={
            "datatypes_by_type": _counted(datatype.value_type for datatype in world.datatypes),
            "tools_by_role": _counted(tool.role.value for tool in world.tools),
            "flawed_tools_by_kind": _counted(tool.kind.value for tool in world.tools if tool.kind is not None),
            "executable_tools_by_inputs": _counted(len(tool.inputs) for tool in world.executable),
            "tasks_by_shortest_length": _counted(task.shortest_length for task in world.tasks),
            "tasks_by_inputs": _counted(inputs),
            "tasks_by_targets": _counted(len(task.targets) for task in world.tasks),
            "tasks_by_listed_paths": _counted(paths),
            "queries_by_split": _counted(query.split or "none" for query in world.queries),
        },
        means={
            "shortest_length": _mean(lengths),
            "listed_paths_per_task": _mean(paths),
            "inputs_per_task": _mean(inputs),
            "executable_tools_per_datatype": round(len(world.executable) / max(1, len(world.datatypes)), 3),
        },
        distinct_answers=round(len(set(answers)) / max(1, len(answers)), 4),
        most_frequent=_most_frequent(world),
    )


def distance(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the total variation distance of two distributions given as counts: 0 for equal shares, at most 1."""
    all_one, all_other = sum(one.values()), sum(other.values())
    if not all_one or not all_other:
        return float(bool(all_one) != bool(all_other))
    keys = {*one, *other}
    return round(sum(abs(one.get(key, 0) / all_one - other.get(key, 0) / all_other) for key in keys) / 2, 4)


def _most_frequent(world: World) -> float:
    held: dict[str, Counter[str]] = {}
    for name in {name for query in world.queries for name in query.answers}:
        values = (record.values.get(name) for record in world.records)
        held[name] = Counter(text_form(value) for value in values if value is not None)
    right = [all(_leads(held[name], text_form(value)) for name, value in q.answers.items()) for q in world.queries]
    return round(sum(right) / max(1, len(right)), 4)


def _leads(held: Counter[str], value: str) -> bool:
    """Say whether no value is more frequent; one that a single record holds is not frequent."""
    return held[value] > 1 and held[value] == max(held.values())


def _common(first: World, second: World) -> Iterable[Common]:
    for what, helps, find in KINDS:
        one, other = find(first), find(second)
        shared = sorted(one & other, key=str)
        examples = tuple(" · ".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in shared[:3])
        yield Common(what=what, count=len(shared), first=len(one), second=len(other), helps=helps, examples=examples)


def _datatypes(world: World) -> set[Hashable]:
    return {datatype.name for datatype in world.datatypes}


def _lookups(world: World) -> set[Hashable]:
    return {(" + ".join(sorted(tool.inputs)), *sorted(tool.output_datatypes)) for tool in world.executable}


def _tasks(world: World) -> set[Hashable]:
    return {(" + ".join(sorted(task.inputs)), " + ".join(sorted(task.targets))) for task in world.tasks}


def _tool_names(world: World) -> set[Hashable]:
    return {tool.name for tool in world.tools}


def _named_roles(world: World) -> set[Hashable]:
    return {(tool.name, tool.kind.value if tool.kind else tool.role.value) for tool in world.tools}


def _descriptions(world: World) -> set[Hashable]:
    return {normalise(tool.description) for tool in world.tools}


def _values(world: World) -> set[Hashable]:
    held: dict[str, Counter[str]] = {datatype.name: Counter() for datatype in world.datatypes}
    for record in world.records:
        for name, value in record.values.items():
            if value is not None and name in held:
                held[name][text_form(value)] += 1
    telling = {name for name, values in held.items() if len(values) >= RARE * max(1, len(world.records))}
    return {(name, value) for name in telling for value in held[name]}


def _records(world: World) -> set[Hashable]:
    return {msgspec.json.encode(record.values, order="sorted").decode() for record in world.records}


def _texts(world: World) -> set[Hashable]:
    return {normalise(query.text) for query in world.queries}


def _questions(world: World) -> set[Hashable]:
    return {
        (*(f"{name} = {text_form(value)}" for name, value in sorted(query.inputs.items())), "→", *sorted(query.answers))
        for query in world.queries
    }


def _answers(world: World) -> set[Hashable]:
    return {(name, text_form(value)) for query in world.queries for name, value in query.answers.items()}


KINDS = (
    ("datatypes", False, _datatypes),
    ("look-ups", False, _lookups),
    ("tasks", False, _tasks),
    ("tool names", True, _tool_names),
    ("tool names of the same role and kind", True, _named_roles),
    ("tool descriptions", True, _descriptions),
    ("values of datatypes that tell records apart", True, _values),
    ("records", True, _records),
    ("query texts", True, _texts),
    ("questions about the same values", True, _questions),
    ("gold answers for a datatype", True, _answers),
)


def _differences(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None, path: str = "") -> tuple[str, ...]:
    if one is None or other is None:
        return () if one is other else ("recipe",)
    found: list[str] = []
    for name in sorted({*one, *other}):
        left, right = one.get(name), other.get(name)
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            found += _differences(left, right, f"{path}{name}.")
        elif left != right:
            found.append(f"{path}{name}")
    return tuple(found)


def _counted(items: Iterable[object]) -> Counts:
    counts = Counter(map(str, items))
    return {name: counts[name] for name in sorted(counts, key=lambda name: (len(name), name))}


def _mean(numbers: list[int]) -> float:
    return round(sum(numbers) / max(1, len(numbers)), 3)
