from __future__ import annotations

import msgspec
import pytest

from planbench_xl.environment import Environment, Setting
from planbench_xl.episodes.record import TurnError
from planbench_xl.errors import StoreError
from planbench_xl.integrations.mcp.session import Session
from planbench_xl.protocols import NativeProtocol
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.rollout import record
from planbench_xl.world import World
from tests.integrations.mcp.calls import calls_of, played

QUERY = "library_query_01"


class Shelf:
    def __init__(self) -> None:
        self.kept: list[str] = []
        self.finished = 0
        self.full = False

    def keep(self, raw: str) -> None:
        if self.full:
            raise StoreError("full")
        self.kept.append(raw)

    def finish(self, session: Session) -> None:
        self.finished += 1


def session(world: World, shelf: Shelf, taken: list[str] | None = None, **choices: bool) -> Session:
    protocol = NativeProtocol(mode="functions" if choices.pop("dynamic", False) else "call_tool")
    environment = Environment(world)
    return Session(
        environment, protocol, (QUERY, 0), keep=shelf.keep, finish=shelf.finish, taken=taken or (), **choices
    )


@pytest.mark.parametrize("dynamic", [False, True])
def test_an_episode_is_the_one_that_an_agent_plays(mini: World, dynamic: bool) -> None:
    shelf = Shelf()
    played_here = session(mini, shelf, dynamic=dynamic)
    assert mini.query[QUERY].text in played_here.opening
    for name, arguments in calls_of(mini, QUERY, dynamic=dynamic):
        outcome = played_here.call(name, arguments)
        assert not outcome.is_error
    assert played_here.over and shelf.finished == 1
    there = played(mini, QUERY)
    here = record(played_here.environment, None, 0, there.agent_seed, there.protocol, there.seconds)
    plain = [[msgspec.structs.replace(turn, raw="") for turn in episode.turns] for episode in (here, there)]
    assert plain[0] == plain[1]
    assert here.status == there.status == "success"


def test_tools_become_functions_when_they_are_found(mini: World) -> None:
    found = session(mini, Shelf(), dynamic=True)
    own = {"retrieve_tools", "final_answer"}
    assert {function.name for function in found.functions()} == own
    (name, arguments), *_ = calls_of(mini, QUERY, dynamic=True)
    assert found.call(name, arguments).list_changed
    assert {function.name for function in found.functions()} > own
    assert not found.call(name, arguments).list_changed


def test_turns_are_kept_before_they_are_taken_and_can_be_taken_again(mini: World) -> None:
    shelf = Shelf()
    calls = calls_of(mini, QUERY)
    first = session(mini, shelf)
    for name, arguments in calls[:-1]:
        first.call(name, arguments)
    shelf.full = True
    with pytest.raises(StoreError):
        first.call(*calls[-1])
    assert not first.over and len(first.exchanges) == len(calls) - 1
    shelf.full = False
    again = session(mini, shelf, shelf.kept[:])
    assert again.exchanges == first.exchanges
    assert again.environment.turns == first.environment.turns
    again.call(*calls[-1])
    assert again.over


def test_after_the_end_nothing_happens(mini: World) -> None:
    shelf = Shelf()
    over = session(mini, shelf)
    over.call("final_answer", {"answer": "no idea"})
    turns = len(over.environment.turns)
    outcome = over.call("retrieve_tools", {"meta_tool": "by_output_info", "output_information": "a member"})
    assert outcome.is_error and "over" in outcome.text
    assert len(over.environment.turns) == turns == len(shelf.kept)
    assert shelf.finished == 2


def test_turns_of_another_game_are_refused(mini: World) -> None:
    shelf = Shelf()
    one = session(mini, shelf)
    one.call("final_answer", {"answer": "no idea"})
    with pytest.raises(StoreError, match="can't be taken again"):
        session(mini, Shelf(), [*shelf.kept, *shelf.kept])
    with pytest.raises(StoreError, match="can't be taken again"):
        session(mini, Shelf(), [], stored=True)


DEEP: list[object] = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("call_tool", None, TurnError.CALL_JSON),
        ("call_tool", {"name": 3, "arguments": []}, TurnError.CALL_JSON),
        ("call_tool", {"name": "x", "arguments": {"n": 10**5000}}, TurnError.CALL_JSON),
        ("call_tool", {"name": "x", "arguments": {"deep": DEEP}}, TurnError.CALL_JSON),
        ("call_tool", {"name": "\ud800", "arguments": {}}, TurnError.UNDISCOVERED),
        ("retrieve_tools", {}, TurnError.RETRIEVAL_JSON),
        ("retrieve_tools", {"meta_tool": "by_magic"}, TurnError.RETRIEVAL_SEMANTIC),
        ("final_answer", {"answer": 3}, TurnError.LABEL),
        ("final_answer", None, TurnError.LABEL),
        ("", {}, TurnError.UNDISCOVERED),
        ("__class__", {"a": "</tool_call>"}, TurnError.UNDISCOVERED),
    ],
)
def test_whatever_is_called_counts_as_an_error_of_the_game(
    mini: World, name: str, arguments: dict[str, object] | None, error: TurnError
) -> None:
    shelf = Shelf()
    hostile = session(mini, shelf)
    outcome = hostile.call(name, arguments)
    assert outcome.is_error
    (turn,) = hostile.environment.turns
    assert turn.error is error
    again = session(mini, Shelf(), shelf.kept)
    assert again.environment.turns == hostile.environment.turns


def test_all_tools_are_functions_from_the_start_where_the_setting_shows_all(mini: World) -> None:
    setting: Setting = load_setting("default", ["all_tools=true"])
    protocol = NativeProtocol(mode="functions", all_tools=True)
    shelf = Shelf()
    shown = Session(Environment(mini, setting), protocol, (QUERY, 0), keep=shelf.keep, finish=shelf.finish)
    assert {"retrieve_tools", "call_tool"}.isdisjoint(function.name for function in shown.functions())
    assert len(shown.functions()) > len(mini.executable)
