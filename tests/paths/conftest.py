"""The published release: its tools as a graph, its tasks, its catalogue."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.paths import PathSummary, ToolGraph, summarise


@dataclass(frozen=True)
class Task:
    start: tuple[str, ...]
    targets: tuple[str, ...]


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def release_graph(shared: Path) -> ToolGraph:
    tools = read(shared / "release" / "baseline_tools.json")
    return ToolGraph((t["name"], t["input_datatypes"], [t["output_datatype"]]) for t in tools)


@pytest.fixture(scope="session")
def release_tasks(shared: Path) -> dict[str, Task]:
    tasks = read(shared / "release" / "tasks.json")
    return {t["task_id"]: Task(tuple(t["input_datatypes"]), (t["target_datatype"],)) for t in tasks}


@pytest.fixture(scope="session")
def catalogue(shared: Path) -> dict[str, list[frozenset[str]]]:
    entries = read(shared / "release" / "paths_set_catalog.json")
    return {task: [frozenset(path["tool_set"]) for path in paths] for task, paths in entries.items()}


@pytest.fixture(scope="session")
def golden(shared: Path) -> dict[str, dict[str, int | None]]:
    counts: dict[str, dict[str, int | None]] = read(shared / "golden" / "minimal_tool_sets.json")
    return counts


@pytest.fixture(scope="session")
def summaries(release_graph: ToolGraph, release_tasks: dict[str, Task]) -> dict[str, PathSummary]:
    """Every figure of every release task; takes a few seconds."""
    return {name: summarise(release_graph, task.start, task.targets) for name, task in release_tasks.items()}
