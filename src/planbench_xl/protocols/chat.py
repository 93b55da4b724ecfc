"""What a protocol is: between a model's replies and the environment's actions and observations.

A driver asks the model with the messages so far and the functions now on offer, reads the reply into steps, takes each
step as one turn, and adds the message that answers it. A protocol holds nothing but what it has shown in the episode
that `opening` began.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from planbench_xl.environment import Action, Observation


class FunctionCall(msgspec.Struct, frozen=True):
    """A call of a function in a model's reply.

    Attributes:
        id: What the provider calls it.
        name: Name of the function.
        arguments: The arguments as JSON text, as the model wrote them (broken or not).
    """

    id: str
    name: str
    arguments: str


class Reply(msgspec.Struct, frozen=True):
    """A model's reply: its text without reasoning, and its function calls in order."""

    text: str = ""
    calls: tuple[FunctionCall, ...] = ()


class FunctionSpec(msgspec.Struct, frozen=True):
    """A function that a model is offered; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, object]


class Message(msgspec.Struct, frozen=True):
    """A chat message to a model. One with the role `tool` answers the function call `call_id`."""

    role: Literal["system", "user", "tool"]
    content: str
    call_id: str = ""
    function: str = ""


class Step(msgspec.Struct, frozen=True):
    """One action that a reply holds, and the function call that it came from, if it came from one."""

    action: Action
    call: FunctionCall | None = None


class ChatProtocol(Protocol):
    """Words observations for a model and reads its replies. `name` has a version: it grows with a change of rules."""

    @property
    def name(self) -> str:
        """Name and version, as episodes record it."""

    def opening(self, observation: Observation) -> list[Message]:
        """Begin an episode: return the messages that open the conversation (system prompt, query)."""

    def functions(self) -> list[FunctionSpec]:
        """Return the functions on offer now; empty where actions are written as text."""

    def read(self, reply: Reply) -> list[Step]:
        """Return the steps that a reply holds, in order, one turn each: at least one, if only an invalid action."""

    def respond(self, observation: Observation, step: Step) -> Message:
        """Return the message that tells the model what came of a step."""

    def parse(self, raw: str) -> Action:
        """Return the action that a turn's recorded `raw` text stands for: so any episode can be replayed."""
