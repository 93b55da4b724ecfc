from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbench_xl.blocking import BlockingConfig
from planbench_xl.environment import Action, Environment, Event, Note, Observation, Setting, ToolView, call, retrieve
from planbench_xl.episodes.record import Reason, Status, Turn, TurnError
from planbench_xl.protocols import FunctionCall, NativeProtocol, Reply, Step, estimate_tokens
from planbench_xl.protocols.native import OWN
from planbench_xl.runs.presets import load_setting
from planbench_xl.world import World

VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def reply(*calls: tuple[str, object], text: str = "") -> Reply:
    """Return a reply that calls functions; arguments that are no text are written as JSON."""
    written = [(name, a if isinstance(a, str) else json.dumps(a)) for name, a in calls]
    return Reply(text, tuple(FunctionCall(f"c{i}", name, a) for i, (name, a) in enumerate(written)))


def take(environment: Environment, protocol: NativeProtocol, *calls: tuple[str, object]) -> list[str]:
    """Take the steps of a reply and return what the model reads."""
    return [protocol.respond(environment.step(step.action), step).content for step in protocol.read(reply(*calls))]


def search(output: str) -> tuple[str, object]:
    return ("retrieve_tools", {"meta_tool": "by_output_info", "output_information": output})


def view(name: str, description: str = "d") -> ToolView:
    return ToolView(name, description, {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})


def found(*views: ToolView) -> Observation:
    return Observation(event=Event.TOOLS, turn=1, turns_left=9, request={}, tools=views)


def names(protocol: NativeProtocol) -> list[str]:
    return [function.name for function in protocol.functions()]


def test_opening(mini: World) -> None:
    query = mini.queries[0]
    protocol = NativeProtocol()
    system, user = protocol.opening(Environment(mini).reset(query.query_id))
    assert (system.role, user.role, protocol.name) == ("system", "user", "native/1")
    assert "`retrieve_tools`" in system.content and "$" not in system.content and "<" not in system.content
    assert query.text in user.content and mini.overview in user.content and "100 turns" in user.content
    assert names(protocol) == ["retrieve_tools", "final_answer"]
    schema = protocol.functions()[0].parameters
    assert schema["properties"]["meta_tool"]["enum"] == ["by_output_info", "by_inputs", "by_io_info"]  # type: ignore[index]


def test_an_episode(mini: World) -> None:
    """Tools become functions, are called as such, and the answer is given by a function."""
    environment, protocol = Environment(mini), NativeProtocol()
    query = mini.queries[0]
    protocol.opening(environment.reset(query.query_id))
    tool = next(t for t in mini.executable if set(t.inputs) <= set(environment.state.obtained))
    output = tool.output_datatypes[0]
    (text,) = take(environment, protocol, search(output))
    listed = json.loads(re.search(r"```json\n(.*?)\n```", text, re.DOTALL)[1])  # type: ignore[index]
    assert [set(entry) for entry in listed["tools"]] == [{"name", "description"}] * listed["tool_count"]
    assert names(protocol)[2:] == [entry["name"] for entry in listed["tools"]]
    assert tool.name in environment.state.discovered
    arguments = {a.name: query.inputs[a.datatype] for a in tool.arguments}
    (text,) = take(environment, protocol, (protocol.called(tool.name), arguments))
    assert environment.turns[-1].success and "Result of" in text
    steps = protocol.read(reply(("final_answer", {"answer": " 57 "}), text="because"))
    assert steps[0].action.body == "57"
    environment.step(steps[0].action)
    assert environment.status is Status.FAILURE and json.loads(environment.turns[-1].raw)["text"] == "because"


def test_calls_of_one_reply_are_turns_in_their_order(mini: World) -> None:
    environment, protocol = Environment(mini), NativeProtocol()
    protocol.opening(environment.reset(mini.queries[0].query_id))
    steps = protocol.read(reply(search("card"), ("get_x", {}), search("loan"), text="three at once"))
    messages = [protocol.respond(environment.step(step.action), step) for step in steps]
    assert [turn.action for turn in environment.turns] == ["retrieve", "call", "retrieve"]
    assert [(m.role, m.call_id, m.function) for m in messages] == [
        ("tool", "c0", "retrieve_tools"),
        ("tool", "c1", "get_x"),
        ("tool", "c2", "retrieve_tools"),
    ]
    assert ["three at once" in turn.raw for turn in environment.turns] == [True, False, False]


