from __future__ import annotations

import json
from pathlib import Path

import pytest

pq = pytest.importorskip("pyarrow.parquet")

from planbench_xl.exports.parquet import write_runs, write_world  # noqa: E402
from planbench_xl.metrics import score_run  # noqa: E402
from planbench_xl.runs.loading import load_runs  # noqa: E402
from planbench_xl.runs.run import run  # noqa: E402
from planbench_xl.world import World  # noqa: E402


def test_world(mini: World, tmp_path: Path) -> None:
    tables = {path.stem: pq.read_table(path).to_pylist() for path in write_world(mini, tmp_path)}
    assert [row["name"] for row in tables["tools"]] == [tool.name for tool in mini.tools]
    assert [row["query_id"] for row in tables["queries"]] == list(mini.query)
    assert {row["name"] for row in tables["datatypes"]} == set(mini.datatype)
    assert len(tables["tasks"]) == len(mini.tasks)
    assert len(tables["paths"]) == sum(len(sets) for sets in mini.tool_sets.values())
    for row in tables["records"]:
        record = next(record for record in mini.records if record.record_id == row["record_id"])
        assert json.loads(row["value"]) == record.values[row["datatype"]]
    for row in tables["queries"]:
        assert json.loads(row["answers"]) == mini.query[row["query_id"]].answers


def test_runs(mini: World, tmp_path: Path) -> None:
    for agent in ("explorer", "random"):
        run("mini", tmp_path / "runs" / agent, agent=agent)
    runs = load_runs([tmp_path / "runs"])
    episodes, turns = (pq.read_table(path).to_pylist() for path in write_runs(runs, tmp_path / "tables"))
    for loaded in runs:
        score = score_run(mini, loaded.episodes)
        mine = [row for row in episodes if row["run"] == loaded.label]
        assert sum(row["success"] for row in mine) == score.succeeded
        assert sum(row["turns"] for row in mine) == sum(row["run"] == loaded.label for row in turns)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_other_libraries_read_it(mini: World, tmp_path: Path, library: str) -> None:
    module = pytest.importorskip(library)
    for path in write_world(mini, tmp_path):
        rows = module.read_parquet(str(path))
        assert len(rows) == pq.read_table(path).num_rows


def test_without_the_extra(mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from planbench_xl.errors import UsageError

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"planbench-xl\[parquet\]"):
        write_world(mini, tmp_path)
