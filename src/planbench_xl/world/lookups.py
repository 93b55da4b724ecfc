"""What the records answer to every call that they can answer: the record level of a world."""

from __future__ import annotations

from collections.abc import Mapping

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


class Lookups:
    """What each executable tool gives for every combination of inputs that the records have.

    As in the reference protocol, section 4: the records in which every input equals the argument and no
    output is null; values are compared by text form.
    """

    def __init__(self, world: World) -> None:
        texts = [{name: text_form(v) for name, v in r.values.items() if v is not None} for r in world.records]
        self.all: list[Lookup] = []
        self._taking: dict[str, list[Lookup]] = {}
        for tool in world.executable:
            lookup = Lookup(tool, tool.inputs, tool.output_datatypes, {})
            for record, text in zip(world.records, texts, strict=True):
                if all(name in text for name in (*lookup.inputs, *lookup.outputs)):
                    answers = lookup.table.setdefault(tuple(text[name] for name in lookup.inputs), {})
                    key = tuple(text[name] for name in lookup.outputs)
                    answers[key] = tuple(record.values[name] for name in lookup.outputs)
            self.all.append(lookup)
            for name in lookup.inputs:
                self._taking.setdefault(name, []).append(lookup)

    def derive(self, start: Mapping[str, Value]) -> dict[str, Answers]:
        """Return all values that forward chaining on the records gives, by datatype.

        Chains go on with the first value found; another one from another tool is kept beside it.
        """
        known = {name: {text_form(value): value} for name, value in start.items()}
        first = {name: text_form(value) for name, value in start.items()}
        fresh = list(start)
        while fresh:
            arrived = fresh.pop()
            for lookup in self._taking.get(arrived, ()):
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

    def answering(self, record: Record) -> list[str]:
        """Return the names of the tools that give exactly one answer for a record's own values, sorted."""
        texts = {name: text_form(value) for name, value in record.values.items() if value is not None}
        return [
            lookup.tool.name
            for lookup in self.all
            if all(name in texts for name in (*lookup.inputs, *lookup.outputs))
            and len(lookup.table[tuple(texts[name] for name in lookup.inputs)]) == 1
        ]
