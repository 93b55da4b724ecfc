"""Agents whose `act` is `async def`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from planbench_xl.agents import make_agent
from planbench_xl.environment import Action, Environment, Observation
from planbench_xl.episodes.record import Status
from planbench_xl.runs.rollout import EventLoop, rollout
from planbench_xl.runs.run import run
from planbench_xl.world import World
from tests.runs.conftest import records


class Waiting:
    """The oracle, behind a task that lives as long as its event loop, as a client's connection does."""

    def __init__(self, environment: Environment) -> None:
        self.inner = make_agent("oracle", environment)
        self.queue: asyncio.Queue[tuple[Observation, asyncio.Future[Action]]] | None = None
        self.loops: set[int] = set()

    async def reset(self, seed: int) -> None:
        self.inner.reset(seed)
        self.loops.add(id(asyncio.get_running_loop()))
        if self.queue is None:
            self.queue = asyncio.Queue()
            self.worker = asyncio.create_task(self.work(self.queue))

    async def work(self, queue: asyncio.Queue[tuple[Observation, asyncio.Future[Action]]]) -> None:
        while True:
            observation, answered = await queue.get()
            answered.set_result(self.inner.act(observation))

    async def act(self, observation: Observation) -> Action:
        assert self.queue is not None
        answered: asyncio.Future[Action] = asyncio.get_running_loop().create_future()
        await self.queue.put((observation, answered))
        return await answered


class Failing:
    def __init__(self, environment: Environment) -> None:
        pass

    def reset(self, seed: int) -> None:
        pass

    async def act(self, observation: Observation) -> Action | str:
        await asyncio.sleep(0)
        if observation.turn:
            raise ConnectionError("gone")
        return "<final_answer>"


def same(world: World, environment: Environment, agent: Waiting, loop: EventLoop | None = None) -> bool:
    oracle = make_agent("oracle", environment)
    loop = loop or EventLoop()
    episodes = [rollout(environment, agent, query, loop=loop) for query in world.query]
    expected = [rollout(environment, oracle, query) for query in world.query]
    plain = [[msgspec.structs.replace(e, seconds=0) for e in found] for found in (episodes, expected)]
    return plain[0] == plain[1]


def test_an_async_agent_plays_in_one_loop(mini: World) -> None:
    environment = Environment(mini)
    agent = Waiting(environment)
    assert same(mini, environment, agent)
    assert len(agent.loops) == 1


def test_also_where_a_loop_runs_already(mini: World) -> None:
    async def notebook() -> bool:
        environment = Environment(mini)
        return same(mini, environment, Waiting(environment))

    assert asyncio.run(notebook())


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_of_an_async_agent(mini: World, tmp_path: Path, workers: int) -> None:
    run(mini, tmp_path / "async", agent="tests.runs.test_async:Waiting", workers=workers)
    run(mini, tmp_path / "oracle", agent="oracle")
    assert sorted(records(tmp_path / "async")) == sorted(records(tmp_path / "oracle"))


def test_what_it_raises_is_an_error_of_the_infrastructure(mini: World) -> None:
    environment = Environment(mini)
    episode = rollout(environment, Failing(environment), mini.queries[0].query_id)
    assert (episode.status, episode.cause) == (Status.ERROR, "ConnectionError: gone")
    assert len(episode.turns) == 1


def test_a_sync_agent_makes_no_loop(mini: World) -> None:
    loop, environment = EventLoop(), Environment(mini)
    rollout(environment, make_agent("oracle", environment), mini.queries[0].query_id, loop=loop)
    assert loop._runner is None
