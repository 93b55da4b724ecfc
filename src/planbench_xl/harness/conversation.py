"""The conversation of one episode: a model and an environment, with a protocol between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import msgspec

from planbench_xl.environment import Environment
from planbench_xl.episodes.record import Usage
from planbench_xl.harness.ahead import Ahead
from planbench_xl.harness.journal import Asked, Journal
from planbench_xl.protocols.chat import ChatProtocol, FunctionSpec, Message


class Spoiled(Exception):
    """Something that isn't the model's doing ended the episode; the text is a code word, then the detail."""


class Stopped(Exception):
    """The run is to end now; the episode stays unfinished, and is continued by the next run."""


class Partner(Protocol):
    """The model as a conversation sees it: it holds the messages so far."""

    def tell(self, message: Message) -> None:
        """Add a message to the conversation."""

    def hear(self, asked: Asked) -> None:
        """Add a reply of the model to the conversation."""

    async def ask(self, functions: Sequence[FunctionSpec]) -> Asked:
        """Ask for the next reply; it isn't added yet.

        Raises:
            Spoiled: There is none.
        """


class Conversation:
    """Plays one episode. `play` may be called once.

    Args:
        environment: The environment; it is reset.
        protocol: The protocol.
        partner: The model.
        journal: Where replies are written down, and from where a conversation is taken up.
        token_limit: Number of tokens, read and written, that ends the episode.
        check: Called with what each new reply took, and with None before each is asked for; it may raise `Stopped`.
        ahead: Asked before every step.

    Attributes:
        usage: What has been used so far.
    """

    def __init__(
        self,
        environment: Environment,
        protocol: ChatProtocol,
        partner: Partner,
        journal: Journal,
        *,
        token_limit: int | None = None,
        check: Callable[[Usage | None], None] | None = None,
        ahead: Ahead | None = None,
    ) -> None:
        self.environment = environment
        self.usage = Usage(cost=0.0)
        self._protocol = protocol
        self._partner = partner
        self._journal = journal
        self._token_limit = token_limit
        self._check = check or _pass
        self._ahead = ahead

    async def play(self, query_id: str) -> None:
        """Play the episode of a query to its end.

        Raises:
            Spoiled: It can't go on.
            Stopped: It is not to go on now.
        """
        for message in self._protocol.opening(self.environment.reset(query_id)):
            self._partner.tell(message)
        for asked in self._journal.read():
            self.usage = total((self.usage, asked.usage))
            if not asked.spoiled:
                await self._take(asked)
        while self.environment.status is None:
            await self._turn()

    async def _turn(self) -> None:
        self._check(None)
        if self._token_limit is not None and self.usage.tokens >= self._token_limit:
            raise Spoiled(f"token_limit: {self.usage.tokens} tokens used, {self._token_limit} allowed")
        asked = await self._partner.ask(self._protocol.functions())
        self._journal.add(asked)
        self.usage = total((self.usage, asked.usage))
        self._check(asked.usage)
        if asked.spoiled:
            raise Spoiled(asked.spoiled)
        await self._take(asked)

    async def _take(self, asked: Asked) -> None:
        """Take the steps of a reply, one turn each, in the order given, until the episode is over."""
        if self.environment.status is not None:
            return
        self._partner.hear(asked)
        for step in self._protocol.read(asked.reply):
            if self._ahead is not None:
                await self._ahead.ask(step.action)
            observation = self.environment.step(step.action)
            self._partner.tell(self._protocol.respond(observation, step))
            if observation.done:
                break


def total(usages: Iterable[Usage]) -> Usage:
    """Return what several calls or episodes took together; its cost is unknown if one of theirs is."""
    usages = list(usages)
    names = [name for name in Usage.__struct_fields__ if name != "cost"]
    counts = {name: sum(getattr(usage, name) for usage in usages) for name in names}
    costs = [usage.cost for usage in usages]
    return msgspec.structs.replace(Usage(**counts), cost=None if None in costs else sum((c for c in costs if c), 0.0))


def _pass(usage: Usage | None) -> None:
    """Let the episode go on."""
