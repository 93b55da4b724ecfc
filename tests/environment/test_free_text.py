"""Ranking retrievers and free text in the game."""

from typing import Any

import pytest

from planbench_xl.environment import Environment, Event, Setting, search
from planbench_xl.environment.actions import Action, retrieve
from planbench_xl.episodes.record import TurnError
from planbench_xl.metrics import score_episode
from planbench_xl.protocols import FunctionCall, NativeProtocol, Reply, TextProtocol, make_protocol
from planbench_xl.retrieval import Retrieval
from planbench_xl.runs.conformance.replay import recorded
from planbench_xl.runs.presets import load_setting
from planbench_xl.world import Role, World


def start(world: World, *changes: str) -> Environment:
    environment = Environment(world, load_setting("free-text", changes))
    environment.reset(world.queries[0].query_id)
    return environment


def test_a_search_by_text(mini: World) -> None:
    environment = start(mini)
    observation = environment.step(search("what the repair costs", 2))
    assert observation.event is Event.TOOLS
    assert observation.request == {
        "domain": mini.domain,
        "meta_tool": "by_query",
        "query": "what the repair costs",
        "top_k": 2,
    }
    shown = [mini.tool[view.name] for view in observation.tools]
    assert sum(tool.role is Role.EXECUTABLE for tool in shown) == 2
    assert any(tool.role is Role.DISTRACTOR for tool in shown)
    turn = environment.turns[-1]
    assert turn.request == observation.request and turn.matched is None
    assert turn.tools == tuple(tool.name for tool in shown)
    again = start(mini)
    assert again.step(search("what the repair costs", 2)) == observation


def test_typed_requests_go_on(mini: World) -> None:
    environment = start(mini, "retrieval.top_k=3")
    tools = environment.step(retrieve(output="repair cost")).tools
    assert sum(mini.tool[view.name].role is Role.EXECUTABLE for view in tools) <= 3
    assert environment.turns[-1].matched is None
    found = environment.step(search("xyzzy"))
    assert found.event is Event.TOOLS and found.tools == () and found.note is None


def test_blocked_tools_are_replaced(mini: World) -> None:
    environment = start(mini, "blocking.enabled=true")
    assert environment.plan is not None and environment.plan.blocked
    for name in environment.plan.blocked:
        tools = environment.step(search(name.replace("_", " "))).tools
        shown = {view.name for view in tools}
        assert name not in shown
        assert shown & {tool.name for tool in mini.alternatives[name]}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": " "},
        {"query": 3},
        {"query": "x", "top_k": 0},
        {"query": "x", "top_k": 51},
        {"query": "x", "top_k": True},
        {"query": "x", "top_k": "5"},
        {"query": "x", "top_k": 2.5},
    ],
)
def test_off_the_schema(mini: World, body: dict[str, Any]) -> None:
    environment = start(mini)
    observation = environment.step(Action("retrieve", {"meta_tool": "by_query", **body}))
    assert observation.event is Event.ERROR_RETRIEVAL_SEMANTIC
    assert environment.turns[-1].error is TurnError.RETRIEVAL_SEMANTIC


def test_hostile_texts(mini: World) -> None:
    environment = start(mini)
    assert environment.step(search("\ud800")).event is Event.ERROR_RETRIEVAL_JSON
    for text in ("x" * 100_000, "$query ${top_k} <tool_call>", "\0"):
        assert environment.step(search(text)).event is Event.TOOLS


def test_no_free_text_elsewhere(mini: World) -> None:
    for name in ("default", "bm25"):
        environment = Environment(mini, load_setting(name))
        environment.reset(mini.queries[0].query_id)
        assert environment.step(search("repair cost")).event is Event.ERROR_RETRIEVAL_SEMANTIC


def test_shares_of_directions_ignore_it(mini: World) -> None:
    environment = start(mini, "max_turns=3")
    environment.step(search("repair cost"))
    environment.step(retrieve(output="repair cost"))
    environment.step(retrieve(inputs=["ticket"]))
    score = score_episode(mini, recorded(environment))
    assert (score.search_turns, score.by_input_searches, score.by_output_searches) == (3, 1, 1)


def test_a_retriever_of_ones_own(mini: World) -> None:
    class First:
        def retrieve(self, request: dict[str, Any]) -> Retrieval:
            return Retrieval(None, mini.executable[:1], missing=False)

    environment = Environment(mini, Setting(), First())
    environment.reset(mini.queries[0].query_id)
    assert mini.executable[0].name in {view.name for view in environment.step(retrieve(output="x")).tools}


@pytest.mark.parametrize("kind", ["text", "native"])
def test_models_are_told(mini: World, kind: Any) -> None:
    setting = load_setting("free-text")
    environment, protocol = Environment(mini, setting), make_protocol(kind, setting=setting)
    plain = make_protocol(kind)
    assert protocol.name == plain.name
    opening = environment.reset(mini.queries[0].query_id)
    said, usual = (each.opening(opening)[0].content for each in (protocol, plain))
    assert "in a text of your own" in said and "in a text of your own" not in usual
    assert "\n\nOr say in a text of your own" in said
    (step,) = protocol.read(Reply("nothing"))
    off = environment.step(Action("retrieve", {"meta_tool": "by_query"}))
    message = protocol.respond(off, step).content
    assert '"by_query" (with "query", a\nnon-empty string' in message
    assert "by_query" not in plain.respond(off, step).content


def test_as_text(mini: World) -> None:
    environment = start(mini)
    protocol = TextProtocol(free_text=True)
    system = protocol.opening(environment.reset(mini.queries[0].query_id))[0].content
    example = next(line for line in system.splitlines() if "by_query" in line)
    (step,) = protocol.read(Reply(example))
    observation = environment.step(step.action)
    assert observation.event is Event.TOOLS
    assert '"query": "what the tool does"' in protocol.respond(observation, step).content


def test_as_a_function_call(mini: World) -> None:
    environment = start(mini)
    protocol = NativeProtocol(free_text=True)
    protocol.opening(environment.reset(mini.queries[0].query_id))
    spec = protocol.functions()[0]
    properties: Any = spec.parameters["properties"]
    assert properties["meta_tool"]["enum"][-1] == "by_query" and properties["top_k"]["maximum"] == 50
    assert "by_query" in spec.description
    arguments = '{"meta_tool": "by_query", "query": "repair cost", "top_k": 1}'
    (step,) = protocol.read(Reply("", (FunctionCall("1", "retrieve_tools", arguments),)))
    observation = environment.step(step.action)
    assert observation.event is Event.TOOLS
    protocol.respond(observation, step)
    assert len(protocol.functions()) == 2 + len(observation.tools)
    assert environment.turns[-1].request == observation.request
    plain: Any = NativeProtocol().functions()[0].parameters["properties"]
    assert set(plain) == {"meta_tool", "output_information", "input_information"}
    assert "by_query" not in plain["meta_tool"]["enum"]
