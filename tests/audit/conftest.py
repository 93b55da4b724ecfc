"""Damaged copies of a world, and reports that are made once."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from planbench_xl.audit import AuditReport, audit
from planbench_xl.world import Tool, World
from planbench_xl.world.storage import FILES, IDENTIFIER

Damage = Callable[[World], World]

replace = msgspec.structs.replace


def edit(part: str, name: str, change: Callable[[Any], dict[str, Any]]) -> Damage:
    """Return a damage that changes fields of one entry, found by its name."""
    key = IDENTIFIER[FILES[part]]

    def damage(world: World) -> World:
        entries = getattr(world, part)
        assert sum(getattr(entry, key) == name for entry in entries) == 1
        changed = (replace(e, **change(e)) if getattr(e, key) == name else e for e in entries)
        return replace(world, **{part: tuple(changed)})

    return damage


def edit_all(part: str, change: Callable[[Any], dict[str, Any]]) -> Damage:
    """Return a damage that changes fields of all entries of a part."""
    return lambda world: replace(world, **{part: tuple(replace(e, **change(e)) for e in getattr(world, part))})


def value(record: str, **values: Any) -> Damage:
    """Return a damage that sets values of a record."""
    return edit("records", record, lambda entry: {"values": {**entry.values, **values}})


def without_tool(name: str) -> Damage:
    """Return a damage that removes a tool with its imitations and the listed paths through it."""

    def damage(world: World) -> World:
        paths = (replace(e, tool_sets=tuple(s for s in e.tool_sets if name not in s)) for e in world.paths)
        tools = tuple(tool for tool in world.tools if name not in (tool.name, tool.source))
        return replace(world, tools=tools, paths=tuple(paths))

    return damage


def imitation(world: World, source: str, kind: str) -> Tool:
    """Return an imitation of a tool."""
    return next(tool for tool in world.tools if tool.source == source and tool.kind == kind)


@pytest.fixture(scope="session")
def mini_report(mini: World) -> AuditReport:
    """The audit of the mini world."""
    return audit(mini)


@pytest.fixture(scope="session")
def release_report(release: World) -> AuditReport:
    """The audit of the release: some 15 seconds."""
    return audit(release)
