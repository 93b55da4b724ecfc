from __future__ import annotations

import json
import re

from planbench_xl.environment import Action, Environment, Event, Note, Observation, Setting, call, retrieve
from planbench_xl.protocols import FunctionCall, Reply, TextProtocol
from planbench_xl.world import World


def shown(message: str) -> object:
    block = re.search(r"```json\n(.*?)\n```", message, re.DOTALL)
    assert block
    return json.loads(block[1])


def test_opening(mini: World) -> None:
    query = mini.queries[0]
    system, user = TextProtocol().opening(Environment(mini).reset(query.query_id))
    assert (system.role, user.role) == ("system", "user")
    for tag in ("retrieve_tools", "tool_call", "final_answer"):
        assert f"<{tag}>" in system.content and f"</{tag}>" in system.content
    assert query.text in user.content and mini.overview in user.content and "100 turns" in user.content
    assert "$" not in system.content.replace("$$", "")


def test_a_retrieval_is_json_in_a_fenced_block(mini: World) -> None:
    environment, protocol = Environment(mini), TextProtocol()
    environment.reset(mini.queries[0].query_id)
    observation = environment.step(retrieve(output=mini.executable[0].output_datatypes[0]))
    result = shown(protocol.message(observation))
    assert isinstance(result, dict)
    assert list(result) == ["request", "tool_count", "tools"]
    assert result["tool_count"] == len(result["tools"]) == len(observation.tools) > 1
    assert [set(tool) for tool in result["tools"]] == [
        {"type", "name", "description", "strict", "parameters"} for _ in observation.tools
    ]
    assert [tool["parameters"] for tool in result["tools"]] == [tool.parameters for tool in observation.tools]


def test_handles_are_shown_and_explained(mini: World) -> None:
    environment, protocol = Environment(mini, Setting(tool_ids=True)), TextProtocol(tool_ids=True)
    system, _ = protocol.opening(environment.reset(mini.queries[0].query_id))
    assert '"tool_id"' in system.content
    result = shown(protocol.message(environment.step(retrieve(output=mini.executable[0].output_datatypes[0]))))
    assert isinstance(result, dict)
    assert result["tools"][0]["tool_id"] == "T1"


def test_an_empty_retrieval_has_its_note() -> None:
    request = {"domain": "d", "meta_tool": "by_inputs", "input_information": ["a", "b"]}
    for note in (None, *Note):
        observation = Observation(event=Event.TOOLS, turn=1, turns_left=9, request=request, note=note)
        result = shown(TextProtocol().message(observation))
        assert isinstance(result, dict)
        assert (result["tools"], result["tool_count"], "note" in result) == ([], 0, note is not None)


def test_every_event_has_words() -> None:
    for event in Event:
        observation = Observation(
            event=event, turn=3, turns_left=7, tool="the_tool", arguments=("one", "two"), value={"v": "é"}, request={}
        )
        text = TextProtocol().message(observation)
        assert text.strip() and "$" not in text
        if event is not Event.END:
            assert "7 turn" in text


def test_text_of_tools_and_agents_is_never_a_template(mini: World) -> None:
    environment, protocol = Environment(mini), TextProtocol()
    environment.reset(mini.queries[0].query_id)
    text = protocol.message(environment.step(call("$turn\n$turns_left " + "x" * 500, {})))
    assert "$turn $turns_left" in text
    assert len(text) < 400
    assert "$value" in protocol.message(environment.step(retrieve(output="$value")))


def test_a_reply_is_one_step_whatever_functions_it_calls() -> None:
    protocol = TextProtocol()
    text = "I think so. <final_answer> 5 </final_answer>"
    (step,) = protocol.read(Reply(text, (FunctionCall("1", "final_answer", '{"answer": "6"}'),)))
    assert (step.action, step.call) == (Action("answer", "5", text), None)
    assert protocol.parse(text) == step.action
    assert protocol.functions() == []
    (step,) = protocol.read(Reply("", (FunctionCall("1", "final_answer", '{"answer": "6"}'),)))
    assert step.action.kind == "invalid"


def test_all_tools_are_shown_with_the_query(mini: World) -> None:
    environment = Environment(mini, Setting(all_tools=True))
    protocol = TextProtocol(all_tools=True)
    system, user = protocol.opening(environment.reset(mini.queries[0].query_id))
    assert "retrieve_tools" not in system.content and "<tool_call>" in system.content
    result = shown(user.content)
    assert isinstance(result, dict)
    names = [tool["name"] for tool in result["tools"]]
    assert result["tool_count"] == len(names) == len(set(names))
    assert set(names) == set(environment.state.discovered) >= {tool.name for tool in mini.executable}
    step = protocol.read(Reply('<retrieve_tools>{"meta_tool": "x"}</retrieve_tools>'))[0]
    assert "can't be searched for" in protocol.respond(environment.step(step.action), step).content
