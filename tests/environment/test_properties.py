"""Whatever an agent sends, the environment answers, and its invariants hold."""

from __future__ import annotations

import json
from random import Random

import msgspec
import pytest

from planbench_xl.blocking import BlockingConfig
from planbench_xl.environment import Environment, Observation, Setting, call, retrieve
from planbench_xl.episodes.record import Status, Turn
from planbench_xl.protocols import TextProtocol
from planbench_xl.world import Role, World, text_form
from tests.environment.hostile import response, wrap

SETTINGS = (
    Setting(max_turns=25),
    Setting(max_turns=25, tool_ids=True, blocking=BlockingConfig(enabled=True)),
    Setting(max_turns=40, exploration_budget=3, max_call_errors=30, max_retrieval_errors=30, max_label_errors=30),
)


def vocabulary(world: World) -> tuple[list[str], list[str]]:
    names = [tool.name for tool in world.tools] + ["get_nothing", "T1", "T2"]
    words = [alias for datatype in world.datatypes for alias in (datatype.name, *datatype.aliases)]
    words += [argument.name for tool in world.tools for argument in tool.arguments]
    words += [text_form(value) for record in world.records for value in record.values.values()]
    return names, words


def arguments_for(environment: Environment, name: str, rng: Random) -> dict[str, object]:
    """Return arguments for a tool that may well be right, so that deep states are reached."""
    state = environment.state
    record = next(r for r in environment.world.records if r.record_id == state.query.record_id)
    tool = environment.world.tool[name]
    return {
        a.name: record.values.get(a.datatype) if rng.random() < 0.9 else rng.choice(sorted(state.obtained))
        for a in tool.arguments
    }


def play(world: World, setting: Setting, seed: int, responses: int) -> None:
    """Play random episodes and check the invariants after every step."""
    rng = Random(seed)
    names, words = vocabulary(world)
    protocol = TextProtocol(tool_ids=setting.tool_ids)
    environment = Environment(world, setting)
    outputs = {tool.name: set(tool.output_datatypes) for tool in world.executable}
    taken = 0
    while taken < responses:
        query = rng.choice(world.queries)
        protocol.opening(environment.reset(query.query_id))
        discovered: set[str] = set()
        obtained = set(environment.state.obtained)
        steps = 0
        while environment.status is None:
            if discovered and rng.random() < 0.4:
                name = rng.choice(sorted(discovered))
                action = json.dumps({"name": name, "arguments": arguments_for(environment, name, rng)})
                observation = environment.step(wrap("tool_call", action))
            else:
                observation = environment.step(response(rng, names, words))
            steps += 1
            taken += 1
            protocol.message(observation)
            state = environment.state
            assert state.turn == steps == len(environment.turns) <= setting.max_turns
            assert discovered <= set(state.discovered)
            discovered = set(state.discovered)
            assert state.obtained - set(state.task.inputs) <= set(state.trusted)
            assert state.label_errors <= setting.max_label_errors
            assert state.retrieval_errors <= setting.max_retrieval_errors
            assert state.call_errors <= setting.max_call_errors
            assert observation.done == (environment.status is not None)
            check_turn(environment.turns[-1], state.obtained - obtained, outputs)
            assert obtained <= state.obtained
            obtained = set(state.obtained)
        if environment.status is Status.SUCCESS:
            assert environment.state.reached()
    assert taken >= responses


def check_turn(turn: Turn, gained: set[str], outputs: dict[str, set[str]]) -> None:
    """Check that a turn can be stored and read back, and that only a trusted call gains datatypes: all its outputs."""
    assert msgspec.json.decode(msgspec.json.encode(turn), type=Turn).raw == turn.raw
    if gained:
        assert turn.action == "call" and turn.success and turn.error is None and turn.request is not None
        assert gained <= outputs[turn.request["name"]]


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_random_and_hostile_responses(mini: World, number: int) -> None:
    play(mini, SETTINGS[number], seed=number, responses=6_000)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_a_million_random_and_hostile_responses(mini: World, number: int) -> None:
    play(mini, SETTINGS[number], seed=1000 + number, responses=340_000)


