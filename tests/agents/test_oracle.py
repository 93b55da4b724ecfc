from __future__ import annotations

import msgspec
import pytest

from planbench_xl.agents import make_agent
from planbench_xl.environment import Environment, Setting
from planbench_xl.errors import AgentError
from planbench_xl.world import Kind, World
from tests.agents.playing import accuracy, blocked, play


def test_it_takes_the_shortest_path(garage: World) -> None:
    environment = Environment(garage)
    assert play(environment, make_agent("oracle", environment), "q1")
    assert [turn.action for turn in environment.turns] == ["retrieve", "call"] * 3 + ["answer"]


def test_it_avoids_blocked_tools(garage: World) -> None:
    environment = Environment(garage, blocked(length="longest"))
    assert play(environment, make_agent("oracle", environment), "q1")
    assert environment.plan is not None
    assert environment.plan.blocked
    called = [turn.request["name"] for turn in environment.turns if turn.action == "call" and turn.request]
    assert len(called) == 4
    assert not set(called) & set(environment.plan.blocked)


def test_it_finds_a_path_that_is_not_listed(garage: World) -> None:
    unlisted = msgspec.structs.replace(garage, paths=())
    assert accuracy(unlisted, Setting(), "oracle") == 1


def test_a_task_without_a_path_is_an_error(garage: World) -> None:
    cut = tuple(tool for tool in garage.tools if "bill_total" not in tool.name)
    world = msgspec.structs.replace(garage, paths=(), tools=cut)
    environment = Environment(world)
    with pytest.raises(AgentError, match="finds no path for task 't1'"):
        play(environment, make_agent("oracle", environment), "q1")


@pytest.mark.parametrize("setting", [Setting(), blocked(), blocked(Kind.MISLEADING, length="longest")])
def test_it_is_always_right_on_mini(mini: World, setting: Setting) -> None:
    assert accuracy(mini, setting, "oracle") == 1


@pytest.mark.parametrize("setting", [Setting(), Setting(exploration_budget=5), blocked(), blocked(length="longest")])
def test_it_is_always_right_on_the_release(release: World, setting: Setting) -> None:
    assert accuracy(release, setting, "oracle", every=5) == 1
