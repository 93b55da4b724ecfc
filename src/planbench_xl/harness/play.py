"""Plays the episode of a sample: as a conversation, or by a solver of the user's own."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy

import anyio
import msgspec
from inspect_ai.model import CachePolicy, ChatMessage, GenerateConfig, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from planbench_xl.environment import Environment, Setting
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.episodes.store import Key
from planbench_xl.errors import PlanBenchError
from planbench_xl.harness.ahead import Ahead
from planbench_xl.harness.conversation import Conversation, Spoiled, Stopped
from planbench_xl.harness.keeper import Keeper
from planbench_xl.harness.own_solver import OwnGame, SolverFactory, usage_so_far
from planbench_xl.harness.price import Price
from planbench_xl.harness.provider import InspectPartner
from planbench_xl.protocols.chat import ChatProtocol
from planbench_xl.retrieval import make_retriever
from planbench_xl.runs.rollout import cause_of, record
from planbench_xl.world import World

EPISODE = "planbench_xl:episode"
"""Where a sample's store has the record of its episode."""

EPOCH = "planbench_xl_epoch"
"""Where a sample's metadata has its epoch, if the sample stands for one of a run's (query, epoch) pairs."""

QUERY = "query_id"
"""Where a sample's metadata has its query."""


class EpisodeError(RuntimeError):
    """The infrastructure ended an episode; the text is the cause."""


class Game:
    """What the episodes of an evaluation share.

    Args:
        world: The world.
        setting: The setting.
        protocol: Makes a protocol; each episode has its own.
        protocol_name: Its name, as episodes record it.
        keeper: Keeps the episodes.
        token_limit: Number of tokens that ends an episode.
        time_limit: Number of seconds that ends an episode.
        seed: Seed of sampling for the first epoch; later ones count on from it. None to leave it to the provider.
        cache: Take replies from Inspect's cache, if it has them.
        price: Price of the model, in place of what Inspect knows of it.
        own_solver: Makes the solver that plays in place of the conversation.
    """

    def __init__(
        self,
        world: World,
        setting: Setting,
        protocol: Callable[[], ChatProtocol],
        keeper: Callable[[TaskState], Keeper],
        *,
        token_limit: int | None = None,
        time_limit: float | None = None,
        seed: int | None = None,
        cache: bool = False,
        price: Price | None = None,
        own_solver: SolverFactory | None = None,
    ) -> None:
        self.world = world
        self.setting = setting
        self.protocol = protocol
        self.protocol_name = protocol().name
        self.keeper = keeper
        self.token_limit = token_limit
        self.time_limit = time_limit
        self.seed = seed
        self.cache = cache
        self.price = price
        self.own_solver = own_solver
        retriever = make_retriever(world, setting.retrieval)
        self.ahead = Ahead(world, setting, retriever)
        self._environment = Environment(world, setting, retriever)

    def environment(self) -> Environment:
        """Return an environment for one episode.

        It shares with the others what doesn't change or is found only once: retriever, records, block plans.
        """
        return copy(self._environment)

    def config(self, epoch: int) -> GenerateConfig:
        """Return what is asked for in an epoch in particular."""
        return GenerateConfig(seed=None if self.seed is None else self.seed + epoch)

    def policy(self, epoch: int) -> CachePolicy | None:
        """Return how Inspect's cache is used: replies of one epoch are never those of another."""
        return CachePolicy(expiry=None, per_epoch=False, scopes={"epoch": str(epoch)}) if self.cache else None


def key_of(state: TaskState) -> Key:
    """Return query and epoch of a sample."""
    return str(state.metadata[QUERY]), int(state.metadata.get(EPOCH, state.epoch - 1))


def episode_solver(game: Game) -> Solver:
    """Return the solver that plays the samples of an evaluation.

    What it raises is an error of the infrastructure, or a limit of Inspect's; the episode is kept all the same.
    """

    @solver(name="planbench_xl_episode")
    def play() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            keeper = game.keeper(state)
            try:
                sitting = _Sitting(game, state, generate, keeper)
            except Exception as error:
                keeper.stop(PlanBenchError(f"An episode can't be played: {cause_of(error)}"))
                raise
            await sitting.play()
            return state

        return solve

    return play()


