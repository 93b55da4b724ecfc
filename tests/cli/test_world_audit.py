import json
import shutil
from pathlib import Path

from planbench_xl.world import World, find_world, save_world
from tests.audit.conftest import edit, value
from tests.cli.conftest import Call


def test_a_clean_world(call: Call) -> None:
    called = call("world", "audit", "mini")
    assert (called.status, called.err) == (0, "")
    assert "mini: 0 errors, 0 warnings, 3 infos" in called.out
    assert "Nothing found by: catalogue-incomplete, " in called.out
    assert call("world", "audit", "mini", "--fail-on", "info").status == 1
    assert call("world", "audit", "mini", "--fail-on", "warning").status == 0


def test_a_damaged_world(call: Call, mini: World, tmp_path: Path) -> None:
    damage = edit("tasks", "library_task_03", lambda entry: {"shortest_length": 4})
    save_world(damage(mini), tmp_path / "w")
    called = call("world", "audit", "w")
    assert called.status == 1
    assert "error wrong-shortest-length: 1 of 8 (12.5%)" in called.out
    assert "library_task_03 states 4; 3 tools are enough" in called.out
    assert call("world", "audit", "w", "--fail-on", "never").status == 0


def test_warnings_alone(call: Call, mini: World, tmp_path: Path) -> None:
    save_world(
        value("case_ferns", repair_cost_amount=123.45)(value("case_ferns", receipt_id="-")(mini)), tmp_path / "w"
    )
    found = json.loads(call("world", "audit", "w", "--json", "--fail-on", "never").out)
    (inside,) = [finding for finding in found["findings"] if finding["id"] == "gold-inside-other-values"]
    assert inside["level"] == "warning" and inside["entries"] == ["library_query_01:repair_cost_amount"]
    assert len(found["tasks"]) == 8 and found["world"] == "mini"


def test_json_holds_nothing_else(call: Call, mini: World) -> None:
    called = call("world", "audit", "mini", "--json")
    found = json.loads(called.out)
    assert (called.status, called.err, found["fingerprint"]) == (0, "", mini.fingerprint)
    assert [finding["level"] for finding in found["findings"]] == ["info"] * 3


def test_wrong_calls(call: Call, tmp_path: Path) -> None:
    assert call("world", "audit", "mnii").status == 2
    assert call("world", "audit", "mini", "--fail-on", "fatal").status == 2
    shutil.copytree(find_world("mini"), tmp_path / "w")
    (tmp_path / "w" / "tools.jsonl").unlink()
    assert call("world", "audit", "w").status == 1
