"""A session plays one episode: calls of functions in, texts out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

import msgspec

from planbench_xl.environment import Action, Environment, Observation
from planbench_xl.episodes.store import Key
from planbench_xl.errors import StoreError
from planbench_xl.protocols import FunctionCall, FunctionSpec, NativeProtocol, Reply, Step
from planbench_xl.protocols.native import parse_written


class Outcome(msgspec.Struct, frozen=True):
    """What a client is told about a call.

    Attributes:
        text: What the model reads.
        is_error: The call was at fault, or came after the end. A tool that fails or lies makes none.
        list_changed: The functions on offer are others now.
    """

    text: str
    is_error: bool = False
    list_changed: bool = False


class Exchange(msgspec.Struct, frozen=True):
    """A call that was taken, and what the model read then."""

    call: str
    text: str


class Session:
    """One episode, from its start or from where it was left.

    Args:
        environment: The episode's own environment; it is reset.
        protocol: The episode's own protocol.
        key: Query and epoch.
        keep: Keeps a turn's `raw` before it is acted on; what it raises leaves the turn untaken.
        finish: Stores the episode; called when it is over, and at every later call.
        taken: The `raw` of each turn taken before.
        stored: The episode is over and stored.

    Attributes:
        environment: The environment.
        key: Query and epoch.
        opening: Rules and query, as the model reads them first.
        exchanges: All that was said since.

    Raises:
        StoreError: The turns taken before can't be taken again.
    """

    def __init__(
        self,
        environment: Environment,
        protocol: NativeProtocol,
        key: Key,
        *,
        keep: Callable[[str], None],
        finish: Callable[[Session], None],
        taken: Iterable[str] = (),
        stored: bool = False,
    ) -> None:
        self.environment = environment
        self.key = key
        self.exchanges: list[Exchange] = []
        self._protocol = protocol
        self._keep = keep
        self._finish = finish
        self.opening = "\n\n".join(message.content for message in protocol.opening(environment.reset(key[0])))
        for raw in taken:
            if self.over:
                self._refuse()
            self._take(protocol.parse(raw))
        if stored and not self.over:
            self._refuse()

    def _refuse(self) -> None:
        raise StoreError(
            f"Query '{self.key[0]}', epoch {self.key[1]}: its turns can't be taken again in this version of the "
            "package. Go on with the version that began the run, or choose another folder."
        )

    @property
    def over(self) -> bool:
        """Whether the episode is over."""
        return self.environment.status is not None

    @property
    def dynamic(self) -> bool:
        """Whether the functions on offer change."""
        return self._protocol.mode != "call_tool"

    @property
    def protocol_name(self) -> str:
        """Name and version of the protocol, as the episode records it."""
        return self._protocol.name

    def functions(self) -> list[FunctionSpec]:
        """Return the functions on offer now."""
        return self._protocol.functions()

    def call(self, name: str, arguments: Mapping[str, object] | None) -> Outcome:
        """Take a call as one turn, whatever it holds; after the end only say that it is over.

        Raises:
            StoreError: The call can't be written down, and was not taken; or it ended the episode, which can't be
                stored yet: any later call tries again.
        """
        if self.over:
            self._finish(self)
            return Outcome(self.exchanges[-1].text, is_error=True)
        call = FunctionCall("", name, _encode(arguments or {}))
        (step,) = self._protocol.read(Reply(calls=(call,)))
        before = self.functions()
        self._keep(step.action.raw)
        observation = self._take(step.action)
        if self.over:
            self._finish(self)
        is_error = observation.event.startswith("error_")
        return Outcome(self.exchanges[-1].text, is_error, list_changed=self.functions() != before)

    def _take(self, action: Action) -> Observation:
        observation = self.environment.step(action)
        text = self._protocol.respond(observation, Step(action)).content
        written = parse_written(action.raw)
        call = f"{written.function} {written.arguments}" if written else action.raw
        self.exchanges.append(Exchange(call, text))
        return observation


def _encode(arguments: Mapping[str, object]) -> str:
    """Return arguments as JSON text; what has none becomes text that isn't JSON, which the game counts as an error."""
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return ""
