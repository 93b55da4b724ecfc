from __future__ import annotations

import msgspec
import pytest

from planbench_xl.blocking import BlockingConfig
from planbench_xl.environment import Environment, Event, Note, Setting, answer, call, retrieve
from planbench_xl.episodes.record import Reason, Status, TurnError
from planbench_xl.errors import UsageError
from planbench_xl.retrieval import RetrievalConfig
from planbench_xl.world import Kind, Query, Record, Role, Tool, World

SPACE = "<final_answer></final_answer> <final_answer></final_answer>"


def legal_order(world: World, inputs: tuple[str, ...], tools: tuple[str, ...]) -> list[Tool]:
    known, left, order = set(inputs), [world.tool[name] for name in tools], []
    while left:
        tool = next(tool for tool in left if known.issuperset(tool.inputs))
        left.remove(tool)
        order.append(tool)
        known |= set(tool.output_datatypes)
    return order


def walk(environment: Environment, tools: tuple[str, ...], *, say: bool = True) -> None:
    """Walk a path with true values and answer."""
    world, state = environment.world, environment.state
    values = next(r.values for r in world.records if r.record_id == state.query.record_id)
    for tool in legal_order(world, state.task.inputs, tools):
        environment.step(retrieve(output=tool.output_datatypes[0]))
        assert tool.name in state.discovered
        environment.step(call(tool.name, {a.name: values[a.datatype] for a in tool.arguments}))
        assert environment.turns[-1].success
    if say:
        environment.step(answer(" and ".join(str(value) for value in state.query.answers.values())))


def start(world: World, setting: Setting | None = None, query: int = 0) -> Environment:
    environment = Environment(world, setting)
    environment.reset(world.queries[query].query_id)
    return environment


def imitation(world: World, role: Role, kind: Kind, query: Query) -> Tool:
    """A distractor or block alternative that can be called at the start of a query, with one output."""
    inputs = set(world.task[query.task_id].inputs)
    return next(t for t in world.tools if t.role is role and t.kind is kind and inputs.issuperset(t.inputs))


def startable(world: World, role: Role, kind: Kind) -> tuple[Query, Tool]:
    for query in world.queries:
        try:
            return query, imitation(world, role, kind, query)
        except StopIteration:
            continue
    raise AssertionError(f"no query starts with a {kind} {role}")


def test_every_listed_path_leads_to_success(mini: World) -> None:
    environment = Environment(mini)
    for query in mini.queries:
        for path in mini.tool_sets[query.task_id]:
            observation = environment.reset(query.query_id)
            assert (observation.event, observation.turn, observation.query) == (Event.QUERY, 0, query.text)
            walk(environment, path)
            assert (environment.status, environment.reason) == (Status.SUCCESS, None)
            assert len(environment.turns) == 2 * len(path) + 1


def test_right_answer_without_the_work_is_not_grounded(mini: World) -> None:
    environment = start(mini)
    observation = environment.step(answer(str(next(iter(mini.queries[0].answers.values())))))
    assert (environment.status, environment.reason) == (Status.FAILURE, Reason.NOT_GROUNDED)
    assert (observation.event, observation.done) == (Event.END, True)


def test_wrong_answer_after_the_work(mini: World) -> None:
    environment = start(mini)
    walk(environment, mini.tool_sets[mini.queries[0].task_id][0], say=False)
    environment.step(answer("nothing of the sort"))
    assert environment.reason is Reason.WRONG_ANSWER