@pytest.mark.parametrize(
    ("called", "kind", "error"),
    [
        (("retrieve_tools", "{"), "retrieve", TurnError.RETRIEVAL_JSON),
        (("retrieve_tools", "[]"), "retrieve", TurnError.RETRIEVAL_JSON),
        (("retrieve_tools", {"meta_tool": "by_magic"}), "retrieve", TurnError.RETRIEVAL_SEMANTIC),
        (("get_x", "not json"), "call", TurnError.CALL_JSON),
        (("get_x", '{}, "name": "get_y"'), "call", TurnError.CALL_JSON),
        (("get_x", "[1]"), "call", TurnError.CALL_JSON),
        (("get_x", ""), "call", TurnError.CALL_JSON),
        (("get_x", {"a": 1}), "call", TurnError.UNDISCOVERED),
        (("call_tool", {"a": 1}), "call", TurnError.CALL_JSON),
        (("call_tool", {"name": "get_x", "arguments": {}}), "call", TurnError.UNDISCOVERED),
        (("final_answer", "57"), "invalid", TurnError.LABEL),
        (("final_answer", {"answer": 57}), "invalid", TurnError.LABEL),
        (("final_answer", {"text": "57"}), "invalid", TurnError.LABEL),
        (("final_answer", '{"answer": "57"'), "invalid", TurnError.LABEL),
    ],
    ids=str,
)
def test_errors(mini: World, called: tuple[str, object], kind: str, error: TurnError) -> None:
    environment, protocol = Environment(mini), NativeProtocol()
    protocol.opening(environment.reset(mini.queries[0].query_id))
    (step,) = protocol.read(reply(called))
    message = protocol.respond(environment.step(step.action), step)
    assert (environment.turns[-1].action, environment.turns[-1].error) == (kind, error)
    assert (message.role, message.call_id) == ("tool", "c0")


def test_an_unknown_function_is_an_undiscovered_tool_by_the_name_given(mini: World) -> None:
    environment, protocol = Environment(mini), NativeProtocol()
    protocol.opening(environment.reset(mini.queries[0].query_id))
    hidden = mini.executable[0].name
    (text,) = take(environment, protocol, (hidden, {"a": float("nan")}))
    assert environment.turns[-1].request == {"name": hidden, "arguments": {"a": None}}
    assert environment.turns[-1].error is TurnError.UNDISCOVERED and hidden in text


def test_a_reply_without_a_call_is_answered_by_a_user(mini: World) -> None:
    environment, protocol = Environment(mini), NativeProtocol()
    protocol.opening(environment.reset(mini.queries[0].query_id))
    for text in ("", "<final_answer>57</final_answer>", "{}"):
        (step,) = protocol.read(Reply(text))
        message = protocol.respond(environment.step(step.action), step)
        assert (message.role, environment.turns[-1].error) == ("user", TurnError.LABEL)
    assert environment.reason is Reason.MAX_LABEL_ERRORS


def test_names_are_valid_and_stable_and_never_shadow_ours() -> None:
    hostile = ["final_answer", "call_tool", "retrieve_tools", "a b", "é", "x" * 65, "x" * 64, "", "a.b", "a b" * 10**6]
    protocols = [NativeProtocol(), NativeProtocol()]
    for protocol, views in zip(protocols, (hostile, hostile[::-1]), strict=True):
        protocol.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
        protocol.respond(found(*(view(name) for name in views)), Step(Action("invalid")))
        shown = names(protocol)
        assert len(set(shown)) == len(shown) == 2 + len(hostile)
        assert all(VALID.fullmatch(name) for name in shown)
        assert shown[:2] == ["retrieve_tools", "final_answer"]
    assert [protocols[0].called(name) for name in hostile] == [protocols[1].called(name) for name in hostile]
    assert protocols[0].called("x" * 64) == "x" * 64
    (step,) = protocols[0].read(reply((protocols[0].called("final_answer"), {"a": "b"})))
    assert step.action.kind == "call" and json.loads(str(step.action.body))["name"] == "final_answer"
    assert protocols[0].parse(step.action.raw) == step.action == NativeProtocol().parse(step.action.raw)


def test_a_short_form_that_is_taken_is_made_anew() -> None:
    protocol = NativeProtocol()
    protocol.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    protocol.respond(found(view("a b")), Step(Action("invalid")))
    taken = protocol.called("a b")
    other = NativeProtocol()
    other.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    other.respond(found(view(taken), view("a b")), Step(Action("invalid")))
    assert other.called(taken) == taken != other.called("a b")
    (step,) = other.read(reply((other.called("a b"), {})))
    assert json.loads(str(step.action.body))["name"] == "a b"


