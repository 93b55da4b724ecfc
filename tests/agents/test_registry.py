from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from planbench_xl.agents import Agent, available_agents, make_agent, registry
from planbench_xl.environment import Action, Environment, Observation, answer
from planbench_xl.errors import AgentError
from planbench_xl.world import World
from tests.agents.playing import play


class Mine:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def reset(self, seed: int) -> None: ...

    def act(self, observation: Observation) -> Action:
        return answer("mine")


def broken(environment: Environment) -> Agent:
    raise ZeroDivisionError("no luck")


def no_agent(environment: Environment) -> object:
    return "text"


def returns_class(environment: Environment) -> object:
    return Mine


@pytest.fixture
def environment(garage: World) -> Environment:
    return Environment(garage)


def test_every_named_agent_can_be_made(environment: Environment) -> None:
    names = available_agents()
    assert {"oracle", "explorer", "forward", "backward", "random", "list-everything", "do-nothing"} <= set(names)
    for name, text in names.items():
        assert text and "\n" not in text
        assert isinstance(make_agent(name, environment), Agent)


def test_an_agent_by_its_place(environment: Environment) -> None:
    agent = make_agent(f"{__name__}:Mine", environment)
    assert isinstance(agent, Mine)
    assert agent.environment is environment


def test_registered_by_a_package(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", f"{__name__}:Mine", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "_registered", lambda: {"theirs": entry})
    assert "theirs" in available_agents()
    assert isinstance(make_agent("theirs", environment), Mine)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("explorr", "Did you mean 'explorer'"),
        ("nobody-of-that-name", "Known agents: oracle"),
        ("", "There is no agent ''"),
        ("no.such.module:thing", "can't be imported"),
        (f"{__name__}:missing", "can't be imported"),
        (f"{__name__}:", "can't be imported"),
        (f"{__name__}:broken", "raised ZeroDivisionError: no luck"),
        (f"{__name__}:no_agent", "returned 'str', which is no agent"),
        (f"{__name__}:returns_class", "returned 'Mine', which is no agent"),
        (f"{__name__}:__name__", "is not callable"),
    ],
)
def test_errors_say_what_to_do(environment: Environment, name: str, said: str) -> None:
    with pytest.raises(AgentError, match=None) as caught:
        make_agent(name, environment)
    assert said in str(caught.value)


def test_a_module_that_fails_to_import(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "half_made", ModuleType("half_made"))
    with pytest.raises(AgentError, match=r"half_made:x.*AttributeError"):
        make_agent("half_made:x", environment)


def test_the_example_in_the_docs(garage: World, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
    module = ModuleType("my_agent")
    exec(text.split("```python\n")[1].split("```")[0], module.__dict__)
    monkeypatch.setitem(sys.modules, "my_agent", module)
    environment = Environment(garage)
    assert not play(environment, make_agent("my_agent:FirstTool", environment), "q1")
    assert [turn.action for turn in environment.turns] == ["retrieve", "call", "answer"]
