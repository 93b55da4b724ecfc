"""Plays one episode: an agent against an environment, and the record of it."""

from __future__ import annotations

import hashlib
import time

from planbench_xl import __version__
from planbench_xl.agents import Agent
from planbench_xl.environment import Action, Environment
from planbench_xl.environment.reading import storable
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.protocols import TEXT_PROTOCOL, TextProtocol

CAUSE_LENGTH = 500


def episode_seed(run_seed: int, query_id: str, epoch: int) -> int:
    """Return the seed that an agent gets for an episode: it depends on nothing else, so order and workers don't matter.

    Returns:
        A number below 2⁴⁸, which every reader of JSON holds exactly.
    """
    digest = hashlib.blake2b(f"{run_seed}|{epoch}|{query_id}".encode(), digest_size=6)
    return int.from_bytes(digest.digest(), "big")


def rollout(
    environment: Environment,
    agent: Agent,
    query_id: str,
    *,
    epoch: int = 0,
    agent_seed: int = 0,
    protocol: TextProtocol | None = None,
    protocol_name: str = TEXT_PROTOCOL,
) -> Episode:
    """Play the episode of a query to its end.

    An exception in the agent ends the episode with status `error` and its type and message as the cause; it never
    counts as the agent's failure. Faults of the world or of this package are raised.

    Args:
        environment: The environment; it is reset.
        agent: The agent; it is reset.
        query_id: The query.
        epoch: Number of the repetition.
        agent_seed: Seed of the run; the agent's seed follows from it by `episode_seed`.
        protocol: Words every observation, as a model would read it. None for speed alone.
        protocol_name: Name of the protocol for the record.

    Raises:
        UsageError: The world has no such query.
    """
    started = time.perf_counter()
    seed = episode_seed(agent_seed, query_id, epoch)
    observation = environment.reset(query_id)
    if protocol is not None:
        protocol.opening(observation)
    cause = None
    action: Action | str
    try:
        agent.reset(seed)
    except Exception as error:
        cause = _cause(error)
    while cause is None and not observation.done:
        try:
            action = agent.act(observation)
        except Exception as error:
            cause = _cause(error)
            break
        if not isinstance(action, Action | str):
            cause = f"the agent returned {type(action).__name__} in place of an action or a text"
            break
        observation = environment.step(action)
        if protocol is not None:
            protocol.message(observation)
    return _record(environment, cause, epoch, seed, protocol_name, time.perf_counter() - started)


def _cause(error: Exception) -> str:
    return storable(f"{type(error).__name__}: {error}")[:CAUSE_LENGTH]


def _record(
    environment: Environment, cause: str | None, epoch: int, seed: int, protocol_name: str, seconds: float
) -> Episode:
    state, plan, setting = environment.state, environment.plan, environment.setting
    plans = (plan, environment.failure_plan)
    status = environment.status
    if status is None:
        status, cause = Status.ERROR, cause or "the episode was not played to its end"
    return Episode(
        query_id=state.query.query_id,
        task_id=state.task.task_id,
        epoch=epoch,
        agent_seed=seed,
        world=environment.world.fingerprint,
        setting=setting.name,
        protocol=protocol_name,
        judge=setting.judge,
        package=__version__,
        status=status,
        reason=environment.reason,
        cause=cause,
        blocked={tool: tuple(map(str, kinds)) for tool, kinds in plan.blocked.items()} if plan else {},
        unresolved=any(not made.resolved for made in plans if made is not None),
        turns=tuple(environment.turns),
        seconds=round(seconds, 6),
    )
