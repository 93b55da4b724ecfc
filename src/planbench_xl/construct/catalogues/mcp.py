"""Reads what an MCP server answers to `tools/list`."""

from __future__ import annotations

from typing import Any

from planbench_xl.construct.catalogues.errors import fault
from planbench_xl.construct.catalogues.model import Catalogue, Operation
from planbench_xl.construct.catalogues.names import VERBS, noun, words
from planbench_xl.construct.catalogues.schemas import Found, Schemas
from planbench_xl.construct.catalogues.words import material

READING = material().lexicon.reading
_JOINS = material().lexicon.joins


def read_mcp(document: Any, file: str) -> Catalogue:
    """Read a saved answer to `tools/list`: the whole message, its result, or the bare list of tools.

    Raises:
        CatalogueError: It holds no list of tools, or a reference that can't be followed.
    """
    tools = _tools(document, file)
    operations = []
    for number, tool in enumerate(tools, 1):
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            raise fault(file, f"tool {number}", "is not an object with a `name`", "Save the server's answer as it is")
        operations.append(_operation(tool, file))
    return Catalogue(file, "", "", tuple(operations))


def _tools(document: Any, file: str) -> list[Any]:
    found = document
    for key in ("result", "tools"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    if not isinstance(found, list) or not found:
        remedy = "Save the server's answer to `tools/list`, or the list in its `tools`; for OpenAPI use --from-openapi"
        raise fault(file, "tools", "is missing or no list with entries", remedy)
    return found


def _operation(tool: dict[str, Any], file: str) -> Operation:
    name = tool["name"]
    place = f"tool '{name}'"
    subject = _subject(name)
    taken = _walk(tool.get("inputSchema") or tool.get("parameters"), subject, file, place)
    given = _walk(tool.get("outputSchema"), subject, file, place)
    description = tool.get("description")
    return Operation(
        name=name,
        description=description if isinstance(description, str) else "",
        flow=subject,
        subject=subject,
        inputs=tuple(taken.slots),
        outputs=tuple(given.slots),
        reads=bool(READING & set(words(name)[:2])),
        holds=(*taken.holds, *given.holds),
    )


def _walk(schema: Any, subject: str, file: str, place: str) -> Found:
    # References in a tool's schema lead to places within that schema.
    if not isinstance(schema, dict):
        return Found([], [])
    # The title of the whole schema names the call (`get_issueArguments`), not what it is about.
    plain = {key: value for key, value in schema.items() if key != "title"}
    return Schemas(schema, file).walk(plain, subject, place)


def _subject(name: str) -> str:
    """Return what a tool is about: `get_order_items_by_order` is about an order item."""
    found = words(name)
    while len(found) > 1 and found[0] in (*VERBS, "or", "and"):
        found.pop(0)
    for place, word in enumerate(found):
        if place and word in _JOINS:
            found = found[:place]
            break
    return noun(" ".join(found))
