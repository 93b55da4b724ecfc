"""Loads the published release's data folder as a world (reference protocol, section 1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.errors import Fault, WorldError
from planbench_xl.world.model import (
    Argument,
    Datatype,
    Kind,
    Output,
    Query,
    Record,
    Role,
    Task,
    TaskPaths,
    Tool,
    Value,
    World,
)
from planbench_xl.world.storage import read_json
from planbench_xl.world.text import text_form

MARKER = "baseline_tools.json"
"""A folder with this file and no manifest is a release folder."""

RELEASE_KINDS: Mapping[str, Kind] = {
    "deprecated": Kind.DEPRECATED,
    "condition_limited": Kind.CONDITION_LIMITED,
    "stale": Kind.STALE,
    "miswired_or_unreliable": Kind.UNRELIABLE,
    "non_authoritative_value": Kind.NON_AUTHORITATIVE,
    "explicit failures": Kind.EXPLICIT,
    "implicit failures": Kind.IMPLICIT,
    "semantic misleading": Kind.MISLEADING,
}
"""The release's names of kinds and ours."""

OVERVIEW = (
    "A retail business: customers and their payment methods, products and variants, order drafts and price "
    "quotes, orders and their lines, payments and authorizations, warehouse requests, shipments and delivery "
    "attempts, returns, return reviews and refunds. Records of one purchase point to each other by identifiers."
)


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the release's entries: unknown fields are refused."""


class _Property(_Entry, frozen=True):
    type: str
    description: str


class _Parameters(_Entry, frozen=True):
    type: str
    properties: dict[str, _Property]
    required: list[str]
    additionalProperties: bool


class _SurfaceOutput(_Entry, frozen=True):
    name: str
    label: str
    type: str
    description: str


class _Tool(_Entry, frozen=True):
    type: str
    name: str
    description: str
    parameters: _Parameters
    strict: bool
    input_datatypes: list[str]
    output_datatype: str
    surface_output: _SurfaceOutput
    surface_argument_to_datatype: dict[str, str]
    datatype_to_surface_argument: dict[str, str]
    internal_tool_name: str
    num_inputs: int | None = None
    steps: int | None = None
    tool_sequence: list[Any] | None = None
    tool_type: str | None = None
    noise_type: str | None = None
    return_value: Value = None
    baseline_tool_name: str | None = None
    internal_baseline_tool_name: str | None = None


class _Database(_Entry, frozen=True):
    order_cases: dict[str, dict[str, Value]]


class _Task(_Entry, frozen=True):
    task_id: str
    input_datatypes: list[str]
    num_inputs: int
    target_datatype: str
    one_available_path: list[str]
    steps: int
    task_type: str | None = None
    two_input_usefulness_type: str | None = None


class _Query(_Entry, frozen=True):
    query_id: str
    task_id: str
    query_text: str
    correct_answer: Value
    input_datatypes: list[str]
    input_type: str
    target_datatype: str


class _Path(_Entry, frozen=True):
    tool_set: list[str]
    steps: int


def load_release(folder: Path) -> World:
    """Read the release's eight JSON files as a world.

    Raises:
        WorldError: A file is missing or malformed, or the input values of a query can't be found.
    """
    tools = [
        *_tools(folder, MARKER, Role.EXECUTABLE),
        *_tools(folder, "noisy_tools.json", Role.DISTRACTOR),
        *_tools(folder, "blocker_tools.json", Role.BLOCK_ALTERNATIVE),
    ]
    cases = read_json(folder / "database.json", _Database).order_cases
    tasks = read_json(folder / "tasks.json", list[_Task])
    domain = tasks[0].task_id.split("_task_")[0] if tasks else "retail"
    catalogue = read_json(folder / "paths_set_catalog.json", dict[str, list[_Path]])
    return World(
        name=f"{domain}-release",
        version="1",
        domain=domain,
        overview=OVERVIEW,
        datatypes=tuple(read_json(folder / "datatypes.json", list[Datatype])),
        tools=tuple(tools),
        records=tuple(Record(name, values) for name, values in cases.items()),
        tasks=tuple(
            Task(
                t.task_id,
                tuple(t.input_datatypes),
                (t.target_datatype,),
                t.steps,
                tuple(t.one_available_path),
            )
            for t in tasks
        ),
        queries=tuple(_queries(read_json(folder / "queries.json", list[_Query]), cases)),
        paths=tuple(
            TaskPaths(task_id, tuple(tuple(path.tool_set) for path in paths)) for task_id, paths in catalogue.items()
        ),
    )


