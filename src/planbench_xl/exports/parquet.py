"""Worlds and episodes as Parquet tables (extra `parquet`): one file a table, values of any type as JSON text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.episodes.record import Episode
from planbench_xl.episodes.store import replace_file
from planbench_xl.errors import UsageError
from planbench_xl.metrics.episode import NUMBERS, EpisodeScore, score_episode
from planbench_xl.runs.loading import LoadedRun
from planbench_xl.world import Tool, World

Row = dict[str, Any]

SCORES = (
    "answer_correct",
    "grounded",
    "success",
    *NUMBERS,
    "by_input_searches",
    "by_output_searches",
)
"""Fields of an episode's score that become columns."""


def write_world(world: World, folder: Path) -> list[Path]:
    """Write a world's tables: datatypes, tools, records, tasks, queries and paths.

    Raises:
        UsageError: The extra is missing.
        OSError: A file can't be written.
    """
    return [
        _write(folder / "datatypes.parquet", [_world_row(world, entry) for entry in world.datatypes]),
        _write(folder / "tools.parquet", [_tool(world, tool) for tool in world.tools]),
        _write(folder / "records.parquet", list(_records(world))),
        _write(folder / "tasks.parquet", [_world_row(world, entry) for entry in world.tasks]),
        _write(folder / "queries.parquet", [_query(world, query.query_id) for query in world.queries]),
        _write(folder / "paths.parquet", list(_paths(world))),
    ]


def write_runs(runs: Iterable[LoadedRun], folder: Path) -> list[Path]:
    """Write the tables of runs: one row per episode, with its scores, and one row per turn.

    Raises:
        UsageError: The extra is missing.
        OSError: A file can't be written.
    """
    episodes: list[Row] = []
    turns: list[Row] = []
    for run in runs:
        for episode in run.episodes:
            episodes.append(_episode(run, episode, score_episode(run.world, episode)))
            turns += _turns(run, episode)
    return [_write(folder / "episodes.parquet", episodes), _write(folder / "turns.parquet", turns)]


def _write(path: Path, rows: Sequence[Row]) -> Path:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("Parquet needs the extra `parquet`: pip install 'planbench-xl[parquet]'.") from None
    table = pa.Table.from_pylist(list(rows))
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, [buffer.getvalue().to_pybytes()])
    return path


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _world_row(world: World, entry: msgspec.Struct) -> Row:
    """Return an entry as a row: tuples as lists, values of any type as JSON text."""
    row: Row = {"world": world.name}
    for field, value in msgspec.to_builtins(entry).items():
        row[field] = (
            _json(value) if field in ("example", "inputs", "answers") and not isinstance(value, list) else value
        )
    return row


def _tool(world: World, tool: Tool) -> Row:
    return {
        "world": world.name,
        "name": tool.name,
        "description": tool.description,
        "role": tool.role.value,
        "kind": tool.kind.value if tool.kind else None,
        "source": tool.source,
        "inputs": list(tool.inputs),
        "outputs": list(tool.output_datatypes),
        "arguments": _json(tool.arguments),
        "return_value": _json(tool.return_value),
    }


def _records(world: World) -> Iterator[Row]:
    """Yield a row per record and datatype: worlds have any number of datatypes, of any type."""
    for record in world.records:
        for datatype, value in record.values.items():
            yield {
                "world": world.name,
                "record_id": record.record_id,
                "datatype": datatype,
                "value": _json(value),
            }


def _query(world: World, query_id: str) -> Row:
    query = world.query[query_id]
    task = world.task[query.task_id]
    return {
        **_world_row(world, query),
        "split": query.split,
        "targets": list(task.targets),
        "shortest_length": task.shortest_length,
    }


def _paths(world: World) -> Iterator[Row]:
    for entry in world.paths:
        for number, tool_set in enumerate(entry.tool_sets):
            yield {"world": world.name, "task_id": entry.task_id, "path": number, "tools": list(tool_set)}


def _episode(run: LoadedRun, episode: Episode, score: EpisodeScore) -> Row:
    answer = episode.final_answer
    return {
        "run": run.label,
        "agent": run.agent,
        "world": run.world.name,
        "world_fingerprint": episode.world,
        "setting": episode.setting,
        "protocol": episode.protocol,
        "judge": episode.judge,
        "query_id": episode.query_id,
        "task_id": episode.task_id,
        "epoch": episode.epoch,
        "shortest_length": run.world.task[episode.task_id].shortest_length,
        "status": episode.status.value,
        "reason": episode.reason.value if episode.reason else None,
        "cause": episode.cause,
        "answer": answer.text if answer else None,
        **{name: getattr(score, name) for name in SCORES},
        "explored": list(score.explored),
        "executed": list(score.executed),
        "seconds": episode.seconds,
    }


def _turns(run: LoadedRun, episode: Episode) -> Iterator[Row]:
    for number, turn in enumerate(episode.turns, 1):
        name = (turn.request or {}).get("name") if turn.action == "call" else None
        tool = run.world.tool.get(name) if isinstance(name, str) else None
        yield {
            "run": run.label,
            "query_id": episode.query_id,
            "epoch": episode.epoch,
            "turn": number,
            "action": turn.action,
            "error": turn.error.value if turn.error else None,
            "tool": name if isinstance(name, str) else None,
            "role": tool.role.value if tool else None,
            "kind": tool.kind.value if tool and tool.kind else None,
            "request": _json(turn.request) if turn.request is not None else None,
            "success": turn.success,
            "value": _json(turn.value) if turn.success is not None else None,
            "tools": list(turn.tools) if turn.tools is not None else None,
            "raw": turn.raw,
        }