def test_beyond_the_cap_tools_are_called_by_name() -> None:
    protocol = NativeProtocol(max_functions=5)
    protocol.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    first = protocol.respond(found(view("a"), view("b")), Step(Action("invalid")))
    assert names(protocol) == ["retrieve_tools", "final_answer", "a", "b"] and "parameters" not in first.content
    second = protocol.respond(found(view("b"), view("c")), Step(Action("invalid")))
    assert names(protocol) == ["retrieve_tools", "final_answer", "call_tool", "a", "b"]
    listed = json.loads(re.search(r"```json\n(.*?)\n```", second.content, re.DOTALL)[1])["tools"]  # type: ignore[index]
    assert [set(tool) for tool in listed] == [{"name", "description"}, {"name", "description", "parameters"}]
    (step,) = protocol.read(reply(("call_tool", {"name": "c", "arguments": {"a": 1}})))
    assert step.action.body == '{"name": "c", "arguments": {"a": 1}}'
    protocol.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    assert names(protocol) == ["retrieve_tools", "final_answer"]


def test_the_other_modes() -> None:
    views = [view(f"t{i}") for i in range(300)]
    whole = NativeProtocol(mode="functions")
    whole.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    whole.respond(found(*views), Step(Action("invalid")))
    assert len(names(whole)) == 302 and "call_tool" not in names(whole)
    by_name = NativeProtocol(mode="call_tool")
    by_name.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    text = by_name.respond(found(*views), Step(Action("invalid"))).content
    assert names(by_name) == ["retrieve_tools", "final_answer", "call_tool"] and text.count('"parameters"') == 300
    assert (whole.name, by_name.name) == ("native/1:functions", "native/1:call_tool")


def test_tools_can_be_called_by_their_handles(mini: World) -> None:
    environment = Environment(mini, Setting(tool_ids=True))
    protocol = NativeProtocol(tool_ids=True, mode="call_tool")
    protocol.opening(environment.reset(mini.queries[0].query_id))
    (text,) = take(environment, protocol, search("card"))
    assert '"tool_id": "T1"' in text
    assert list(protocol.functions()[2].parameters["properties"]) == ["tool_id", "arguments"]  # type: ignore[call-overload]
    take(environment, protocol, ("call_tool", {"tool_id": "T1", "arguments": {}}))
    assert environment.turns[-1].error is TurnError.WRONG_ARGUMENTS


def test_a_new_schema_replaces_the_old_one_in_place() -> None:
    protocol = NativeProtocol()
    protocol.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    protocol.respond(found(view("a"), view("b")), Step(Action("invalid")))
    protocol.respond(found(view("a", "changed")), Step(Action("invalid")))
    assert [(f.name, f.description) for f in protocol.functions()[2:]] == [("a", "changed"), ("b", "d")]


def test_all_tools(mini: World) -> None:
    environment = Environment(mini, load_setting("all-tools"))
    query = mini.queries[0]
    whole = NativeProtocol(all_tools=True)
    messages = whole.opening(environment.reset(query.query_id))
    assert set(names(whole)[1:]) == {whole.called(name) for name in environment.state.discovered}
    assert "retrieve_tools" not in names(whole) and "retrieve" not in messages[0].content
    assert "```" not in messages[1].content
    capped = NativeProtocol(all_tools=True, max_functions=13)
    messages = capped.opening(environment.reset(query.query_id))
    assert (
        len(names(capped)) == 12 and messages[1].content.count('"parameters"') == len(environment.state.discovered) - 10
    )
    assert estimate_tokens(messages) > estimate_tokens(messages[:1]) > 0
    assert estimate_tokens(messages, capped.functions()) > estimate_tokens(messages)


def test_an_estimate_is_a_quarter_of_the_characters() -> None:
    protocol = NativeProtocol()
    messages = protocol.opening(Observation(event=Event.QUERY, turn=0, turns_left=9))
    assert estimate_tokens(messages) == -(-sum(len(m.content) for m in messages) // 4)
    assert estimate_tokens([]) == 0


def test_every_event_has_words() -> None:
    protocol = NativeProtocol()
    for event in Event:
        observation = Observation(
            event=event, turn=3, turns_left=7, tool="the_tool", arguments=("one", "two"), value={"v": "é"}, request={}
        )
        text = protocol.respond(observation, Step(Action("invalid"))).content
        assert text.strip() and "$" not in text
        if event is not Event.END:
            assert "7 turn" in text
    for note in Note:
        observation = Observation(event=Event.TOOLS, turn=1, turns_left=9, request={}, note=note)
        assert '"note"' in protocol.respond(observation, Step(Action("invalid"))).content


def test_enforced_exploration_is_worded(mini: World) -> None:
    environment, protocol = Environment(mini, load_setting("enforced-2")), NativeProtocol()
    protocol.opening(environment.reset(mini.queries[0].query_id))
    for _ in range(2):
        (text,) = take(environment, protocol, ("final_answer", {"answer": "no"}))
        assert "not accepted" in text and environment.status is None
    take(environment, protocol, ("final_answer", {"answer": "no"}))
    assert environment.status is Status.FAILURE


NAMES = st.one_of(st.sampled_from([*OWN, "get_x", "T1", ""]), st.text(max_size=80))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
SURROGATES = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)
ARGUMENTS = st.one_of(
    SURROGATES,
    JSON.map(json.dumps),
    JSON.map(lambda value: json.dumps({"answer": value})),
    JSON.map(lambda value: json.dumps({"name": "get_x", "arguments": value})),
    st.sampled_from(
        ['{"a": 1, "a": 2}', '{"a": NaN}', '{"answer": "\\ud800"}', "[" * 100, '{"a":' * 70 + "1" + "}" * 70]
    ),
)
REPLIES = st.builds(
    Reply, SURROGATES, st.lists(st.builds(FunctionCall, st.text(max_size=5), NAMES, ARGUMENTS), max_size=3).map(tuple)
)


