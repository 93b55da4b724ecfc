"""Checks against the records: every look-up has one answer, and gold answers are what the look-ups give."""

from __future__ import annotations

from collections.abc import Mapping

from planbench_xl.world.checks.report import Add, Report, closest, show
from planbench_xl.world.checks.tasks import Chaining
from planbench_xl.world.checks.values import same
from planbench_xl.world.lookups import Answers, Lookups
from planbench_xl.world.model import Query, Task, Value, World
from planbench_xl.world.release import written_out
from planbench_xl.world.text import text_form


def check_lookups(report: Report, lookups: Lookups) -> None:
    """No executable tool has several answers for inputs that a record has."""
    place = {id(tool): index for index, tool in enumerate(report.world.tools)}
    for lookup in lookups.all:
        add = report.at("tools", place[id(lookup.tool)])
        keys = [key for key, answers in lookup.table.items() if len(answers) > 1]
        if keys:
            given = ", ".join(f"{name}={value}" for name, value in zip(lookup.inputs, keys[0], strict=True))
            more = f" and for {len(keys) - 1} other combinations" if len(keys) > 1 else ""
            problem = f"the records give several values of {', '.join(lookup.outputs)} for {given}{more}"
            add("outputs", problem, "Make the records agree, give the tool another input or remove it")


def check_queries(report: Report, lookups: Lookups) -> None:
    """Queries fit their task and record, and the look-ups give their gold answers."""
    world = report.world
    records = {record.record_id: record for record in world.records}
    chaining = Chaining(world)
    splits: dict[tuple[str, str], str] = {}
    for index, query in enumerate(world.queries):
        add = report.at("queries", index)
        _check_split(query, splits, add)
        if not query.text.strip():
            add("text", "is empty", "Write the request")
        record = records.get(query.record_id)
        if record is None:
            problem = f"'{query.record_id}' is not a record{closest(query.record_id, records)}"
            add("record_id", problem, "Correct the name or add the record")
        else:
            _check_inputs(query, record.values, world, add)
        task = world.task.get(query.task_id)
        if task is None:
            problem = f"'{query.task_id}' is not a task{closest(query.task_id, world.task)}"
            add("task_id", problem, "Correct the name or add the task")
            continue
        _check_names(query, task, add)
        reached = chaining.reached(task.inputs, task.targets)
        derived = lookups.derive(query.inputs, task.targets)
        for name, answer in query.answers.items():
            # A target that no tool can reach, or that the task doesn't ask for, is reported already.
            if name in reached:
                _check_answer(name, answer, derived.get(name, {}), world, add)


def _check_inputs(query: Query, values: Mapping[str, Value], world: World, add: Add) -> None:
    for name, value in query.inputs.items():
        datatype = world.datatype.get(name)
        if name in values and not same(value, values[name], datatype.value_type if datatype else None):
            problem = f"is {show(value)}, but record '{query.record_id}' has {show(values[name])}"
            add(f"inputs.{name}", problem, "Give it the record's value or name another record")
        elif text_form(value) not in query.text and written_out(text_form(value)) not in query.text:
            problem = f"doesn't name {show(value)}, the value of the input {name}"
            add("text", problem, "Put the value into the text, in back-ticks")


def _check_names(query: Query, task: Task, add: Add) -> None:
    for field, has, wants in (("inputs", query.inputs, task.inputs), ("answers", query.answers, task.targets)):
        missing = [name for name in wants if name not in has]
        surplus = [name for name in has if name not in wants]
        if missing:
            problem = f"has no value for {', '.join(missing)}, which task '{task.task_id}' names"
            add(field, problem, "Add the value or correct the task")
        if surplus:
            problem = f"has {', '.join(surplus)}, which task '{task.task_id}' doesn't name"
            add(field, problem, "Remove the value or correct the task")


def _check_answer(name: str, answer: Value, derived: Answers, world: World, add: Add) -> None:
    field = f"answers.{name}"
    datatype = world.datatype.get(name)
    value_type = datatype.value_type if datatype else None
    if answer is None or not text_form(answer).strip():
        add(field, "is empty", "Give the value that the records hold, or ask for another target")
    elif not derived:
        problem = f"is {show(answer)}, but no chain of look-ups gives a value from the query's inputs"
        add(field, problem, "Choose a record whose values lead to the target")
    elif len(derived) > 1:
        values = ", ".join(show(value) for value in derived.values())
        add(field, f"different look-ups give different values: {values}", "Make the records agree")
    elif not all(same(answer, value, value_type) for value in derived.values()):
        values = ", ".join(show(value) for value in derived.values())
        add(field, f"is {show(answer)}, but the records give {values}", "Correct the answer or the records")


def _check_split(query: Query, splits: dict[tuple[str, str], str], add: Add) -> None:
    """No task and no record is used in two splits."""
    for field in ("task_id", "record_id"):
        name = getattr(query, field)
        split = splits.setdefault((field, name), query.split)
        if split != query.split:
            problem = f"is in split '{query.split}', but '{name}' was used in split '{split}' before"
            add("split", problem, f"Use another `{field}`, or put the query into that split")
            return
