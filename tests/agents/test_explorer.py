from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from typing import Any

import msgspec
import pytest

from planbench_xl.agents import make_agent
from planbench_xl.blocking import BlockingConfig
from planbench_xl.environment import Action, Environment, Event, Observation, Setting
from planbench_xl.environment.failures import FailureConfig
from planbench_xl.retrieval import RetrievalConfig
from planbench_xl.world import BLOCK_KINDS, Kind, World
from tests.agents.playing import accuracy, blocked, play

HONEST = ("explorer", "backward", "forward")


class Untouchable:
    """Stands for the environment; an honest agent looks at its rules alone."""

    def __getattribute__(self, name: str) -> object:
        if name == "setting":
            return Setting()
        raise AssertionError(f"an honest agent looked at the environment's {name}")


def honest(name: str) -> object:
    return make_agent(name, Untouchable())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [*HONEST, "list-everything", "random", "do-nothing"])
def test_honest_agents_never_look_inside(mini: World, name: str) -> None:
    environment = Environment(mini)
    agent = honest(name)
    for query in mini.queries[:3]:
        play(environment, agent, query.query_id)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", HONEST)
def test_they_solve_a_small_world(garage: World, name: str) -> None:
    assert accuracy(garage, Setting(), name) == 1
    assert accuracy(garage, Setting(retrieval=RetrievalConfig(distractors=False)), name) == 1


@pytest.mark.parametrize("kinds", [(), (Kind.EXPLICIT,), (Kind.IMPLICIT,), (Kind.MISLEADING,)])
@pytest.mark.parametrize("length", ["shortest", "longest"])
@pytest.mark.parametrize("name", ["explorer", "backward"])
def test_they_replan_around_blocked_tools(garage: World, name: str, kinds: tuple[Kind, ...], length: str) -> None:
    assert accuracy(garage, blocked(*kinds, length=length), name) == 1


def test_they_call_no_tool_that_discloses_a_flaw(garage: World) -> None:
    environment = Environment(garage)
    assert play(environment, make_agent("explorer", environment), "q1")
    for turn in environment.turns:
        if turn.action == "call" and turn.request is not None:
            assert garage.tool[turn.request["name"]].kind is None


def test_a_wrong_answer_makes_it_search_on(garage: World) -> None:
    """With a continuation, the tool that gave the wrong answer is dropped."""
    environment = Environment(garage, Setting(exploration_budget=1))
    agent = make_agent("backward", environment)
    agent.reset(0)
    observation = environment.reset("q1")
    action = agent.act(observation)
    while isinstance(action, Action) and action.kind != "answer":
        observation = environment.step(action)
        action = agent.act(observation)
    refused = Observation(event=Event.CONTINUE, turn=observation.turn + 1, turns_left=observation.turns_left - 1)
    again = agent.act(refused)
    assert isinstance(again, Action)
    assert again.kind in ("retrieve", "call", "answer")
    assert again != action


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("event", list(Event))
def test_any_observation_is_answered(name: str, event: Event) -> None:
    agent = honest(name)
    for query in ("", "What?", "Give me `x` and `x`, and 5 of `` at 2026-01-01."):
        agent.reset(0)  # type: ignore[attr-defined]
        for observation in (
            Observation(event=Event.QUERY, turn=0, turns_left=9, query=query),
            Observation(event=event, turn=1, turns_left=8, arguments=("old", "new")),
            Observation(event=event, turn=2, turns_left=1, arguments=("old", "new")),
        ):
            action = agent.act(observation)  # type: ignore[attr-defined]
            assert action.kind in ("retrieve", "call", "answer")


def test_a_renamed_argument_is_taken_over(garage: World) -> None:
    environment = Environment(garage)
    agent = make_agent("explorer", environment)
    agent.reset(0)
    action = agent.act(environment.reset("q1"))
    while isinstance(action, Action) and action.kind != "call":
        action = agent.act(environment.step(action))
    assert isinstance(action, Action)
    assert isinstance(action.body, dict)
    name, old = action.body["name"], next(iter(action.body["arguments"]))
    renamed = Observation(
        event=Event.ERROR_RENAMED_ARGUMENT, turn=9, turns_left=80, tool=name, arguments=(old, "new_name")
    )
    again = agent.act(renamed)
    assert isinstance(again, Action)
    assert again.body == {"name": name, "arguments": {"new_name": "B-20"}}


