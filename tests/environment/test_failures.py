from __future__ import annotations

import msgspec
import pytest

from planbench_xl.blocking import BlockingConfig
from planbench_xl.environment import Environment, Event, Setting, answer, call, retrieve
from planbench_xl.environment.failures import FailureConfig, plan_failures
from planbench_xl.episodes.record import Status, TurnError
from planbench_xl.protocols import TextProtocol
from planbench_xl.world import Tool, Value, World
from tests.environment.test_environment import legal_order

KINDS = ("flaky", "outage", "schema_drift", "rate_limit")


def started(world: World, query: int = 0, **fields: Value) -> tuple[Environment, dict[str, Value]]:
    environment = Environment(world, Setting(failures=FailureConfig(share=1.0, **fields)))
    environment.reset(world.queries[query].query_id)
    record = next(r for r in world.records if r.record_id == world.queries[query].record_id)
    return environment, record.values


def first_tool(environment: Environment) -> Tool:
    assert environment.failure_plan is not None
    task = environment.state.task
    tool = legal_order(environment.world, task.inputs, environment.failure_plan.kept_path)[0]
    environment.step(retrieve(output=tool.output_datatypes[0]))
    return tool


def correct(tool: Tool, values: dict[str, Value]) -> dict[str, Value]:
    return {argument.name: values[argument.datatype] for argument in tool.arguments}


def persistent_walk(environment: Environment, values: dict[str, Value]) -> None:
    """Walk the kept path as one who knows the kinds of failures: try again, and take over new names."""
    assert environment.failure_plan is not None
    world, task = environment.world, environment.state.task
    for tool in legal_order(world, task.inputs, environment.failure_plan.kept_path):
        environment.step(retrieve(output=tool.output_datatypes[0]))
        arguments = correct(tool, values)
        while environment.status is None:
            observation = environment.step(call(tool.name, arguments))
            turn = environment.turns[-1]
            if turn.success and not turn.broken:
                break
            if observation.event is Event.ERROR_RENAMED_ARGUMENT:
                old, new = observation.arguments
                arguments[new] = arguments.pop(old)
    environment.step(answer(" ".join(str(gold) for gold in environment.state.query.answers.values())))


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_kept_path_succeeds_within_its_bound(mini: World, kind: str, silent: bool, blocked: bool) -> None:
    config = FailureConfig(kind=kind, share=0.8, silent=silent, after_turn=2)  # type: ignore[arg-type]
    setting = Setting(failures=config, blocking=BlockingConfig(enabled=blocked))
    environment = Environment(mini, setting)
    for query in mini.queries:
        environment.reset(query.query_id)
        plan = environment.failure_plan
        assert plan is not None and plan.resolved and plan.affected
        values = next(r.values for r in mini.records if r.record_id == query.record_id)
        persistent_walk(environment, values)
        assert environment.status is Status.SUCCESS
        assert environment.state.turn <= plan.turn_bound


def test_flaky_tools_recover(mini: World) -> None:
    environment, values = started(mini, kind="flaky", failures=2)
    tool = first_tool(environment)
    for expected in (False, False, True):
        environment.step(call(tool.name, correct(tool, values)))
        turn = environment.turns[-1]
        assert (turn.success, turn.broken, turn.error) == (expected, not expected, None)
        assert (set(tool.output_datatypes) <= environment.state.obtained) == expected


@pytest.mark.parametrize("silent", [False, True])
def test_an_outage_hits_tools_that_were_discovered_before(mini: World, silent: bool) -> None:
    environment, values = started(mini, kind="outage", after_turn=3, silent=silent)
    assert environment.failure_plan is not None
    inputs = set(environment.state.task.inputs)
    victim = next(t for t in mini.executable if inputs.issuperset(t.inputs))
    environment.failure_plan = plan = msgspec.structs.replace(environment.failure_plan, affected=(victim.name,))
    environment._failures._affected = frozenset(plan.affected)  # type: ignore[union-attr]
    environment.step(retrieve(output=victim.output_datatypes[0]))
    environment.step(call(victim.name, correct(victim, values)))
    assert environment.turns[-1].success and not environment.turns[-1].broken
    environment.step(retrieve(output=victim.output_datatypes[0]))
    environment.step(call(victim.name, correct(victim, values)))
    turn = environment.turns[-1]
    assert (turn.success, turn.broken) == (silent, True)
    assert environment.state.untrusted[victim.output_datatypes[0]]


