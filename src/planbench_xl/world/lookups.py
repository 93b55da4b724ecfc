"""What the records answer to every call that they can answer: the record level of a world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import cast

import msgspec

from planbench_xl.world.model import Record, Tool, Value, World
from planbench_xl.world.text import text_form

Key = tuple[str, ...]
Answers = dict[str, Value]
"""Distinct values by their text form."""


class Lookup(msgspec.Struct, frozen=True):
    """One executable tool: the datatypes it takes and returns, and its distinct answers by the inputs' text forms.

    An answer has a value for each output; it is kept by its text forms.
    """

    tool: Tool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    table: dict[Key, dict[Key, tuple[Value, ...]]]


class _Columns:
    """The records by datatype; text forms are made once for all tools, None for null."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._texts: dict[str, list[str | None]] = {}
        self._values: dict[str, list[Value]] = {}

    def keys(self, names: Sequence[str]) -> Iterator[Key | None]:
        """Yield the text forms of some datatypes, record by record; None where one of them is null."""
        for name in names:
            if name not in self._texts:
                self._texts[name] = [None if value is None else text_form(value) for value in self._column(name)]
        rows = zip(*(self._texts[name] for name in names), strict=True) if names else repeat((), len(self._records))
        return (None if None in row else cast("Key", row) for row in rows)

    def values(self, names: Sequence[str]) -> Iterator[tuple[Value, ...]]:
        """Yield the values of some datatypes, record by record."""
        return zip(*map(self._column, names), strict=True) if names else repeat((), len(self._records))

    def _column(self, name: str) -> list[Value]:
        if name not in self._values:
            self._values[name] = [record.values.get(name) for record in self._records]
        return self._values[name]


class Lookups:
    """What each executable tool gives for every combination of inputs that the records have.

    As in the reference protocol, section 4: the records in which every input equals the argument and no
    output is null; values are compared by text form.
    """

    def __init__(self, world: World) -> None:
        columns = _Columns(world.records)
        self.all: list[Lookup] = []
        self._taking: dict[str, list[Lookup]] = {}
        self._giving: dict[str, list[Lookup]] = {}
        self._behind: dict[frozenset[str], set[str]] = {}
        for tool in world.executable:
            lookup = Lookup(tool, tool.inputs, tool.output_datatypes, {})
            takes, gives = columns.keys(lookup.inputs), columns.keys(lookup.outputs)
            for given, key, values in zip(takes, gives, columns.values(lookup.outputs), strict=True):
                if given is not None and key is not None:
                    lookup.table.setdefault(given, {})[key] = values
            self.all.append(lookup)
            for name in lookup.inputs:
                self._taking.setdefault(name, []).append(lookup)
            for name in lookup.outputs:
                self._giving.setdefault(name, []).append(lookup)

    def derive(self, start: Mapping[str, Value], wanted: Iterable[str] | None = None) -> dict[str, Answers]:
        """Return all values that forward chaining on the records gives, by datatype.

        Chains go on with the first value found; another one from another tool is kept beside it. If only some datatypes
        are wanted, only tools are called that lie on a way to one of them, with the same results for these.
        """
        behind = None if wanted is None else self._all_behind(frozenset(wanted))
        known = {name: {text_form(value): value} for name, value in start.items()}
        first = {name: text_form(value) for name, value in start.items()}
        fresh = list(start)
        while fresh:
            arrived = fresh.pop()
            for lookup in self._taking.get(arrived, ()):
                if behind is not None and behind.isdisjoint(lookup.outputs):
                    continue
                # Each tool is called once, when the last of its inputs arrives.
                if any(name not in first or name in fresh for name in lookup.inputs):
                    continue
                answers = lookup.table.get(tuple(first[name] for name in lookup.inputs), {})
                if len(answers) != 1:
                    continue
                ((texts, values),) = answers.items()
                for name, text, value in zip(lookup.outputs, texts, values, strict=True):
                    if name not in first:
                        first[name] = text
                        fresh.append(name)
                    known.setdefault(name, {})[text] = value
        return known

    def _all_behind(self, wanted: frozenset[str]) -> set[str]:
        """Return the datatypes from which some can be reached, these included; kept, since queries want the same."""
        known = self._behind.get(wanted)
        if known is None:
            known = set(wanted)
            todo = list(wanted)
            while todo:
                for lookup in self._giving.get(todo.pop(), ()):
                    new = [name for name in lookup.inputs if name not in known]
                    known.update(new)
                    todo += new
            self._behind[wanted] = known
        return known

    def answering(self, record: Record) -> list[str]:
        """Return the names of the tools that give exactly one answer for a record's own values, sorted."""
        texts = {name: text_form(value) for name, value in record.values.items() if value is not None}
        return [
            lookup.tool.name
            for lookup in self.all
            if all(name in texts for name in (*lookup.inputs, *lookup.outputs))
            and len(lookup.table[tuple(texts[name] for name in lookup.inputs)]) == 1
        ]
