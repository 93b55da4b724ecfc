import json
from pathlib import Path

from planbench_xl.world import World, save_world
from tests.audit.conftest import value
from tests.cli.conftest import Call


def test_the_table(call: Call, mini: World) -> None:
    called = call("world", "paths", "mini", "--max-tools", "5")
    assert (called.status, called.err) == (0, "")
    lines = called.out.splitlines()
    assert lines[0].split() == ["task", "paths", "at", "most", "5", "shortest", "longest", "datatypes"]
    assert lines[1].split() == ["library_task_01", "4", "0", "6", "8", "10"]
    short = sum(len(tool_set) <= 5 for entry in mini.paths for tool_set in entry.tool_sets)
    assert lines[-1].startswith(f"8 tasks; 21 paths, {short} of at most 5 tools; L* 3–6; all figures exact; ")


def test_listing(call: Call, mini: World) -> None:
    called = call("world", "paths", "mini", "--task", "library_task_03", "--list")
    assert "1 task; 2 paths" in called.out
    listed = [line.split(": ", 1)[1].split(" → ") for line in called.out.splitlines() if line.startswith("  ")]
    assert {frozenset(tools) for tools in listed} == {frozenset(s) for s in mini.tool_sets["library_task_03"]}


def test_json(call: Call) -> None:
    (row,) = json.loads(call("world", "paths", "mini", "--task", "library_task_03", "--list", "--json").out)
    assert row["count"] == {"value": 2, "exact": True}
    assert row["shortest"] == {"value": 3, "exact": True}
    assert "damage_report_id" in row["useful_datatypes"] and len(row["tool_sets"]) == 2


def test_records_that_differ(call: Call, mini: World, tmp_path: Path) -> None:
    save_world(value("case_atlas", transfer_slip_id=None)(mini), tmp_path / "w")
    out = call("world", "paths", "w", "--task", "library_task_01", "--level", "record").out
    assert "library_task_01 (library_query_01)      2" in out
    assert "library_task_01 (library_query_02)      4" in out


def test_bounds_are_marked(call: Call, shared: Path) -> None:
    path = str(shared / "release")
    out = call("world", "paths", path, "--task", "retail_task_0118", "--time-limit", "0.000001").out
    assert "≥" in out and "1 row with bounds" in out


def test_wrong_calls(call: Call) -> None:
    called = call("world", "paths", "mini", "--task", "library_task_1")
    assert called.status == 2 and "Did you mean 'library_task_01'?" in called.err
    assert call("world", "paths", "mini", "--level", "graph").status == 2
    assert call("world", "paths", "mini", "--time-limit", "0").status == 2
