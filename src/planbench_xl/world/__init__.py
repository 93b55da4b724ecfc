"""Worlds: the typed model, the on-disk format, the release importer and the checks."""

from __future__ import annotations

from planbench_xl.world.loading import find_world, load_world, packaged_worlds
from planbench_xl.world.model import (
    BLOCK_KINDS,
    DISTRACTOR_KINDS,
    FAILING_KINDS,
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
from planbench_xl.world.storage import save as save_world
from planbench_xl.world.text import text_form

__all__ = [
    "BLOCK_KINDS",
    "DISTRACTOR_KINDS",
    "FAILING_KINDS",
    "Argument",
    "Datatype",
    "Kind",
    "Output",
    "Query",
    "Record",
    "Role",
    "Task",
    "TaskPaths",
    "Tool",
    "Value",
    "World",
    "find_world",
    "load_world",
    "packaged_worlds",
    "save_world",
    "text_form",
]
