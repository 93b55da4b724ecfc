"""Reads OpenAPI 3.0 and 3.1 and Swagger 2.0."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from planbench_xl.construct.catalogues.errors import fault
from planbench_xl.construct.catalogues.model import Catalogue, Holds, Operation, Slot
from planbench_xl.construct.catalogues.names import PLUMBING, VERBS, noun, phrase, within
from planbench_xl.construct.catalogues.schemas import Schemas, slot_of
from planbench_xl.construct.catalogues.words import material

MOST_OPERATIONS = 250
"""A catalogue of more than this has to be narrowed by tags or paths: its world would be about everything."""

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

_PARAMETER = re.compile(r"\{([^{}]*)\}")
_VERSION = re.compile(r"v?\d[\d.]*|api|rest", re.IGNORECASE)
_SUCCESS = re.compile(r"2(\d\d|XX)$", re.IGNORECASE)
_IDENTIFIER = material().lexicon.identifying


def read_openapi(document: Any, file: str, tags: Sequence[str] = (), paths: Sequence[str] = ()) -> Catalogue:
    """Read an OpenAPI or Swagger document.

    Args:
        document: Its content.
        file: Its name, for messages.
        tags: Only operations with one of these tags; empty for all.
        paths: Only operations whose path starts with one of these; empty for all.

    Raises:
        CatalogueError: It is none, has no operation that is asked for, too many, or a reference that can't be followed.
    """
    listed = _paths(document, file)
    chosen = [entry for entry in _listed(listed) if _asked(entry, tags, paths)]
    if not chosen:
        problem, remedy = "has no operation", "Add paths with operations"
        if tags or paths:
            problem = "has no operation with that tag or path"
            remedy = f"Tags: {_named(_tags(_listed(listed)))}. Paths: {_named(_heads(_listed(listed)))}"
        raise fault(file, "paths", problem, remedy)
    if len(chosen) > MOST_OPERATIONS:
        problem = f"has {len(chosen)} operations; at most {MOST_OPERATIONS} make a world with a subject of its own"
        remedy = f"Narrow it with --tag or --path. Tags: {_named(_tags(chosen))}. Paths: {_named(_heads(chosen))}"
        raise fault(file, "paths", problem, remedy)
    reader = _Reader(document, file)
    for entry in chosen:
        reader.learn(entry)
    info = document.get("info") if isinstance(document.get("info"), dict) else {}
    return Catalogue(
        file=file,
        title=str(info.get("title") or ""),
        description=str(info.get("description") or info.get("summary") or ""),
        operations=tuple(reader.operation(entry) for entry in chosen),
    )


class Entry(msgspec.Struct, frozen=True):
    """An operation as it stands in the document."""

    path: str
    method: str
    node: dict[str, Any]
    shared: tuple[Any, ...]

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        tags = self.node.get("tags")
        return tuple(str(tag) for tag in tags) if isinstance(tags, list) else ()

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.method.upper()} {self.path}"


def _paths(document: Any, file: str) -> dict[Any, Any]:
    if not isinstance(document, dict):
        raise fault(file, "", "is not an object", "Give an OpenAPI document")
    version = str(document.get("openapi") or document.get("swagger") or "")
    if not (version.startswith("3.") or version == "2.0"):
        problem = f"says version '{version}'" if version else "has neither `openapi` nor `swagger`"
        raise fault(file, "", problem, "Give an OpenAPI 3.0 or 3.1 or a Swagger 2.0 document; for MCP use --from-mcp")
    found = document.get("paths")
    if not isinstance(found, dict) or not found:
        raise fault(file, "paths", "is missing or empty", "Add paths with operations")
    return found


def _listed(paths: Mapping[Any, Any]) -> Iterator[Entry]:
    for path, item in paths.items():
        if not isinstance(item, dict):
            continue
        shared = item.get("parameters")
        for method in METHODS:
            if isinstance(item.get(method), dict):
                yield Entry(str(path), method, item[method], tuple(shared) if isinstance(shared, list) else ())


def _asked(entry: Entry, tags: Sequence[str], paths: Sequence[str]) -> bool:
    if tags and not {tag.casefold() for tag in tags} & {tag.casefold() for tag in entry.tags}:
        return False
    return not paths or any(entry.path.startswith(path) for path in paths)


def _tags(entries: Iterator[Entry] | Sequence[Entry]) -> Counter[str]:
    return Counter(tag for entry in entries for tag in entry.tags)


def _heads(entries: Iterator[Entry] | Sequence[Entry]) -> Counter[str]:
    return Counter("/" + entry.path.strip("/").split("/")[0] for entry in entries)


def _named(counts: Counter[str], most: int = 20) -> str:
    shown = [f"{name} ({count})" for name, count in counts.most_common(most)]
    return ", ".join(shown) + (", …" if len(counts) > most else "") if shown else "none"


class Called(msgspec.Struct, frozen=True):
    """What the schema of a path's answer calls the thing that the path is about, and which fields it has."""

    name: str
    fields: frozenset[str]