@pytest.mark.parametrize(
    ("response", "reason", "error"),
    [
        ("no tag", Reason.MAX_LABEL_ERRORS, TurnError.LABEL),
        (SPACE, Reason.MAX_LABEL_ERRORS, TurnError.LABEL),
        ("<retrieve_tools>{</retrieve_tools>", Reason.MAX_RETRIEVAL_ERRORS, TurnError.RETRIEVAL_JSON),
        ("<retrieve_tools>[]</retrieve_tools>", Reason.MAX_RETRIEVAL_ERRORS, TurnError.RETRIEVAL_JSON),
        (
            '<retrieve_tools>{"meta_tool": "x"}</retrieve_tools>',
            Reason.MAX_RETRIEVAL_ERRORS,
            TurnError.RETRIEVAL_SEMANTIC,
        ),
        ("<tool_call>{</tool_call>", Reason.MAX_CALL_ERRORS, TurnError.CALL_JSON),
        ('<tool_call>{"name": "x"}</tool_call>', Reason.MAX_CALL_ERRORS, TurnError.CALL_JSON),
        ('<tool_call>{"name": 1, "arguments": {}}</tool_call>', Reason.MAX_CALL_ERRORS, TurnError.CALL_JSON),
        ('<tool_call>{"tool_id": "T1", "arguments": {}}</tool_call>', Reason.MAX_CALL_ERRORS, TurnError.CALL_JSON),
        ('<tool_call>{"name": "x", "arguments": {}}</tool_call>', Reason.MAX_CALL_ERRORS, TurnError.UNDISCOVERED),
    ],
)
def test_three_errors_in_a_row_end_the_episode(mini: World, response: str, reason: Reason, error: TurnError) -> None:
    environment = start(mini)
    for number in range(3):
        assert environment.status is None
        observation = environment.step(response)
        assert environment.turns[-1].error is error
        assert observation.turn == number + 1
    assert (environment.reason, observation.event) == (reason, Event.END)


def test_what_resets_the_counters(mini: World) -> None:
    environment = start(mini)
    good = retrieve(output="anything")
    bad_retrieval, bad_call = "<retrieve_tools>{</retrieve_tools>", "<tool_call>{</tool_call>"
    for _ in range(2):
        environment.step("no tag")
        environment.step("no tag")
        environment.step(bad_retrieval)
    state = environment.state
    assert (state.label_errors, state.retrieval_errors) == (0, 2)
    environment.step(bad_call)
    environment.step(good)
    assert (state.retrieval_errors, state.call_errors) == (0, 1)
    environment.step(bad_call)
    tool = legal_order(mini, state.task.inputs, mini.tool_sets[state.task.task_id][0])[0]
    environment.step(retrieve(output=tool.output_datatypes[0]))
    assert state.call_errors == 2
    environment.step(call(tool.name, {a.name: "none such" for a in tool.arguments}))
    assert state.call_errors == 0, "a call that finds nothing was executed all the same"
    assert environment.turns[-1].success is False


def test_the_turn_budget(mini: World) -> None:
    environment = start(mini, Setting(max_turns=4))
    for left in (3, 2, 1):
        assert environment.step(retrieve(output="x")).turns_left == left
    environment.step("no tag")
    assert (environment.status, environment.reason) == (Status.FAILURE, Reason.MAX_TURNS)
    with pytest.raises(UsageError, match="over"):
        environment.step(retrieve(output="x"))


def test_wrong_arguments_name_the_right_ones(mini: World) -> None:
    environment = start(mini)
    tool = mini.executable[0]
    environment.step(retrieve(output=tool.output_datatypes[0]))
    observation = environment.step(call(tool.name, {"nonsense": 1}))
    assert environment.turns[-1].error is TurnError.WRONG_ARGUMENTS
    assert observation.arguments == tuple(a.name for a in tool.arguments)


def test_inputs_must_have_been_obtained(mini: World) -> None:
    environment = start(mini)
    inputs = set(environment.state.task.inputs)
    tool = next(tool for tool in mini.executable if not inputs.issuperset(tool.inputs))
    environment.step(retrieve(output=tool.output_datatypes[0]))
    values = mini.records[0].values
    environment.step(call(tool.name, {a.name: values[a.datatype] for a in tool.arguments}))
    turn = environment.turns[-1]
    assert turn.error is TurnError.MISSING_INPUT
    assert turn.missing == tuple(sorted(set(tool.inputs) - inputs))