def test_tools_that_name_nothing(garage: World) -> None:
    """Names that say neither input nor output leave the descriptions and schemas."""
    new = {tool.name: f"tool_{i}" for i, tool in enumerate(garage.tools)}

    def renamed(text: str | None) -> str | None:
        return None if text is None else new[text]

    tools = tuple(
        msgspec.structs.replace(tool, name=new[tool.name], source=renamed(tool.source)) for tool in garage.tools
    )
    assert accuracy(msgspec.structs.replace(garage, tools=tools, paths=()), Setting(), "backward") == 1


def test_mini(mini: World) -> None:
    """Two questions of mini are beyond word matching; this guards what works."""
    assert accuracy(mini, Setting(), "explorer") >= 0.8
    assert accuracy(mini, Setting(), "backward") >= 0.7
    assert accuracy(mini, blocked(), "explorer") >= 0.8
    for kind in BLOCK_KINDS:
        assert accuracy(mini, blocked(kind), "explorer") >= 0.8


def test_everything_that_is_asked_for_is_answered(mini: World) -> None:
    environment = Environment(mini)
    query = next(query for query in mini.queries if len(query.answers) > 1)
    assert play(environment, make_agent("explorer", environment), query.query_id)


@pytest.mark.parametrize("kind", ["flaky", "outage", "schema_drift", "rate_limit"])
@pytest.mark.parametrize("name", ["explorer", "backward"])
def test_they_outlast_failures(garage: World, name: str, kind: Any) -> None:
    failures = FailureConfig(kind=kind, share=1.0, after_turn=2)
    assert accuracy(garage, Setting(failures=failures), name) == 1


def test_a_tool_that_keeps_failing_is_given_up(garage: World) -> None:
    environment = Environment(garage, Setting(failures=FailureConfig(kind="flaky", share=1.0, failures=20)))
    assert not play(environment, make_agent("explorer", environment), "q1")
    names = Counter(turn.request["name"] for turn in environment.turns if turn.action == "call" and turn.request)
    assert max(names.values()) <= 6


def test_forward_finds_tools_that_take_two(pairs: World) -> None:
    assert accuracy(pairs, Setting(), "forward") == 1
    assert accuracy(pairs, Setting(), "explorer") == 1


@pytest.mark.parametrize(
    ("setting", "least"),
    [
        (Setting(), 0.9),
        (Setting(retrieval=RetrievalConfig(distractors=False)), 0.9),
        (blocked(), 0.9),
        (blocked(Kind.EXPLICIT), 0.9),
        (blocked(Kind.IMPLICIT), 0.9),
        (blocked(Kind.MISLEADING), 0.9),
        (Setting(blocking=BlockingConfig(enabled=True, aim="disabled_ratio", disabled_ratio=0.8)), 0.9),
    ],
)
def test_release(release: World, setting: Setting, least: float) -> None:
    assert accuracy(release, setting, "explorer", every=20) >= least


def test_the_same_whatever_the_hash_seed() -> None:
    code = (
        "from planbench_xl.agents import make_agent\n"
        "from planbench_xl.environment import Environment\n"
        "from planbench_xl.world import load_world\n"
        "world = load_world('mini'); environment = Environment(world); agent = make_agent('explorer', environment)\n"
        "for query in world.queries[:4]:\n"
        "    observation = environment.reset(query.query_id); agent.reset(0)\n"
        "    while not observation.done: observation = environment.step(agent.act(observation))\n"
        "    print([turn.raw for turn in environment.turns])\n"
    )
    outputs = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        outputs.add(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize("name", HONEST)
def test_wrong_answers_without_end_are_survived(mini: World, name: str) -> None:
    """Every answer is refused as often as the setting allows; the agent goes on or gives up, and never fails."""
    environment = Environment(mini, Setting(exploration_budget=9, blocking=BlockingConfig(enabled=True)))
    agent = make_agent(name, environment)
    for query in mini.queries:
        play(environment, agent, query.query_id)
