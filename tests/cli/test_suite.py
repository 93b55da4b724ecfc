import json
from pathlib import Path

from planbench_xl.runs.presets import presets
from tests.cli.conftest import Call


def test_one_table_for_all_settings(call: Call, tmp_path: Path) -> None:
    called = call("suite", "paper", "--agent", "oracle", "--limit", "1")
    assert called.status == 0
    assert called.out.count("Acc %") == 1
    assert "default: 1 episode: 0 there already, 1 to play" in called.err
    assert "Stored in runs/mini-oracle-paper." in called.err
    beyond = {"all-tools", "bm25", "dense", "hybrid", "free-text"}
    paper = {name for name, preset in presets().items() if preset.setting.failures.kind == "none"} - beyond
    folders = {path.name for path in (tmp_path / "runs" / "mini-oracle-paper").iterdir()}
    assert folders == {*paper, "one-path-seed-1000", "one-path-seed-2000", "one-path-seed-3000"}
    again = call("suite", "paper", "--agent", "oracle", "--limit", "1", "--json", "--quiet")
    assert again.err == ""
    result = json.loads(again.out)
    assert result["suite"] == "paper"
    assert {run["run"] for run in result["runs"]} == folders


def test_ctrl_c(call: Call) -> None:
    called = call("suite", "paper", "--agent", "tests.runs.agents:Interrupting")
    assert called.status == 130
    assert "run the same command again to continue" in called.err
