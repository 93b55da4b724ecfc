"""Do the records give one answer to every call, and the gold answer to every query?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from planbench_xl.audit.context import Context
from planbench_xl.audit.report import Check, Figures, Finding, Level
from planbench_xl.paths import survives
from planbench_xl.world import text_form
from planbench_xl.world.checks.values import same
from planbench_xl.world.lookups import Key, Lookup
from planbench_xl.world.validate import validate

FAULTS = Check(
    "faults",
    "Faults that `world validate` reports",
    Level.ERROR,
    "faults",
    "What is faulty can't be trusted by whatever uses it.",
    "Run `planbench-xl world validate`: it names each place and a remedy.",
)
AMBIGUOUS = Check(
    "ambiguous-calls",
    "Executable tools that give several answers to one call",
    Level.ERROR,
    "tools",
    "The call yields no value, or one that leads to another record's answer: a right plan fails.",
    "Make the records agree, or give the tool another input.",
)
UNANSWERED = Check(
    "unanswered-calls",
    "Queries on whose record a tool that helps to solve the task has no answer",
    Level.WARNING,
    "queries",
    "A step that is valid by its types ends in nothing: fewer paths are left than the types promise, and a block plan "
    "may leave only such ones.",
    "Put the query on a record that has all values, or plan at record level (`world paths --level record`).",
)
UNSOLVABLE = Check(
    "unsolvable-queries",
    "Queries whose targets can't be reached with the tools that answer on their record",
    Level.ERROR,
    "queries",
    "No agent can get them right; accuracy can't reach 100 %.",
    "Put the query on another record, or complete this one.",
)
GOLD = Check(
    "gold-not-derivable",
    "Gold answers that the records don't give, or not them alone",
    Level.ERROR,
    "answers",
    "A right plan ends in an answer that is judged wrong.",
    "Correct the answer or the records.",
)
REDUNDANT = Check(
    "redundant-tool-inputs",
    "Tools of several inputs whose answer a part of them determines on all records",
    Level.WARNING,
    "tools with several inputs",
    "The tool asks for more than it needs (the paper's rule: no strict subset of the inputs determines the output); "
    "tasks look harder than the information in them.",
    "Drop the input, or vary the records so that it matters.",
)


def check_records(context: Context) -> Iterator[Finding]:
    """Check calls and gold answers against the records."""
    # Without the file: a world doesn't know what its folder calls it.
    faults = [str(fault).partition(", ")[2] or str(fault) for fault in validate(context.world)]
    yield FAULTS.found(faults, None, faults[0] if faults else "")
    yield _ambiguous(context)
    yield from _unanswered(context)
    yield _gold(context)
    yield _redundant(context)


def _ambiguous(context: Context) -> Finding:
    several = {lookup.tool.name: keys for lookup in context.lookups.all if (keys := _several(lookup))}
    example = ""
    if several:
        name, keys = next(iter(several.items()))
        lookup = next(lookup for lookup in context.lookups.all if lookup.tool.name == name)
        given = ", ".join(f"{datatype} = {value}" for datatype, value in zip(lookup.inputs, keys[0], strict=True))
        found = " or ".join(", ".join(answer) for answer in lookup.table[keys[0]])
        example = f"{name} with {given} gives {found}."
    figures: Figures = {"calls": sum(map(len, several.values()))}
    return AMBIGUOUS.found(list(several), len(context.lookups.all), example, figures)


def _several(lookup: Lookup) -> list[Key]:
    return [key for key, answers in lookup.table.items() if len(answers) > 1]


def _unanswered(context: Context) -> Iterator[Finding]:
    world = context.world
    silent: dict[str, list[str]] = {}
    unsolvable: dict[str, str] = {}
    for query in world.queries:
        task, answering = world.task.get(query.task_id), context.answering.get(query.record_id)
        if task is None or answering is None:
            continue
        useful = context.summaries[task.task_id].useful.tools
        if useful - answering:
            silent[query.query_id] = sorted(useful - answering)
        dumb = set(context.graph.tools) - answering
        if not survives(context.graph, task.inputs, task.targets, dumb):
            unsolvable[query.query_id] = (
                f"{query.query_id}: record {query.record_id} doesn't lead to {task.targets[0]}."
            )
    tools = [len(context.graph) - len(found) for found in context.answering.values()]
    figures: Figures = {
        "records_on_which_some_tool_has_no_answer": sum(map(bool, tools)),
        "most_tools_without_an_answer_on_a_record": max(tools, default=0),
    }
    example = next((f"{name}: {', '.join(tools[:3])}." for name, tools in silent.items()), "")
    yield UNANSWERED.found(list(silent), len(world.queries), example, figures)
    yield UNSOLVABLE.found(list(unsolvable), len(world.queries), next(iter(unsolvable.values()), ""))


def _gold(context: Context) -> Finding:
    world = context.world
    wrong: dict[str, str] = {}
    for query in context.track("gold answers", world.queries):
        derived = context.lookups.derive(query.inputs)
        for name, gold in query.answers.items():
            datatype = world.datatype.get(name)
            values = list(derived.get(name, {}).values())
            if not values or not all(same(gold, value, datatype.value_type if datatype else None) for value in values):
                found = ", ".join(map(text_form, values)) or "nothing"
                wrong[f"{query.query_id}:{name}"] = f"says {text_form(gold)}, the look-ups give {found}"
    example = next((f"{name} {problem}." for name, problem in wrong.items()), "")
    return GOLD.found(list(wrong), sum(1 for _ in context.answers()), example)


def _redundant(context: Context) -> Finding:
    several = [lookup for lookup in context.lookups.all if len(lookup.inputs) > 1]
    enough = {lookup.tool.name: part for lookup in several if (part := _determining(lookup)) is not None}
    example = ""
    if enough:
        name, part = next(iter(enough.items()))
        inputs = context.world.tool[name].inputs
        example = f"{name} takes {', '.join(inputs)}; {' and '.join(part) or 'no input at all'} determines its answer."
    return REDUNDANT.found(list(enough), len(several), example)


def _determining(lookup: Lookup) -> tuple[str, ...] | None:
    """Return the fewest inputs that determine the answer on all records; None if it takes them all."""
    places = range(len(lookup.inputs))
    for size in range(len(lookup.inputs)):
        for subset in combinations(places, size):
            if _determines(lookup, subset):
                return tuple(lookup.inputs[place] for place in subset)
    return None


def _determines(lookup: Lookup, subset: Sequence[int]) -> bool:
    seen: dict[Key, Key] = {}
    for key, answers in lookup.table.items():
        part = tuple(key[place] for place in subset)
        for answer in answers:
            if seen.setdefault(part, answer) != answer:
                return False
    return bool(lookup.table)