@pytest.fixture(scope="module")
def twins(mini: World) -> tuple[Environment, Environment]:
    """Two environments of one setting, made once: making one takes longer than an example."""
    roomy = Setting(max_label_errors=100, max_call_errors=100, max_retrieval_errors=100)
    return Environment(mini, roomy), Environment(mini, roomy)


@settings(max_examples=60)
@given(replies=st.lists(REPLIES, max_size=6))
def test_every_reply_is_read_and_what_is_recorded_of_it_plays_again(
    mini: World, twins: tuple[Environment, Environment], replies: list[Reply]
) -> None:
    environment, again = twins
    protocol = NativeProtocol(max_functions=6)
    protocol.opening(environment.reset(mini.queries[0].query_id))
    again.reset(mini.queries[0].query_id)
    for given_reply in replies:
        steps = protocol.read(given_reply)
        assert len(steps) == max(1, len(given_reply.calls))
        for step in steps:
            assert NativeProtocol().parse(step.action.raw) == step.action
            if environment.status is None:
                protocol.respond(environment.step(step.action), step)
                stored = msgspec.json.decode(msgspec.json.encode(environment.turns[-1]), type=Turn)
                assert stored.raw == step.action.raw
                again.step(NativeProtocol().parse(stored.raw))
                assert again.turns[-1] == environment.turns[-1]


@given(raw=st.one_of(st.text(), SURROGATES.map(lambda text: "{" + text), JSON.map(json.dumps)))
def test_any_recorded_text_is_an_action(raw: str) -> None:
    NativeProtocol().parse(raw)


@pytest.mark.parametrize(
    "arguments",
    ["[" * 10**7, "9" * 10**7, '{"answer": "' + "1" * 10**7 + '"}', '{"a": ' * 900 + "1" + "}" * 900],
    ids=["brackets", "digits", "long answer", "deep"],
)
@pytest.mark.parametrize("name", ["final_answer", "retrieve_tools", "call_tool", "get_x", "n" * 10**6])
def test_huge_arguments(mini: World, name: str, arguments: str) -> None:
    environment, protocol = Environment(mini), NativeProtocol()
    protocol.opening(environment.reset(mini.queries[0].query_id))
    (step,) = protocol.read(reply((name, arguments)))
    assert len(protocol.respond(environment.step(step.action), step).content) < 1000
    assert protocol.parse(environment.turns[-1].raw) == step.action


def test_a_scripted_agents_actions_can_be_replayed(mini: World) -> None:
    environment = Environment(mini)
    environment.reset(mini.queries[0].query_id)
    environment.step(retrieve(output="card"))
    environment.step(call("get_x", {"a": 1}))
    kinds = [NativeProtocol().parse(turn.raw).kind for turn in environment.turns]
    assert kinds == ["retrieve", "call"]


@pytest.mark.parametrize("all_tools", [False, True])
def test_a_model_reads_nothing_internal(mini: World, all_tools: bool) -> None:
    """Neither messages nor functions have roles, kinds or internal names of datatypes."""
    setting = Setting(all_tools=all_tools, blocking=BlockingConfig(enabled=True), max_turns=1000)
    environment, protocol = Environment(mini, setting), NativeProtocol(all_tools=all_tools, max_functions=20)
    public = {t.name for t in mini.tools} | {a.name for t in mini.tools for a in t.arguments}
    hidden = [d.name for d in mini.datatypes if "_" in d.name and not any(d.name in name for name in public)]
    assert hidden, "the mini world needs datatype names that no tool shows, or this test shows nothing"
    hidden += ["non_authoritative", "condition_limited", "noise_type", "baseline", "blocker", "distractor"]
    texts = [message.content for message in protocol.opening(environment.reset(mini.queries[0].query_id))]
    if not all_tools:
        for tool in mini.executable:
            texts += take(environment, protocol, search(tool.outputs[0].label or tool.outputs[0].name))
    texts.append(msgspec.json.encode(protocol.functions()).decode())
    read = "\n".join(texts).lower()
    assert len(protocol.functions()) > 15
    for word in hidden:
        assert word not in read
