"""What a world is made of. All of it is immutable data; sources are named after the paper's sections."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

import msgspec

Value = Any
"""A JSON value: what a record holds, a tool returns or a question asks for."""

ValueType = Literal["string", "number", "timestamp", "boolean"]


class Role(StrEnum):
    """What a tool really is. An agent never reads it."""

    EXECUTABLE = "executable"
    DISTRACTOR = "distractor"
    BLOCK_ALTERNATIVE = "block_alternative"


class Kind(StrEnum):
    """How a distractor (first five) or a block alternative (last three) goes wrong."""

    DEPRECATED = "deprecated"
    CONDITION_LIMITED = "condition_limited"
    STALE = "stale"
    UNRELIABLE = "unreliable"
    NON_AUTHORITATIVE = "non_authoritative"
    EXPLICIT = "explicit"
    IMPLICIT = "implicit"
    MISLEADING = "misleading"


BLOCK_KINDS = (Kind.EXPLICIT, Kind.IMPLICIT, Kind.MISLEADING)
"""Kinds of block alternative, in the order in which they replace a blocked tool."""

DISTRACTOR_KINDS = tuple(kind for kind in Kind if kind not in BLOCK_KINDS)

FAILING_KINDS = frozenset({Kind.DEPRECATED, Kind.CONDITION_LIMITED, Kind.EXPLICIT})
"""Kinds whose calls report failure; the others look as if they had worked."""


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the world's entries: immutable, and unknown fields are refused."""


class Datatype(Data, frozen=True):
    """A typed piece of domain information (paper: formal core)."""

    name: str
    description: str
    value_type: ValueType
    example: Value = None
    aliases: tuple[str, ...] = ()
    category: str = ""


class Argument(Data, frozen=True):
    """One argument of a tool: the name the agent uses, and the datatype behind it."""

    name: str
    datatype: str
    description: str
    type: str = "string"


class Output(Data, frozen=True):
    """One output of a tool: the datatype behind it, and the name, label and text an agent may be shown."""

    datatype: str
    name: str
    description: str = ""
    label: str = ""
    type: str = "string"


class Tool(Data, frozen=True):
    """A tool of any role.

    Attributes:
        name: Unique over the whole world.
        role: Executable, distractor or block alternative.
        description: What the agent reads.
        arguments: One to five arguments, all required.
        outputs: One or more outputs.
        kind: How it goes wrong; None for an executable tool.
        source: The executable tool it imitates; None for an executable tool.
        return_value: What a distractor or block alternative returns on every call. With None it returns its
            description.
    """

    name: str
    role: Role
    description: str
    arguments: tuple[Argument, ...]
    outputs: tuple[Output, ...]
    kind: Kind | None = None
    source: str | None = None
    return_value: Value = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Datatypes of the arguments, in their order."""
        return tuple(argument.datatype for argument in self.arguments)

    @property
    def output_datatypes(self) -> tuple[str, ...]:
        """Datatypes of the outputs, in their order."""
        return tuple(output.datatype for output in self.outputs)


class Record(Data, frozen=True):
    """One complete case of the backend: a value (or null) for each datatype."""

    record_id: str
    values: dict[str, Value]


class Task(Data, frozen=True):
    """From these datatypes reach those (paper: D₀ and Y).

    Attributes:
        task_id: Unique name.
        inputs: Datatypes known at the start.
        targets: Datatypes asked for.
        shortest_length: The number of tools on the shortest listed path (L*).
        solution: One solution: executable tools in a legal order.
    """

    task_id: str
    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    shortest_length: int
    solution: tuple[str, ...]


class Query(Data, frozen=True, omit_defaults=True):
    """A task on one record, in words.

    Attributes:
        query_id: Unique name.
        task_id: The task that it asks.
        text: The request as the agent reads it.
        inputs: Value of each input datatype of the task.
        answers: The right value for each target datatype of the task.
        record_id: The record behind it.
        split: `dev` or `test`, which share neither tasks nor records; empty if the world isn't divided.
    """

    query_id: str
    task_id: str
    text: str
    inputs: dict[str, Value]
    answers: dict[str, Value]
    record_id: str
    split: str = ""


class TaskPaths(Data, frozen=True):
    """The listed solution paths of a task, each as its tool set."""

    task_id: str
    tool_sets: tuple[tuple[str, ...], ...]


class World(msgspec.Struct, frozen=True, dict=True):
    """Everything an evaluation needs, with look-ups over it. Make one with `load_world`.

    Attributes:
        name: Short name, as in `retail`.
        version: Version of the data; scores of different versions are not comparable.
        domain: Domain word that retrieval requests carry.
        overview: A few sentences on the domain that the agent reads.
        datatypes: In file order (the order decides ties in retrieval).
        tools: Tools of all roles.
        records: The backend's records.
        tasks: In file order.
        queries: In file order.
        paths: Listed solution paths per task.
        recipe: What a built world was made from; it says nothing about the content and is no part of the fingerprint.
    """

    name: str
    version: str
    domain: str
    overview: str
    datatypes: tuple[Datatype, ...]
    tools: tuple[Tool, ...]
    records: tuple[Record, ...]
    tasks: tuple[Task, ...]
    queries: tuple[Query, ...]
    paths: tuple[TaskPaths, ...]
    recipe: dict[str, Any] | None = None

    @cached_property
    def datatype(self) -> Mapping[str, Datatype]:
        """Datatype by name."""
        return {datatype.name: datatype for datatype in self.datatypes}

    @cached_property
    def tool(self) -> Mapping[str, Tool]:
        """Tool by name, of any role."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def task(self) -> Mapping[str, Task]:
        """Task by identifier."""
        return {task.task_id: task for task in self.tasks}

    @cached_property
    def query(self) -> Mapping[str, Query]:
        """Query by identifier."""
        return {query.query_id: query for query in self.queries}

    @cached_property
    def tool_sets(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        """Listed tool sets by task identifier."""
        return {entry.task_id: entry.tool_sets for entry in self.paths}

    @cached_property
    def executable(self) -> tuple[Tool, ...]:
        """Executable tools, sorted by name."""
        tools = (tool for tool in self.tools if tool.role is Role.EXECUTABLE)
        return tuple(sorted(tools, key=lambda tool: tool.name))

    @cached_property
    def distractors(self) -> Mapping[str, tuple[Tool, ...]]:
        """Distractors by the executable tool they imitate, sorted by name."""
        return self._imitations(Role.DISTRACTOR, lambda tool: tool.name)

    @cached_property
    def alternatives(self) -> Mapping[str, tuple[Tool, ...]]:
        """Block alternatives by the executable tool they replace: explicit, implicit, misleading."""
        order = {kind: i for i, kind in enumerate(BLOCK_KINDS)}
        return self._imitations(Role.BLOCK_ALTERNATIVE, lambda tool: order[tool.kind or Kind.EXPLICIT])

    def _imitations(self, role: Role, key: Any) -> Mapping[str, tuple[Tool, ...]]:
        found: dict[str, list[Tool]] = {tool.name: [] for tool in self.executable}
        for tool in self.tools:
            if tool.role is role and tool.source is not None:
                found.setdefault(tool.source, []).append(tool)
        return {source: tuple(sorted(tools, key=key)) for source, tools in found.items()}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content: two worlds with the same fingerprint give the same scores."""
        from planbench_xl.world.storage import fingerprint

        return fingerprint(self)
