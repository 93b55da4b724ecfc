import json
import shutil
from pathlib import Path

from planbench_xl.world import World, find_world
from tests.cli.conftest import Call


def test_info(call: Call, mini: World) -> None:
    shown = call("world", "info", "mini").out
    assert mini.fingerprint in shown
    assert "tools by role" in shown
    assert json.loads(call("world", "info", "mini", "--json").out)["queries"] == len(mini.queries)


def test_a_good_world(call: Call, mini: World) -> None:
    called = call("world", "validate", "mini")
    assert (called.status, called.err) == (0, "")
    assert called.out.endswith("no faults.\n")
    found = json.loads(call("world", "validate", "mini", "--json").out)
    assert found == {"valid": True, "fingerprint": mini.fingerprint, "faults": []}


def test_a_faulty_world(call: Call, tmp_path: Path) -> None:
    shutil.copytree(find_world("mini"), tmp_path / "w")
    tools = tmp_path / "w" / "tools.jsonl"
    lines = tools.read_text().splitlines()
    tools.write_text("\n".join(["{broken", *lines[1:]]) + "\n")
    called = call("world", "validate", "w")
    assert called.status == 1
    assert called.out.startswith("tools.jsonl, line 1: is not valid JSON")
    found = json.loads(call("world", "validate", "w", "--json").out)
    assert found["valid"] is False
    assert found["faults"][0]["file"] == "tools.jsonl"
    assert set(found["faults"][0]) == {"file", "entry", "field", "problem", "remedy"}


def test_stamp(call: Call, tmp_path: Path) -> None:
    shutil.copytree(find_world("mini"), tmp_path / "w")
    queries = tmp_path / "w" / "queries.jsonl"
    queries.write_text("\n".join(queries.read_text().splitlines()[:-1]) + "\n")
    assert call("world", "validate", "w").status == 1
    called = call("world", "validate", "w", "--stamp")
    assert (called.status, called.out) == (0, "w: no faults.\n")
    assert call("world", "validate", "w").status == 0
