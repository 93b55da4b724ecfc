"""JSON Schema, as OpenAPI and MCP use it: references, objects within objects, values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from planbench_xl.construct.catalogues.errors import fault
from planbench_xl.construct.catalogues.model import Holds, Kind, Slot
from planbench_xl.construct.catalogues.names import PLUMBING, WRAPPERS, noun, phrase

MOST_DEPTH, MOST_SLOTS, MOST_ENUM = 6, 600, 24
"""Objects are followed so deep, and no more values of one schema or of one list are kept."""

MOST_MERGES = 32

KINDS: Mapping[str, Kind] = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean"}


class Shape(msgspec.Struct):
    """A schema with references resolved and parts merged.

    Attributes:
        node: Keywords about the value itself.
        properties: Those of an object.
        items: The schema of what a list holds.
        name: What the schema is called, or empty.
    """

    node: dict[str, Any]
    properties: dict[str, Any]
    items: Any = None
    name: str = ""


class Found(msgspec.Struct):
    """What a schema holds."""

    slots: list[Slot]
    holds: list[Holds]


class Schemas:
    """Reads the schemas of one document."""

    def __init__(self, document: Any, file: str) -> None:
        self._document = document
        self._file = file

    def resolve(self, node: Any, place: str) -> tuple[dict[str, Any], str]:
        """Follow references within the document; return what they lead to, and the last reference or nothing.

        Raises:
            CatalogueError: A reference leads to another document, to nothing, or only back to itself.
        """
        seen: list[str] = []
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            reference = node["$ref"]
            if reference in seen:
                problem = f"the reference '{reference}' only leads back to itself"
                raise fault(self._file, place, problem, "Put a schema at its end")
            seen.append(reference)
            node = self._follow(reference, place)
        return (node if isinstance(node, dict) else {}), (seen[-1] if seen else "")

    def _follow(self, reference: str, place: str) -> Any:
        if not reference.startswith("#"):
            problem = f"the reference '{reference}' leads to another document"
            raise fault(self._file, place, problem, "Bundle the documents into one file first")
        here = self._document
        for part in reference[1:].split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(here, dict) and key in here:
                here = here[key]
            elif isinstance(here, list) and key.isdecimal() and int(key) < len(here):
                here = here[int(key)]
            else:
                raise fault(self._file, place, f"the reference '{reference}' leads to nothing", "Correct it")
        return here

    def walk(self, schema: Any, owner: str, place: str) -> Found:
        """Return all values in a schema, each with the object that owns it.

        Args:
            schema: The schema.
            owner: What an object without a name of its own is.
            place: Where it stands, for messages.
        """
        found = Found([], [])
        self._walk(schema, owner, place, found, set(), 0)
        return found

    def _walk(self, schema: Any, owner: str, place: str, found: Found, seen: set[str], depth: int) -> None:
        _, reference = self.resolve(schema, place)
        if depth > MOST_DEPTH or len(found.slots) > MOST_SLOTS or (reference and reference in seen):
            return
        seen.add(reference)
        shape = self.shape(schema, place)
        if shape.items is not None:
            self._walk(shape.items, owner, place, found, seen, depth + 1)
            return
        # The name of what wraps a list of things is no thing's name.
        own = noun(shape.name) or owner
        for name, part in shape.properties.items():
            if phrase(name) in PLUMBING:
                continue
            inner, many = self._inside(part, f"{place}, property '{name}'")
            if inner is None:
                continue
            if not inner.properties:
                slot = None if many else slot_of(inner.node, own, name)
                if slot is not None:
                    found.slots.append(slot)
                continue
            wrapper = phrase(name) in WRAPPERS
            held = noun(inner.name) or (owner if wrapper else noun(name) or owner)
            if held != own and not wrapper:
                found.holds.append(Holds(own, held, many))
            self._walk(part, held, f"{place}, property '{name}'", found, seen, depth + 1)

    def _inside(self, schema: Any, place: str) -> tuple[Shape | None, bool]:
        """Return the shape of a property, or of what it lists, and whether it is a list."""
        many = False
        for _ in range(MOST_DEPTH):
            shape = self.shape(schema, place)
            if shape.items is None:
                return shape, many
            schema, many = shape.items, True
        return None, many

    def shape(self, schema: Any, place: str) -> Shape:
        """Resolve references and merge `allOf` and the variants of `oneOf` and `anyOf`."""
        shape = Shape({}, {})
        self._merge(schema, shape, place, 0, frozenset())
        return shape

    def _merge(self, schema: Any, shape: Shape, place: str, depth: int, above: frozenset[str]) -> None:
        node, reference = self.resolve(schema, place)
        if depth > MOST_MERGES or (reference and reference in above):
            raise fault(self._file, place, "the schema is a part of itself", "Remove it from its `allOf` or `anyOf`")
        name = reference.rsplit("/", 1)[-1] if reference else node.get("title")
        if depth == 0 and isinstance(name, str):
            shape.name = unquote(name)
        for key, value in node.items():
            if isinstance(key, str) and key not in ("properties", "items", "allOf", "oneOf", "anyOf"):
                shape.node.setdefault(key, value)
        properties = node.get("properties")
        if isinstance(properties, dict):
            for key, value in properties.items():
                shape.properties[str(key)] = _both(shape.properties.get(str(key)), value)
        if isinstance(node.get("items"), dict):
            shape.items = _both(shape.items, node["items"])
        for part, inner in _parts(node):
            if part == "allOf" or not _is_null(inner):
                before = shape.name
                self._merge(inner, shape, place, depth + 1, above | {reference} if reference else above)
                variant = inner.get("$ref") if isinstance(inner, dict) else None
                if not before and depth == 0 and isinstance(variant, str):
                    shape.name = unquote(variant.rsplit("/", 1)[-1])


def _parts(node: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for part in ("allOf", "oneOf", "anyOf"):
        if isinstance(node.get(part), list):
            for inner in node[part][:MOST_MERGES]:
                yield part, inner


def _both(old: Any, new: Any) -> Any:
    """Return a schema that is both of two: parts of `allOf` often say more about what another part left open."""
    if old is None or old == new:
        return new
    if isinstance(old, dict) and set(old) == {"allOf"} and isinstance(old["allOf"], list):
        return {"allOf": [*old["allOf"], new]}
    return {"allOf": [old, new]}


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def slot_of(node: Mapping[str, Any], owner: str, name: str, addresses: bool = False) -> Slot | None:
    """Return the value that a schema without properties describes; None for objects, lists and nothing at all."""
    kind = _kind(node)
    if kind is None:
        return None
    return Slot(
        owner=owner,
        name=name,
        kind=kind,
        format=_text(node.get("format")),
        enum=_enum(node),
        example=_example(node),
        description=_text(node.get("description")) or _text(node.get("title")),
        low=_number(node.get("minimum")),
        high=_number(node.get("maximum")),
        addresses=addresses,
    )


def _kind(node: Mapping[str, Any]) -> Kind | None:
    kinds = node.get("type")
    if isinstance(kinds, list):
        kinds = next((kind for kind in kinds if kind != "null"), None)
    if isinstance(kinds, str):
        return KINDS.get(kinds)
    if "format" in node or "enum" in node or "example" in node or "description" in node or "const" in node:
        return "string"
    return None


def _enum(node: Mapping[str, Any]) -> tuple[str, ...]:
    values = node.get("enum")
    if not isinstance(values, list):
        return ()
    texts = (str(value) for value in values if isinstance(value, str | int | float) and not isinstance(value, bool))
    return tuple(dict.fromkeys(texts))[:MOST_ENUM]


def _example(node: Mapping[str, Any]) -> str:
    examples = node.get("examples")
    candidates = [node.get("example"), *(examples if isinstance(examples, list) else [])]
    if isinstance(examples, dict):
        candidates += [value.get("value") for value in examples.values() if isinstance(value, dict)]
    for value in candidates:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
    return ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e12:
        return None
    return float(value)
