"""Plays one episode: an agent against an environment, and the record of it."""

from __future__ import annotations

import hashlib
import time
import weakref
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TYPE_CHECKING

from planbench_xl import __version__
from planbench_xl.agents import AnyAgent
from planbench_xl.environment import Action, Environment, tags
from planbench_xl.environment.reading import storable
from planbench_xl.episodes.record import Episode, Status, Usage
from planbench_xl.protocols import TEXT_PROTOCOL, ChatProtocol, Step

if TYPE_CHECKING:
    from asyncio import Runner

CAUSE_LENGTH = 500


def episode_seed(run_seed: int, query_id: str, epoch: int) -> int:
    """Return the seed that an agent gets for an episode: it depends on nothing else, so order and workers don't matter.

    Returns:
        A number below 2⁴⁸, which every reader of JSON holds exactly.
    """
    digest = hashlib.blake2b(f"{run_seed}|{epoch}|{query_id}".encode(), digest_size=6)
    return int.from_bytes(digest.digest(), "big")


class EventLoop:
    """Waits for what an async agent returns: in one event loop, which is made when it is first needed."""

    def __init__(self) -> None:
        self._runner: Runner | None = None

    def settle(self, value: object) -> object:
        """Return a value, once it is there."""
        return self._wait(value) if isawaitable(value) else value

    def _wait(self, value: Awaitable[object]) -> object:
        import asyncio

        if self._runner is None:
            self._runner = asyncio.Runner()
            weakref.finalize(self, _apart, self._runner.close)
        runner = self._runner
        return _apart(lambda: runner.run(_awaited(value)))


def _apart(function: Callable[[], object]) -> object:
    """Call a function where no event loop runs: in a thread, if one runs in this (as in a notebook)."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function).result()


async def _awaited(value: Awaitable[object]) -> object:
    return await value


def rollout(
    environment: Environment,
    agent: AnyAgent,
    query_id: str,
    *,
    epoch: int = 0,
    agent_seed: int = 0,
    protocol: ChatProtocol | None = None,
    loop: EventLoop | None = None,
) -> Episode:
    """Play the episode of a query to its end.

    An exception in the agent ends the episode with status `error` and its type and message as the cause; it never
    counts as the agent's failure. Faults of the world or of this package are raised.

    Args:
        environment: The environment; it is reset.
        agent: The agent; it is reset. What its methods return is awaited if it can be.
        query_id: The query.
        epoch: Number of the repetition.
        agent_seed: Seed of the run; the agent's seed follows from it by `episode_seed`.
        protocol: Words every observation, as a model would read it, and gives its name to the record. None for speed
            alone.
        loop: Where an async agent runs; of its own by default. Give the same one for all episodes of an agent.

    Raises:
        UsageError: The world has no such query.
    """
    loop = loop or EventLoop()
    started = time.perf_counter()
    seed = episode_seed(agent_seed, query_id, epoch)
    observation = environment.reset(query_id)
    if protocol is not None:
        protocol.opening(observation)
    cause = None
    try:
        loop.settle(agent.reset(seed))
    except Exception as error:
        cause = cause_of(error)
    while cause is None and not observation.done:
        try:
            returned = loop.settle(agent.act(observation))
        except Exception as error:
            cause = cause_of(error)
            break
        if not isinstance(returned, Action | str):
            cause = f"the agent returned {type(returned).__name__} in place of an action or a text"
            break
        action = tags.parse(returned) if isinstance(returned, str) else returned
        observation = environment.step(action)
        if protocol is not None:
            protocol.respond(observation, Step(action))
    name = TEXT_PROTOCOL if protocol is None else protocol.name
    return record(environment, cause, epoch, seed, name, time.perf_counter() - started)


def cause_of(error: Exception) -> str:
    """Return an exception as the cause of an error."""
    return storable(f"{type(error).__name__}: {error}")[:CAUSE_LENGTH]


def record(
    environment: Environment,
    cause: str | None,
    epoch: int,
    seed: int,
    protocol_name: str,
    seconds: float,
    usage: Usage | None = None,
) -> Episode:
    """Return the record of the episode that an environment holds; one that isn't over is an error with a cause."""
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
        usage=usage,
    )