class _Sitting:
    """One sample being played."""

    def __init__(self, game: Game, state: TaskState, generate: Generate, keeper: Keeper) -> None:
        self._game = game
        self._state = state
        self._generate = generate
        self._key = key_of(state)
        self._keeper = keeper
        self._journal = self._keeper.journal(self._key)
        self._messages: list[ChatMessage] = []
        self._environment = game.environment()
        self._protocol = game.protocol()
        config, policy = game.config(self._key[1]), game.policy(self._key[1])
        self._partner = InspectPartner(get_model(), self._messages, config, policy, game.price)
        self._conversation = Conversation(
            self._environment,
            self._protocol,
            self._partner,
            self._journal,
            token_limit=game.token_limit,
            check=self._keeper.check,
            ahead=game.ahead,
        )
        self._limit: LimitExceededError | None = None
        self._started = time.perf_counter()

    async def play(self) -> None:
        """Play the episode, and keep it unless the run is to stop.

        Raises:
            EpisodeError: The infrastructure ended it.
            LimitExceededError: A limit of Inspect's did.
        """
        stored = self._keeper.stored(self._key)
        if stored is not None:
            self._show(stored)
            return
        try:
            cause = await self._cause()
        except PlanBenchError as error:
            self._keeper.stop(error)
            raise
        except anyio.get_cancelled_exc_class():
            # A limit of Inspect's, or the end of the evaluation: which of them isn't known here.
            if self._environment.status is None:
                self._show(self._record("time_limit: stopped from outside"))
            raise
        except EpisodeError:
            raise
        except Exception as error:
            # A fault of this package: going on would cost money for nothing.
            self._keeper.stop(PlanBenchError(f"An episode can't be played: {cause_of(error)}"))
            raise
        episode = self._record(cause)
        self._keeper.store(episode, self._journal)
        self._show(episode)
        if self._limit is not None:
            raise self._limit
        if episode.status is Status.ERROR:
            raise EpisodeError(episode.cause)

    async def _cause(self) -> str | None:
        """Play to the end; return why it was not reached, or None if it was."""
        try:
            with anyio.move_on_after(self._game.time_limit) as scope:
                if self._game.own_solver is None:
                    await self._conversation.play(self._key[0])
                else:
                    await self._play_own(self._game.own_solver)
            if scope.cancelled_caught:
                return f"time_limit: {self._game.time_limit:g} s have passed"
        except Spoiled as error:
            self._limit = self._partner.limit
            return str(error)
        except LimitExceededError as error:
            self._limit = error
            return f"{error.type}_limit: {error}"
        except Stopped:
            raise EpisodeError("stopped: the run ended first; the next one goes on with this episode") from None
        return None

    async def _play_own(self, factory: SolverFactory) -> None:
        self._keeper.check(None)
        own = OwnGame(self._environment, self._protocol, factory, self._game.ahead)
        try:
            state = await own.play(self._state, self._generate, self._key[0])
            self._partner.output = state.output
        finally:
            self._messages[:] = self._state.messages
            self._conversation.usage = usage_so_far(self._game.price)
            self._keeper.spend(self._conversation.usage)

    def _record(self, cause: str | None) -> Episode:
        seconds = time.perf_counter() - self._started
        name, usage = self._game.protocol_name, self._conversation.usage
        return record(self._environment, cause, self._key[1], 0, name, seconds, usage)

    def _show(self, episode: Episode) -> None:
        """Put what was played into the sample, for scorer, log and viewer."""
        state = self._state
        state.messages = self._messages
        if self._partner.output is not None:
            state.output = self._partner.output
        state.completed = True
        state.store.set(EPISODE, msgspec.to_builtins(episode))
