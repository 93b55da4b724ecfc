"""Do distractors and block alternatives keep to their part?"""

from __future__ import annotations

from collections.abc import Iterator

from planbench_xl.audit.context import Context, returned
from planbench_xl.audit.report import Check, Figures, Finding, Level
from planbench_xl.world import BLOCK_KINDS, FAILING_KINDS, Kind, Role, Tool, World, text_form

TRUE_HERE = Check(
    "imitation-true-for-query",
    "Queries whose record holds what an imitation of a tool on one of their paths returns",
    Level.WARNING,
    "queries",
    "The imitation gives the right value by chance; it counts as untrusted, so an agent that uses it is refused for a "
    "value that is right.",
    "Give the imitation a value that no record holds.",
)
TRUE_SOMEWHERE = Check(
    "imitation-true-somewhere",
    "Imitations that return a value which some record holds for their datatype",
    Level.WARNING,
    "imitations",
    "An agent can't tell the value from a real one, and on that record it is the right one.",
    "Give the imitation a value that no record holds.",
)
EMPTY = Check(
    "imitations-without-value",
    "Imitations without a return value: they return their own description",
    Level.WARNING,
    "imitations",
    "A description in place of a value gives the imitation away, or reads like an error.",
    "Give the imitation a value.",
)
UNCOVERED = Check(
    "tools-without-imitations",
    "Executable tools that lack a block alternative of some kind, or any distractor",
    Level.WARNING,
    "tools",
    "If such a tool is blocked, nothing or less stands in for it; without distractors it is easy to tell.",
    "Add the missing imitations.",
)


def check_imitations(context: Context) -> Iterator[Finding]:
    """Check distractors and block alternatives."""
    yield _true_for_query(context)
    yield _true_somewhere(context)
    yield _empty(context)
    yield _uncovered(context)


def _imitations(world: World) -> list[Tool]:
    return [tool for tool in world.tools if tool.role is not Role.EXECUTABLE]


def _values(context: Context, tool: Tool) -> dict[str, object]:
    """Return what an imitation returns for datatypes of the world, errors left out."""
    if tool.kind in FAILING_KINDS or tool.return_value is None:
        return {}
    return {name: value for name, value in returned(tool).items() if name in context.world.datatype}


def _true_for_query(context: Context) -> Finding:
    world = context.world
    values = {tool.name: _values(context, tool) for tool in _imitations(world)}
    by_source: dict[str, list[str]] = {}
    for tool in _imitations(world):
        if values[tool.name]:
            by_source.setdefault(tool.source or "", []).append(tool.name)
    found: dict[str, str] = {}
    pairs = targets = 0
    for query in world.queries:
        summary = context.summaries.get(query.task_id)
        right = [
            (name, datatype, value)
            for source in (sorted(summary.useful.tools) if summary else ())
            for name in by_source.get(source, ())
            for datatype, value in values[name].items()
            if query.record_id in context.holders.get(context.same_key(datatype, value), ())
        ]
        pairs += len(right)
        targets += any(datatype in query.answers for _, datatype, _ in right)
        if right:
            name, datatype, value = right[0]
            found[query.query_id] = f"{query.query_id}: {name} returns {text_form(value)}, its record's {datatype}."
    figures: Figures = {"pairs_of_query_and_imitation": pairs, "queries_whose_gold_answer_is_returned": targets}
    return TRUE_HERE.found(list(found), len(world.queries), next(iter(found.values()), ""), figures)


def _true_somewhere(context: Context) -> Finding:
    imitations = _imitations(context.world)
    found: dict[str, str] = {}
    kinds: dict[str, int] = {}
    pairs = 0
    for tool in context.track("imitations", imitations):
        values = _values(context, tool)
        held = (context.holders.get(context.same_key(name, value), ()) for name, value in values.items())
        records = list(dict.fromkeys(name for names in held for name in names))
        pairs += len(records)
        if records:
            kind = tool.kind or Kind.IMPLICIT
            kinds[kind.value] = kinds.get(kind.value, 0) + 1
            value = ", ".join(map(text_form, values.values()))
            found[tool.name] = f"{tool.name} returns {value}, as {len(records)} records hold ({records[0]} first)."
    figures: Figures = {
        "by_kind": {name: kinds[name] for name in sorted(kinds)},
        "pairs_of_imitation_and_record": pairs,
        "imitations_that_give_a_value": sum(bool(_values(context, tool)) for tool in imitations),
    }
    return TRUE_SOMEWHERE.found(list(found), len(imitations), next(iter(found.values()), ""), figures)


def _empty(context: Context) -> Finding:
    imitations = _imitations(context.world)
    empty = [tool for tool in imitations if tool.return_value is None]
    example = f"{empty[0].name}." if empty else ""
    return EMPTY.found([tool.name for tool in empty], len(imitations), example)


def _uncovered(context: Context) -> Finding:
    world = context.world
    lacking: dict[str, str] = {}
    for tool in world.executable:
        kinds = {other.kind for other in world.alternatives.get(tool.name, ())}
        missing = [kind.value for kind in BLOCK_KINDS if kind not in kinds]
        if not world.distractors.get(tool.name):
            missing.append("distractor")
        if missing:
            lacking[tool.name] = f"{tool.name} has no {', '.join(missing)}."
    return UNCOVERED.found(list(lacking), len(world.executable), next(iter(lacking.values()), ""))