class _Reader:
    """Turns entries into operations."""

    def __init__(self, document: dict[str, Any], file: str) -> None:
        self._schemas = Schemas(document, file)
        self._called: dict[str, Called] = {}

    def operation(self, entry: Entry) -> Operation:
        """Read one operation."""
        owners, subject = _owners(entry.path, self._called)
        given = self._schemas.walk(self._response(entry), subject, entry.place)
        inputs, holds = self._inputs(entry, owners, subject)
        text = entry.node.get("summary") or entry.node.get("description")
        return Operation(
            name=str(entry.node.get("operationId") or entry.place),
            description=text if isinstance(text, str) else "",
            flow=entry.tags[0] if entry.tags else subject,
            subject=subject,
            inputs=tuple(inputs),
            outputs=tuple(given.slots),
            holds=(*holds, *given.holds),
            reads=entry.method == "get",
            nested=tuple(dict.fromkeys((*owners.values(), subject))),
        )

    def learn(self, entry: Entry) -> None:
        """Remember what the schema of a path's answer calls the thing that the path is about."""
        _, subject = _owners(entry.path, {})
        shape = self._schemas.shape(self._response(entry), entry.place)
        named = noun(shape.name) if shape.properties else ""
        if named and subject and _same(named, subject):
            known = frozenset(phrase(name) for name in shape.properties)
            self._called.setdefault(entry.path.rstrip("/"), Called(named, known))

    def _response(self, entry: Entry) -> Any:
        responses = entry.node.get("responses")
        if not isinstance(responses, dict):
            return {}
        codes = sorted((str(code) for code in responses if _SUCCESS.match(str(code))), key=lambda code: code.upper())
        by_code = {str(code): response for code, response in responses.items()}
        for code in (*codes, "default"):
            response, _ = self._schemas.resolve(by_code.get(code), f"{entry.place}, response {code}")
            if schema := _content(response):
                return schema
        return {}

    def _inputs(self, entry: Entry, owners: Mapping[str, str], subject: str) -> tuple[list[Slot], list[Holds]]:
        slots: list[Slot] = []
        holds: list[Holds] = []
        own = entry.node.get("parameters")
        for number, raw in enumerate((*entry.shared, *(own if isinstance(own, list) else [])), 1):
            place = f"{entry.place}, parameter {number}"
            node, _ = self._schemas.resolve(raw, place)
            name, where = node.get("name"), node.get("in")
            if where == "body":
                found = self._schemas.walk(node.get("schema"), subject, place)
                slots += found.slots
                holds += found.holds
            elif isinstance(name, str) and where in ("path", "query", "header", "formData"):
                shape = self._schemas.shape(node.get("schema") or {}, place)
                merged = {"type": "string", **shape.node, **{k: v for k, v in node.items() if k != "schema"}}
                slot = slot_of(merged, owners.get(name, subject), name, addresses=where == "path" and name in owners)
                if slot is not None and not (where == "header" and phrase(name) in PLUMBING):
                    slots.append(slot)
        body, _ = self._schemas.resolve(entry.node.get("requestBody"), f"{entry.place}, request body")
        if schema := _content(body):
            found = self._schemas.walk(schema, subject, f"{entry.place}, request body")
            slots += found.slots
            holds += found.holds
        return slots, holds


def _same(named: str, subject: str) -> bool:
    """Say whether a schema's name is another word for what a path is about."""
    short, long = sorted((named, subject), key=len)
    return long.startswith(short) or bool(set(named.split()) & set(subject.split()))


def _content(node: Mapping[str, Any]) -> Any:
    """Return the schema of a body or response; JSON first."""
    if "schema" in node:
        return node["schema"]
    content = node.get("content")
    if not isinstance(content, dict):
        return None
    kinds = sorted(content, key=lambda kind: "json" not in str(kind).lower())
    for kind in kinds:
        if isinstance(content[kind], dict) and content[kind].get("schema"):
            return content[kind]["schema"]
    return None


def _owners(path: str, called: Mapping[str, Called]) -> tuple[dict[str, str], str]:
    """Say what each parameter of a path identifies, and what the path is about.

    `/customers/{id}/orders/{order_id}` gives `id`: customer and `order_id`: order, and is about an order.

    Args:
        path: The path.
        called: What is known of the things that paths are about.
    """
    owners: dict[str, str] = {}
    last, so_far = "", ""
    for part in path.strip("/").split("/"):
        so_far += f"/{part}"
        names = _PARAMETER.findall(part)
        if not names and part and not _VERSION.fullmatch(part) and not (last and phrase(part) in VERBS):
            last = noun(part) or last
        known = called.get(so_far)
        last = known.name if known else last
        for name in names:
            other = _other(name, last)
            its_own = not other or _same(other, last) or (known and phrase(name) in known.fields)
            owners[name] = last if its_own else other
    return owners, last


def _other(parameter: str, last: str) -> str:
    """Return what a parameter identifies if its name says so: in `/pets/{owner_id}`, an owner and no pet."""
    own = phrase(parameter).split()
    if len(own) > 1 and own[-1] in _IDENTIFIER and own[-2] != "or" and within(parameter, last).split() == own:
        return noun(" ".join(own[:-1]))
    return ""
