"""Whatever a document holds, it gives a valid domain file or a clear error."""

from __future__ import annotations

import contextlib
import tomllib
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbench_xl.construct.catalogues import CatalogueError, draft_domain, read_mcp, read_openapi, to_toml
from planbench_xl.construct.checks import check_domain
from planbench_xl.construct.reading import parse_domain

EVIL = [
    '"""',
    "]]\n[[entity]]",
    "# CHECK",
    "a = 1\nb",
    "{given}",
    "{d4}",
    "time: on x",
    "f001_thing_id",
    "\x00\x7f",
    "\ud800",
    "\u2028",
    "الاسم",
    "名前",
    "İd",
    "../..",
    "$ref",
    "id",
    "Id",
    "thing_id",
    "a" * 300,
    "",
    " ",
    "{}",
    "'",
    "\\",
    "name",
    "get",
    "1",
]
WORDS = ["order", "item", "customer", "Order", "unit", "price", "items", "created_at", "status", "data", "code"]


class Chaos:
    """Draws documents that are right in form and mad in content; quicker than drawing them choice by choice."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def name(self) -> str:
        text = self._rng.choice(EVIL if self._rng.random() < 0.4 else WORDS)
        return f"{text}_id" if self._rng.random() < 0.2 else text

    def scalar(self) -> Any:
        numbers = (0, -1, 3, 10**30, 1.5, float("nan"), float("inf"), True, None, [], {})
        return self.name() if self._rng.random() < 0.6 else self._rng.choice(numbers)

    def leaf(self) -> Any:
        found = {"type": self._rng.choice(["string", "integer", "number", "boolean", "null", ["string", "null"], 7])}
        extras = {
            "format": self._rng.choice(["date", "date-time", "uuid", "email", "byte", "x", 3]),
            "enum": [self.scalar() for _ in range(self._rng.randint(0, 40))],
            "example": self.scalar(),
            "examples": self._rng.choice([self.scalar(), [self.scalar()], {"a": {"value": self.scalar()}}]),
            "description": self.scalar(),
            "minimum": self.scalar(),
            "maximum": self.scalar(),
        }
        return found | {key: value for key, value in extras.items() if self._rng.random() < 0.3}

    def schema(self, depth: int = 3) -> Any:
        kind = self._rng.random()
        if kind < 0.15:
            return {"$ref": f"#/components/schemas/{self._rng.choice('ABC')}"}
        if depth == 0 or kind < 0.3:
            return self._rng.choice([self.leaf(), self.leaf(), self.leaf(), True, {}])
        if kind < 0.4:
            return {"type": "array", "items": self.schema(depth - 1)}
        if kind < 0.5:
            parts = [self.schema(depth - 1) for _ in range(self._rng.randint(0, 3))]
            return {self._rng.choice(["allOf", "anyOf", "oneOf"]): parts}
        properties = {self.name(): self.schema(depth - 1) for _ in range(self._rng.randint(0, 7))}
        return {"type": "object", "properties": properties, "title": self.name()}

    def openapi(self) -> Any:
        paths = {}
        for _ in range(self._rng.randint(1, 6)):
            parameter = {"name": self.name(), "in": self._rng.choice(["path", "query"]), "schema": self.schema(1)}
            paths[f"/{self.name()}/{{{parameter['name']}}}"] = {
                "get": {
                    "tags": [self.name()],
                    "summary": self.scalar(),
                    "parameters": [parameter],
                    "responses": {"200": {"content": {"application/json": {"schema": self.schema()}}}},
                }
            }
        parts = {name: self.schema() for name in "ABC"}
        info = {"title": self.scalar(), "description": self.scalar()}
        return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": parts}}

    def mcp(self) -> Any:
        return [
            {
                "name": self.name(),
                "description": self.scalar(),
                "inputSchema": {"properties": {self.name(): self.leaf() for _ in range(4)}},
                "outputSchema": {
                    "allOf": [self.schema()],
                    "components": {"schemas": {name: self.schema() for name in "ABC"}},
                },
            }
            for _ in range(self._rng.randint(1, 6))
            if self._rng.random() < 0.9
        ]


def check(read: Any, document: Any) -> None:
    try:
        draft = draft_domain(read(document, "hostile.json"))
    except CatalogueError as error:
        assert str(error).startswith("hostile.json")
        return
    text = to_toml(draft, "hostile\n.json")
    text.encode()
    domain = parse_domain(tomllib.loads(text), "draft.toml")
    assert domain == draft.domain
    assert check_domain(domain, "draft.toml") == []


@given(st.integers(min_value=0))
@settings(max_examples=50, deadline=None)
def test_any_openapi_document(seed: int) -> None:
    check(read_openapi, Chaos(seed).openapi())


@given(st.integers(min_value=0))
@settings(max_examples=40, deadline=None)
def test_any_list_of_tools(seed: int) -> None:
    check(read_mcp, Chaos(seed).mcp())


def test_most_of_that_gives_a_draft() -> None:
    """The properties above would hold of code that refuses everything."""
    drafted = 0
    for seed in range(30):
        with contextlib.suppress(CatalogueError):
            drafted += bool(draft_domain(read_openapi(Chaos(seed).openapi(), "x.json")))
    assert drafted > 8


def test_names_that_are_toml_and_values_without_end() -> None:
    fields = {name: {"type": "string", "description": f"{name} is {name} \\u0000"} for name in EVIL}
    fields["kind_of_it"] = {"enum": [f"value {n}/|\n" for n in range(5_000)]}
    schema = {"type": "object", "title": '"]\n[x', "properties": {**fields, "id": {"type": "string"}}}
    other = {"type": "object", "title": "Other", "properties": {"id": {"type": "integer"}, "part": schema}}
    for _ in range(300):
        other = {
            "type": "object",
            "properties": {"deeper": other, "id": {"type": "string"}, "more": {"type": "number"}},
        }
    check(read_mcp, [{"name": "get_a", "outputSchema": schema}, {"name": "get_b", "outputSchema": other}])
    draft = draft_domain(
        read_mcp([{"name": "get_a", "outputSchema": schema}, {"name": "get_b", "outputSchema": other}], "x")
    )
    assert len(draft.domain.entity) >= 2


def test_a_schema_with_more_of_one_name_than_there_are_phrases() -> None:
    properties = {f"n{'!' * n}": {"type": "string"} for n in range(200)}
    tools = [
        {"name": f"get_{'-' * n}item", "outputSchema": {"title": f"Item{'?' * n}", "properties": properties}}
        for n in range(20)
    ]
    with pytest.raises(CatalogueError, match="0 kinds of things"):
        draft_domain(read_mcp(tools, "t.json"))