@pytest.mark.parametrize("kind", list(Kind))
def test_imitations_return_their_value_and_obtain_nothing(mini: World, kind: Kind) -> None:
    role = Role.BLOCK_ALTERNATIVE if kind in (Kind.EXPLICIT, Kind.IMPLICIT, Kind.MISLEADING) else Role.DISTRACTOR
    query, tool = startable(mini, role, kind)
    blocked = {tool.source: (kind,)} if role is Role.BLOCK_ALTERNATIVE else {}
    setting = Setting(retrieval=RetrievalConfig(max_tools=200), blocking=BlockingConfig(enabled=True))
    environment = Environment(mini, setting)
    environment.reset(query.query_id)
    assert environment.plan is not None
    environment.plan = msgspec.structs.replace(environment.plan, blocked=blocked)
    source = mini.tool[tool.source or ""]
    environment.step(retrieve(output=source.output_datatypes[0]))
    before = set(environment.state.obtained)
    values = next(r.values for r in mini.records if r.record_id == query.record_id)
    environment.step(call(tool.name, {a.name: values[a.datatype] for a in tool.arguments}))
    turn, state = environment.turns[-1], environment.state
    assert turn.value == (tool.description if tool.return_value is None else tool.return_value)
    assert turn.success == (kind not in (Kind.DEPRECATED, Kind.CONDITION_LIMITED, Kind.EXPLICIT))
    assert state.obtained == before
    assert set(state.untrusted) == set(tool.output_datatypes)


def test_an_untrusted_value_is_refused_until_a_trusted_source_gives_it(mini: World) -> None:
    environment = start(mini)
    state = environment.state
    order = legal_order(mini, state.task.inputs, mini.tool_sets[state.task.task_id][0])
    first, second = order[0], next(tool for tool in order[1:] if set(tool.inputs) & set(order[0].output_datatypes))
    values = next(r.values for r in mini.records if r.record_id == state.query.record_id)
    arguments = {a.name: values[a.datatype] for a in second.arguments}
    environment.step(retrieve(output=second.output_datatypes[0]))
    for datatype in first.output_datatypes:
        state.distrust(datatype, values[datatype], "noisy")
    environment.step(call(second.name, arguments))
    turn = environment.turns[-1]
    assert turn.error is TurnError.UNTRUSTED_INPUT, "missing too, but it counts as untrusted"
    assert set(turn.untrusted) <= set(first.output_datatypes)
    environment.step(retrieve(output=first.output_datatypes[0]))
    environment.step(call(first.name, {a.name: values[a.datatype] for a in first.arguments}))
    environment.step(call(second.name, arguments))
    assert environment.turns[-1].error in (None, TurnError.MISSING_INPUT)


def test_an_untrusted_value_in_the_answer_spoils_it(mini: World) -> None:
    environment = start(mini)
    state = environment.state
    walk(environment, mini.tool_sets[state.task.task_id][0], say=False)
    gold = next(iter(state.query.answers.values()))
    state.distrust(state.task.targets[0], f"*{gold}*", "blocker")
    environment.step(answer(str(gold)))
    final = environment.turns[-1].answer
    assert final is not None
    assert (final.correct, final.reached, final.grounded) == (True, True, False)
    assert environment.reason is Reason.NOT_GROUNDED


def test_enforced_exploration(mini: World) -> None:
    environment = start(mini, Setting(exploration_budget=2, max_turns=3))
    assert environment.step(answer("no")).event is Event.CONTINUE
    assert environment.step(answer("no")).event is Event.CONTINUE
    assert environment.step(answer("no")).event is Event.END
    assert environment.reason is Reason.NOT_GROUNDED
    environment = start(mini, Setting(exploration_budget=5, max_turns=2))
    environment.step(answer("no"))
    assert environment.step(answer("no")).done, "no turns remain to continue in"


