"""What an agent is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, runtime_checkable

from planbench_xl.environment import Action, Environment, Observation


@runtime_checkable
class Agent(Protocol):
    """Plays episodes, one after the other.

    The driver calls `reset` at the start of each episode, then `act` with every observation until one is `done`. The
    first observation of an episode has the event `query`.
    """

    def reset(self, seed: int) -> None:
        """Forget the last episode. Everything random in the next one must come from `seed`."""

    def act(self, observation: Observation) -> Action | str:
        """Answer an observation with an action, or with tagged text as a model writes it."""


class AsyncAgent(Protocol):
    """An agent that waits for something, such as a model: `act` is `async def`, and `reset` may be.

    All of its episodes are played in one event loop, so what it opened in one (a client, a session) works in the next.
    """

    def reset(self, seed: int) -> Awaitable[None] | None:
        """Forget the last episode. Everything random in the next one must come from `seed`."""

    def act(self, observation: Observation) -> Awaitable[Action | str]:
        """Answer an observation with an action, or with tagged text as a model writes it."""


AnyAgent = Agent | AsyncAgent

AgentFactory = Callable[[Environment], AnyAgent]
"""Makes an agent. It is given the environment that the agent will play, whose rules (limits, retrieval schema) it may
read; an honest agent looks at nothing else in it."""
