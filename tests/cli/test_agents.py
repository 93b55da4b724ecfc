import json

from planbench_xl.agents import available_agents
from tests.cli.conftest import Call


def test_list(call: Call) -> None:
    names = list(available_agents())
    assert [line.split()[0] for line in call("agents").out.splitlines()] == names
    assert [entry["name"] for entry in json.loads(call("agents", "--json").out)] == names
