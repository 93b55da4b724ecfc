import msgspec
import pytest

from planbench_xl import __version__
from planbench_xl.agents import make_agent
from planbench_xl.environment import Environment
from planbench_xl.episodes.record import Reason, Status
from planbench_xl.protocols import TEXT_PROTOCOL, NativeProtocol, TextProtocol, parse_raw
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.rollout import CAUSE_LENGTH, episode_seed, rollout
from planbench_xl.world import World
from tests.runs.agents import Interrupting, Raising, Speechless


def test_the_record_of_an_episode(mini: World) -> None:
    environment = Environment(mini, load_setting("one-path"))
    query = mini.queries[-1]
    episode = rollout(
        environment, make_agent("oracle", environment), query.query_id, epoch=2, agent_seed=5, protocol=TextProtocol()
    )
    assert episode.key == (query.query_id, 2)
    assert episode.task_id == query.task_id
    assert episode.agent_seed == episode_seed(5, query.query_id, 2)
    assert episode.world == mini.fingerprint
    assert (episode.setting, episode.protocol, episode.judge) == ("one-path", TEXT_PROTOCOL, "contains")
    assert episode.package == __version__
    assert (episode.status, episode.reason, episode.cause) == (Status.SUCCESS, None, None)
    assert episode.turns == tuple(environment.turns)
    assert environment.plan is not None
    assert set(episode.blocked) == set(environment.plan.blocked)
    assert not episode.unresolved
    assert 0 < episode.seconds < 60


def test_wording_the_observations_changes_nothing(mini: World) -> None:
    for agent in ("oracle", "random"):
        environment = Environment(mini)
        plain = [rollout(environment, make_agent(agent, environment), query) for query in mini.query]
        worded = [
            rollout(environment, make_agent(agent, environment), query, protocol=TextProtocol()) for query in mini.query
        ]
        assert [msgspec.structs.replace(e, seconds=0) for e in plain] == [
            msgspec.structs.replace(e, seconds=0) for e in worded
        ]


def test_an_unresolved_plan_is_recorded(mini: World) -> None:
    setting = load_setting("one-path", ["blocking.min_remaining=1000", "blocking.planner=reference"])
    environment = Environment(mini, setting)
    episode = rollout(environment, make_agent("oracle", environment), mini.queries[0].query_id)
    assert episode.unresolved
    assert episode.blocked == {}


def test_an_exception_of_the_agent_is_an_error_of_the_infrastructure(mini: World) -> None:
    environment = Environment(mini)
    episode = rollout(environment, Raising(environment), mini.queries[1].query_id)
    assert (episode.status, episode.reason) == (Status.ERROR, None)
    assert episode.cause == "TimeoutError: the provider ? did not answer"
    assert len(episode.turns) == 2
    assert msgspec.json.decode(msgspec.json.encode(episode))["status"] == "error"


def test_an_exception_at_reset_and_a_long_message(mini: World) -> None:
    class Broken(Raising):
        def reset(self, seed: int) -> None:
            raise ValueError("x" * 10_000)

    environment = Environment(mini)
    episode = rollout(environment, Broken(environment), mini.queries[0].query_id)
    assert episode.status is Status.ERROR
    assert episode.cause is not None
    assert len(episode.cause) == CAUSE_LENGTH
    assert episode.turns == ()


def test_something_that_is_no_action_is_the_agents_fault_and_no_crash(mini: World) -> None:
    environment = Environment(mini)
    episode = rollout(environment, Speechless(environment), mini.queries[0].query_id)
    assert episode.status is Status.ERROR
    assert episode.cause == "the agent returned NoneType in place of an action or a text"


def test_a_user_can_interrupt(mini: World) -> None:
    environment = Environment(mini)
    agent = Interrupting(environment)
    agent.episodes = 3
    with pytest.raises(KeyboardInterrupt):
        rollout(environment, agent, mini.queries[0].query_id)


def test_the_turn_limit(mini: World) -> None:
    environment = Environment(mini, load_setting("default", ["max_turns=2"]))
    episode = rollout(environment, make_agent("oracle", environment), mini.queries[0].query_id)
    assert (episode.status, episode.reason, len(episode.turns)) == (Status.FAILURE, Reason.MAX_TURNS, 2)


def test_seeds_differ_and_stay() -> None:
    seeds = {episode_seed(run, query, epoch) for run in range(5) for query in ("a", "b", "1|a") for epoch in range(5)}
    assert len(seeds) == 75
    assert max(seeds) < 2**48
    assert episode_seed(0, "retail_query_0", 0) == 76710165624652


def test_native_changes_the_name_and_nothing_else(mini: World) -> None:
    environment = Environment(mini)
    query = mini.queries[0].query_id
    text = rollout(environment, make_agent("oracle", environment), query, protocol=TextProtocol())
    native = rollout(environment, make_agent("oracle", environment), query, protocol=NativeProtocol())
    assert native.protocol == "native/1"
    assert msgspec.structs.replace(native, seconds=0, protocol="text/1") == msgspec.structs.replace(text, seconds=0)
    for turn in native.turns:
        assert parse_raw(native.protocol, turn.raw).kind == turn.action
