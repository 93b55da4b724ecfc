"""The setting that shows every tool with the query and has no retrieval."""

from __future__ import annotations

import msgspec
import pytest

from planbench_xl.environment import Environment, Event, Setting, call, retrieve
from planbench_xl.episodes.record import Reason, TurnError
from planbench_xl.runs.presets import load_setting
from planbench_xl.world import Role, World


def test_everything_is_shown_and_can_be_called(mini: World) -> None:
    environment = Environment(mini, load_setting("all-tools"))
    query = mini.queries[0]
    observation = environment.reset(query.query_id)
    shown = [tool.name for tool in observation.tools]
    wanted = [tool.name for tool in mini.tools if tool.role is not Role.BLOCK_ALTERNATIVE]
    assert observation.event is Event.QUERY and sorted(shown) == sorted(wanted) and shown != wanted
    assert shown == list(environment.state.discovered)
    tool = next(t for t in mini.executable if set(t.inputs) <= set(query.inputs))
    environment.step(call(tool.name, {a.name: query.inputs[a.datatype] for a in tool.arguments}))
    assert environment.turns[-1].success


def test_the_order_is_seeded(mini: World) -> None:
    def order(query: int, *changes: str) -> list[str]:
        environment = Environment(mini, load_setting("all-tools", changes))
        return [tool.name for tool in environment.reset(mini.queries[query].query_id).tools]

    assert order(0) == order(0)
    assert order(0) != order(1) and order(0) != order(0, "seed=7")
    assert sorted(order(0)) == sorted(order(1))


def test_blocked_tools_are_replaced_and_distractors_can_be_left_out(mini: World) -> None:
    setting = load_setting("all-tools", ["blocking.enabled=true", "retrieval.distractors=false"])
    environment = Environment(mini, setting)
    observation = environment.reset(mini.queries[0].query_id)
    shown = {tool.name for tool in observation.tools}
    assert environment.plan is not None and environment.plan.blocked
    for name, kinds in environment.plan.blocked.items():
        assert name not in shown
        assert {tool.name for tool in mini.alternatives[name] if tool.kind in kinds} <= shown
    assert {tool.role for tool in mini.tools if tool.name in shown} == {Role.EXECUTABLE, Role.BLOCK_ALTERNATIVE}


def test_a_retrieval_is_a_counted_error(mini: World) -> None:
    environment = Environment(mini, load_setting("all-tools"))
    environment.reset(mini.queries[0].query_id)
    for _ in range(3):
        observation = environment.step(retrieve(output="card"))
        assert environment.turns[-1].error is TurnError.RETRIEVAL_SEMANTIC and environment.turns[-1].tools is None
    assert (environment.reason, observation.event) == (Reason.MAX_RETRIEVAL_ERRORS, Event.END)
    environment.reset(mini.queries[0].query_id)
    assert environment.step("<retrieve_tools>soup</retrieve_tools>").event is Event.ERROR_NO_RETRIEVAL


@pytest.mark.parametrize("tool_ids", [True, False])
def test_handles(mini: World, tool_ids: bool) -> None:
    environment = Environment(mini, Setting(all_tools=True, tool_ids=tool_ids))
    tools = environment.reset(mini.queries[0].query_id).tools
    assert [tool.tool_id for tool in tools] == [f"T{i}" if tool_ids else None for i in range(1, len(tools) + 1)]


def test_a_setting_stored_before_there_was_the_field_is_the_same_setting() -> None:
    fields = msgspec.to_builtins(Setting())
    del fields["all_tools"]
    assert msgspec.convert(fields, Setting) == Setting()
