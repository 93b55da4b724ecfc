import json

from planbench_xl.runs.presets import load_setting, make_setting, presets
from tests.cli.conftest import Call


def test_list(call: Call) -> None:
    lines = call("settings").out.splitlines()
    assert [line.split()[0] for line in lines] == list(presets())
    listed = json.loads(call("settings", "--json").out)
    assert [entry["name"] for entry in listed] == list(presets())
    assert all(entry["description"] for entry in listed)


def test_one(call: Call) -> None:
    shown = call("settings", "one-path-longest").out
    assert '  blocking.length = "longest"' in shown.splitlines()
    plain = json.loads(call("settings", "one-path-longest", "--json").out)["setting"]
    assert make_setting(plain) == load_setting("one-path-longest")
