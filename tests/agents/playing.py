"""Plays episodes in the agents' tests."""

from __future__ import annotations

from planbench_xl.agents import Agent, make_agent
from planbench_xl.blocking import BlockingConfig
from planbench_xl.environment import Environment, Setting
from planbench_xl.episodes.record import Status
from planbench_xl.world import Kind, World


def blocked(*kinds: Kind, **more: object) -> Setting:
    """Return a setting that leaves one path."""
    chosen = {"kinds": kinds} if kinds else {}
    return Setting(blocking=BlockingConfig(enabled=True, **chosen, **more))  # type: ignore[arg-type]


def play(environment: Environment, agent: Agent, query_id: str, seed: int = 0) -> bool:
    """Play an episode and say whether it was a success."""
    observation = environment.reset(query_id)
    agent.reset(seed)
    while not observation.done:
        observation = environment.step(agent.act(observation))
    return environment.status is Status.SUCCESS


def accuracy(world: World, setting: Setting, name: str, every: int = 1) -> float:
    """Return the share of queries that an agent answers."""
    environment = Environment(world, setting)
    agent = make_agent(name, environment)
    queries = world.queries[::every]
    return sum(play(environment, agent, query.query_id, i) for i, query in enumerate(queries)) / len(queries)