MEGA = 10_000_000


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>" * (MEGA // 11),
        "<tool_call></final_answer>" * (MEGA // 26),
        "<" * MEGA,
        "<tool_call>" + "[" * MEGA + "</tool_call>",
        '<tool_call>{"name":"x","arguments":{"a":' + "[" * 900 + "]" * 900 + "}}</tool_call>",
        "<tool_call>" + "9" * MEGA + "</tool_call>",
        '<tool_call>{"name":"\\ud800","arguments":{}}</tool_call>',
        '<retrieve_tools>{"meta_tool":"by_output_info","output_information":"' + "a b" * 10**5 + '"}</retrieve_tools>',
        "<final_answer>" + "\x00\ud800" * 10**6 + "</final_answer>",
        "<final_answer>" + "1" * MEGA + "</final_answer>",
        "<final_answer>" + "2026-04-01T" * (MEGA // 11) + "</final_answer>",
        "",
    ],
    ids=lambda text: repr(text[:40]),
)
@pytest.mark.parametrize("judge", ["contains", "exact"])
def test_huge_and_malformed_responses(mini: World, text: str, judge: str) -> None:
    environment = Environment(mini, msgspec.structs.replace(Setting(), judge=judge))
    environment.reset(mini.queries[0].query_id)
    observation = environment.step(text)
    TextProtocol().message(observation)
    assert environment.state.turn == 1
    msgspec.json.encode(environment.turns)


@pytest.mark.parametrize("value", [10**4000, "\ud800", {1: 2}, object(), [[]], None, float("nan"), {"a"}])
def test_structured_actions_of_any_value(mini: World, value: object) -> None:
    environment = Environment(mini)
    environment.reset(mini.queries[0].query_id)
    environment.step(call("get_x", {"a": value}))
    environment.step(retrieve(output="x", inputs=[value]))  # type: ignore[list-item]
    msgspec.json.encode(environment.turns)


def test_same_actions_same_observations(mini: World) -> None:
    names, words = vocabulary(mini)

    def play_once() -> list[Observation]:
        rng = Random(5)
        environment = Environment(mini, Setting(blocking=BlockingConfig(enabled=True)))
        seen = []
        for query in mini.queries:
            seen.append(environment.reset(query.query_id))
            while environment.status is None:
                seen.append(environment.step(response(rng, names, words)))
        return seen

    assert play_once() == play_once()


@pytest.mark.parametrize("tool_ids", [False, True])
def test_an_agent_reads_nothing_internal(mini: World, tool_ids: bool) -> None:
    """What an agent can read never has roles, kinds, internal datatype names, the plan, or unearned answers."""
    limits = {"max_turns": 1000, "max_call_errors": 1000}
    setting = Setting(tool_ids=tool_ids, blocking=BlockingConfig(enabled=True), **limits)
    environment = Environment(mini, setting)
    protocol = TextProtocol(tool_ids=tool_ids)
    public = {t.name for t in mini.tools} | {a.name for t in mini.tools for a in t.arguments}
    hidden = [d.name for d in mini.datatypes if "_" in d.name and not any(d.name in name for name in public)]
    assert hidden, "the mini world needs datatype names that no tool shows, or this test shows nothing"
    hidden += [role.value for role in Role if "_" in role.value]
    hidden += ["non_authoritative", "condition_limited", "noise_type", "baseline", "blocker"]
    for query in mini.queries:
        texts = [message.content for message in protocol.opening(environment.reset(query.query_id))]
        for tool in mini.executable:
            for output in tool.outputs:
                texts.append(protocol.message(environment.step(retrieve(output=output.label or output.name))))
            if environment.status is not None:
                break
            texts.append(protocol.message(environment.step(call("get_unknown", {"a": 1}))))
        read = "\n".join(texts).lower()
        for word in hidden:
            assert word not in read
        for answer in query.answers.values():
            assert f'"{text_form(answer).lower()}"' not in read
