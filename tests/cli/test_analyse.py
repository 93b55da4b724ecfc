"""`planbench-xl analyse`."""

from __future__ import annotations

import json

from tests.cli.conftest import Call


def test_analyse(call: Call) -> None:
    call("run", "--agent", "random", "--out", "runs/default", "-q")
    call("run", "--agent", "random", "--setting", "one-path", "--out", "runs/blocked", "-q")
    table = call("analyse", "runs")
    assert table.status == 0 and "no traction" in table.out and "Regret" in table.out
    found = json.loads(call("analyse", "runs", "--json", "--paths", "reference").out)["runs"]
    assert [run["label"] for run in found] == ["blocked", "default"]
    assert all(run["analysis"]["paths"] == "reference" for run in found)
    analysis = found[1]["analysis"]
    assert sum(share["count"] for share in analysis["categories"].values()) == analysis["failed"]
    assert {part["by"] for part in found[0]["slices"]} >= {"shortest_length", "setting", "kinds"}


def test_what_is_no_run(call: Call) -> None:
    found = call("analyse", "nowhere")
    assert found.status == 1 and "nowhere holds no run" in found.err