def test_tool_ids(mini: World) -> None:
    environment = start(mini, Setting(tool_ids=True))
    state = environment.state
    tool = legal_order(mini, state.task.inputs, mini.tool_sets[state.task.task_id][0])[0]
    views = environment.step(retrieve(output=tool.output_datatypes[0])).tools
    assert [view.tool_id for view in views] == [f"T{i + 1}" for i in range(len(views))]
    handle = next(view.tool_id for view in views if view.name == tool.name)
    values = next(r.values for r in mini.records if r.record_id == state.query.record_id)
    arguments = {a.name: values[a.datatype] for a in tool.arguments}
    environment.step(
        f"<tool_call>{msgspec.json.encode({'tool_id': handle, 'arguments': arguments}).decode()}</tool_call>"
    )
    assert environment.turns[-1].success
    assert environment.turns[-1].request == {"name": tool.name, "arguments": arguments}


def test_a_tool_with_two_outputs_gives_both(mini: World) -> None:
    tool = next(tool for tool in mini.executable if len(tool.outputs) == 2)
    environment = start(mini)
    environment.state.obtained |= set(tool.inputs)
    environment.step(retrieve(output=tool.output_datatypes[0]))
    values = mini.records[0].values
    observation = environment.step(call(tool.name, {a.name: values[a.datatype] for a in tool.arguments}))
    assert observation.value == {output.name: values[output.datatype] for output in tool.outputs}
    assert environment.state.obtained.issuperset(tool.output_datatypes)


def test_an_ambiguous_look_up_is_recorded(mini: World) -> None:
    query = mini.queries[0]
    order = legal_order(mini, mini.task[query.task_id].inputs, mini.tool_sets[query.task_id][0])
    record = next(r for r in mini.records if r.record_id == query.record_id)
    twin = Record("twin", {**record.values, order[0].output_datatypes[0]: "another"})
    environment = start(msgspec.structs.replace(mini, records=(*mini.records, twin)))
    environment.step(retrieve(output=order[0].output_datatypes[0]))
    observation = environment.step(call(order[0].name, {a.name: record.values[a.datatype] for a in order[0].arguments}))
    assert (observation.event, environment.turns[-1].ambiguous) == (Event.AMBIGUOUS, True)
    assert order[0].output_datatypes[0] not in environment.state.obtained


def test_blocked_tools_are_never_shown(mini: World) -> None:
    setting = Setting(blocking=BlockingConfig(enabled=True))
    environment = Environment(mini, setting)
    seen_alternatives = 0
    for query in mini.queries:
        environment.reset(query.query_id)
        assert environment.plan is not None and environment.plan.resolved and environment.plan.blocked
        for datatype in mini.datatypes:
            environment.step(retrieve(output=datatype.name))
        assert not set(environment.plan.blocked) & set(environment.state.discovered)
        seen_alternatives += sum(t.role is Role.BLOCK_ALTERNATIVE for t in environment.state.discovered.values())
        left = [p for p in mini.tool_sets[query.task_id] if not set(p) & set(environment.plan.blocked)]
        assert len(left) == environment.plan.remaining
        environment.reset(query.query_id)
        walk(environment, left[0])
        assert environment.status is Status.SUCCESS
    assert seen_alternatives


def test_without_distractors_only_executable_tools_show(mini: World) -> None:
    environment = start(mini, Setting(retrieval=RetrievalConfig(distractors=False)))
    for datatype in mini.datatypes:
        environment.step(retrieve(output=datatype.name))
    assert {tool.role for tool in environment.state.discovered.values()} == {Role.EXECUTABLE}


def test_notes(mini: World) -> None:
    environment = start(mini)
    names = [d.name for d in mini.datatypes]
    pairs = {frozenset(tool.inputs) for tool in mini.executable}
    pair = next([a, b] for a in names for b in names if a != b and frozenset({a, b}) not in pairs)
    assert environment.step(retrieve(inputs=pair)).note is Note.NO_TOOL_FOR_INPUTS
    assert environment.step(retrieve(inputs=pair, output=names[0])).note is Note.NO_TOOL_FOR_BOTH


def test_misuse_is_explained(mini: World) -> None:
    environment = Environment(mini)
    with pytest.raises(UsageError, match="reset"):
        environment.step("x")
    with pytest.raises(UsageError, match="no query 'nope'"):
        environment.reset("nope")