def _tools(folder: Path, file: str, role: Role) -> list[Tool]:
    tools = []
    for raw in read_json(folder / file, list[_Tool]):
        kind = None
        if role is not Role.EXECUTABLE:
            kind = RELEASE_KINDS.get(raw.noise_type or "")
            if kind is None:
                problem = f"`{raw.noise_type}` is not a kind of {role.value.replace('_', ' ')}"
                remedy = f"Use one of: {', '.join(RELEASE_KINDS)}"
                raise WorldError([Fault(file, f"tool '{raw.name}'", "noise_type", problem, remedy)])
        properties = raw.parameters.properties
        if set(raw.surface_argument_to_datatype) != set(properties):
            problem = "names other arguments than `parameters.properties`"
            fault = Fault(file, f"tool '{raw.name}'", "surface_argument_to_datatype", problem, "Make them agree")
            raise WorldError([fault])
        surface = raw.surface_output
        tools.append(
            Tool(
                name=raw.name,
                role=role,
                description=raw.description,
                arguments=tuple(
                    Argument(name, raw.surface_argument_to_datatype[name], entry.description, entry.type)
                    for name, entry in properties.items()
                ),
                outputs=(Output(raw.output_datatype, surface.name, surface.description, surface.label, surface.type),),
                kind=kind,
                source=raw.baseline_tool_name,
                return_value=raw.return_value,
            )
        )
    return tools


def _queries(queries: Sequence[_Query], cases: Mapping[str, dict[str, Value]]) -> list[Query]:
    found = []
    for query in queries:
        case = _record(query, cases)
        if case is None:
            problem = f"no record has the values that the text names together with the answer {query.correct_answer!r}"
            remedy = "Put the input values of one record into the text, in back-ticks"
            raise WorldError([Fault("queries.json", f"query '{query.query_id}'", "query_text", problem, remedy)])
        values = cases[case]
        inputs = {datatype: values[datatype] for datatype in query.input_datatypes if datatype in values}
        answers = {query.target_datatype: query.correct_answer}
        found.append(Query(query.query_id, query.task_id, query.query_text, inputs, answers, case))
    return found


def _record(query: _Query, cases: Mapping[str, dict[str, Value]]) -> str | None:
    """Return the first record that has the answer and every input value, all named in the query's text.

    Most values stand in back-ticks; some time stamps and amounts are only written out (`2026-04-13 03:59 UTC`).
    Two queries of the release name an input datatype that no record has; that is left to the validation.
    """
    text = query.query_text
    quoted = set(re.findall(r"`([^`]*)`", text))
    for name, values in cases.items():
        wanted = [text_form(values[datatype]) for datatype in query.input_datatypes if datatype in values]
        if not _same(values.get(query.target_datatype), query.correct_answer):
            continue
        if any(value in quoted for value in wanted) and all(
            value in quoted or value in text or written_out(value) in text for value in wanted
        ):
            return name
    return None


def _same(value: Value, answer: Value) -> bool:
    """Say whether a record's value is the answer; the release writes 42.0 as `42` in answers."""
    if isinstance(value, float):
        return text_form(answer) in (text_form(value), f"{value:g}")
    return text_form(value) == text_form(answer)


def written_out(value: str) -> str:
    """Return a time stamp as the release's query texts write it: date, time to the minute, UTC."""
    return re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\dZ$", r"\1 \2 UTC", value)