def test_an_outage_spares_the_kept_path(mini: World) -> None:
    environment, _ = started(mini, kind="outage", after_turn=0)
    plan = environment.failure_plan
    assert plan is not None and plan.affected
    assert not set(plan.affected) & set(plan.kept_path)


def test_schema_drift_names_the_new_argument(mini: World) -> None:
    environment, values = started(mini, kind="schema_drift", after_turn=2)
    tool = first_tool(environment)
    environment.step(call(tool.name, correct(tool, values)))
    assert environment.turns[-1].success, "the schema changes after turn 2 only"
    observation = environment.step(call(tool.name, correct(tool, values)))
    assert environment.turns[-1].error is TurnError.WRONG_ARGUMENTS
    old, new = observation.arguments
    assert old in correct(tool, values) and new not in correct(tool, values)
    assert f"`{old}`, `{new}`" in TextProtocol().message(observation)
    protocol = TextProtocol()
    shown = environment.step(retrieve(output=tool.output_datatypes[0]))
    view = next(view for view in shown.tools if view.name == tool.name)
    assert new in view.parameters["properties"] and old not in view.parameters["properties"]
    assert f'"{new}"' in protocol.message(shown)
    arguments = correct(tool, values)
    arguments[new] = arguments.pop(old)
    environment.step(call(tool.name, arguments))
    assert environment.turns[-1].success
    observation = environment.step(call(tool.name, {"nonsense": 1}))
    assert observation.event is Event.ERROR_WRONG_ARGUMENTS and new in observation.arguments


def test_a_protocol_never_shows_an_old_schema(mini: World) -> None:
    environment, _ = started(mini, kind="schema_drift", after_turn=1)
    protocol = TextProtocol()
    output = mini.executable[0].output_datatypes[0]
    before = protocol.message(environment.step(retrieve(output=output)))
    after = protocol.message(environment.step(retrieve(output=output)))
    assert before != after
    environment.reset(mini.queries[0].query_id)
    again = protocol.message(environment.step(retrieve(output=output)))
    assert again == before


def test_rate_limits_refuse_and_recover(mini: World) -> None:
    environment, values = started(mini, kind="rate_limit", calls=2, wait=2)
    tool = first_tool(environment)
    outcomes = []
    for _ in range(7):
        environment.step(call(tool.name, correct(tool, values)))
        outcomes.append(environment.turns[-1].success)
    assert outcomes == [True, True, False, False, True, True, False]
    assert "2 turns" in str(environment.turns[3].value)


def test_plans_are_the_same_for_every_agent_and_differ_by_seed(mini: World) -> None:
    task = mini.tasks[0]
    paths = mini.tool_sets[task.task_id]
    config = FailureConfig(kind="flaky")
    plans = [plan_failures(mini, task, paths, config, seed, 100) for seed in (1, 1, 2, 3, 4)]
    assert plans[0] == plans[1]
    assert len({plan.affected for plan in plans}) > 1


def test_a_path_beyond_the_budget_is_not_resolved(mini: World) -> None:
    task = mini.tasks[0]
    plan = plan_failures(mini, task, mini.tool_sets[task.task_id], FailureConfig("flaky", 1.0, 50), 42, 100)
    assert (plan.resolved, plan.affected) == (False, ())
    assert plan.turn_bound > 100
    assert not plan_failures(mini, task, (), FailureConfig("flaky"), 42, 100).resolved
