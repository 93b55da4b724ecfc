"""Worlds as a user names them, and what they hold."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from planbench_xl.errors import UsageError
from planbench_xl.world import World, find_world, load_world, packaged_worlds


def open_world(name: str) -> World:
    """Load a world by name or folder.

    Raises:
        UsageError: There is none; the message suggests a name.
        WorldError: It is faulty.
    """
    return load_world(find_folder(name))


def find_folder(name: str) -> Path:
    """Return the folder of a world by name or folder.

    Raises:
        UsageError: There is none; the message suggests a name.
    """
    path = Path(name)
    if name in packaged_worlds() or path.is_dir():
        return find_world(name)
    beside = [str(path.parent / folder) for folder in _folders(path.parent)]
    near = get_close_matches(name, [*packaged_worlds(), *beside], 1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    known = ", ".join(packaged_worlds())
    raise UsageError(f"There is no world '{name}'.{hint} Give a world's folder or a packaged world: {known}.")


def _folders(parent: Path) -> list[str]:
    try:
        return [entry.name for entry in parent.iterdir() if entry.is_dir()]
    except OSError:
        return []


def describe(world: World) -> dict[str, Any]:
    """Return what a world holds, as plain data: names, counts by role and kind, lengths, splits, recipe."""
    kinds = Counter(tool.kind.value for tool in world.tools if tool.kind is not None)
    recipe = {name: value for name, value in (world.recipe or {}).items() if name != "knobs" and value != ""}
    return {
        "name": world.name,
        "version": world.version,
        "fingerprint": world.fingerprint,
        "domain": world.domain,
        "overview": world.overview,
        "datatypes": len(world.datatypes),
        "tools": len(world.tools),
        "tools_by_role": _sorted(Counter(tool.role.value for tool in world.tools)),
        "flawed_tools_by_kind": dict(kinds),
        "executable_tools_by_inputs": _sorted(Counter(str(len(tool.arguments)) for tool in world.executable)),
        "records": len(world.records),
        "tasks": len(world.tasks),
        "tasks_by_inputs": _sorted(Counter(str(len(task.inputs)) for task in world.tasks)),
        "tasks_by_shortest_length": _sorted(Counter(str(task.shortest_length) for task in world.tasks)),
        "queries": len(world.queries),
        "queries_by_split": _sorted(Counter(query.split for query in world.queries if query.split)),
        "listed_paths": sum(len(entry.tool_sets) for entry in world.paths),
        "recipe": recipe,
    }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in sorted(counts, key=lambda name: (len(name), name))}
