"""Asks a model through Inspect AI: messages, functions and replies in its form, and what became of each call."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

import msgspec
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from inspect_ai.util import LimitExceededError

from planbench_xl.environment.reading import storable
from planbench_xl.episodes.record import Usage
from planbench_xl.harness.conversation import Spoiled
from planbench_xl.harness.journal import Asked
from planbench_xl.harness.price import Price
from planbench_xl.protocols.chat import FunctionCall, FunctionSpec, Message, Reply

CAUSE_LENGTH = 300
SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")
SHORTEST_SECRET = 8

SPOILING = {"content_filter": "content_filter", "model_length": "context_overflow"}
"""Stop reasons that end an episode, and the code words for them."""

_THOUGHTS = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)
_BROKEN = re.compile(r"\AError parsing the following tool call arguments:\n\n(.*)\n\nError details: .*\Z", re.DOTALL)


class InspectPartner:
    """A model of Inspect AI in one conversation.

    Args:
        model: The model.
        messages: The conversation, to be added to.
        config: What differs from the evaluation's own configuration.
        cache: Policy for replies from Inspect's cache; None to always ask.
        price: Price of the model, in place of what Inspect knows of it.

    Attributes:
        limit: The limit of Inspect's that was exceeded, if one was.
        output: The last output of the model.
    """

    def __init__(
        self,
        model: Model,
        messages: list[ChatMessage],
        config: GenerateConfig | None = None,
        cache: CachePolicy | None = None,
        price: Price | None = None,
    ) -> None:
        self.limit: LimitExceededError | None = None
        self.output: ModelOutput | None = None
        self._model = model
        self._messages = messages
        self._config = config or GenerateConfig()
        self._cache = cache
        self._price = price
        self._tools: dict[str, tuple[FunctionSpec, ToolInfo]] = {}
        self._last: Asked | None = None

    def tell(self, message: Message) -> None:
        """Add a message to the conversation."""
        self._messages.append(chat_message(message))

    def hear(self, asked: Asked) -> None:
        """Add a reply of the model to the conversation, with its reasoning, as the provider wants it back."""
        if self.output is not None and asked is self._last:
            self._messages.append(self.output.message)
        else:
            self._messages.append(ChatMessageAssistant.model_validate_json(bytes(asked.message)))

    async def ask(self, functions: Sequence[FunctionSpec]) -> Asked:
        """Ask for the next reply.

        Raises:
            Spoiled: There is none; the cause is free of secrets.
        """
        tools = [self._tool(function) for function in functions]
        try:
            output = await self._model.generate(
                self._messages, tools=tools, config=self._config, cache=self._cache or False
            )
        except LimitExceededError as error:
            self.limit = error
            raise Spoiled(f"{error.type}_limit: {error}") from None
        except Exception as error:
            hide_secrets()
            # Not chained: the request, and what a provider says of it, may hold more than a log should.
            raise Spoiled(cause_of(error)) from None
        self.output = output
        self._last = asked(output, self._price)
        return self._last

    def _tool(self, function: FunctionSpec) -> ToolInfo:
        known = self._tools.get(function.name)
        if known is None or known[0].parameters is not function.parameters:
            parameters = ToolParams.model_validate(function.parameters)
            tool = ToolInfo(name=function.name, description=function.description, parameters=parameters)
            known = self._tools[function.name] = (function, tool)
        return known[1]


def chat_message(message: Message) -> ChatMessage:
    """Return a message in Inspect's form."""
    if message.role == "system":
        return ChatMessageSystem(content=message.content)
    if message.role == "tool":
        return ChatMessageTool(content=message.content, tool_call_id=message.call_id, function=message.function)
    return ChatMessageUser(content=message.content)


def asked(output: ModelOutput, price: Price | None = None) -> Asked:
    """Return what a model replied, in the journal's form."""
    if output.empty:
        return Asked(usage=used(output, Reply(), price), spoiled="provider_error: the response holds no reply")
    message = output.message
    calls = tuple(FunctionCall(call.id, call.function, _arguments(call)) for call in message.tool_calls or ())
    reply = Reply(said(storable(message.text)), calls)
    spoiled = ""
    if output.stop_reason in SPOILING:
        spoiled = clean(f"{SPOILING[output.stop_reason]}: {output.error or message.text or 'no detail given'}")
    body = msgspec.Raw(message.model_dump_json(exclude_none=True).encode("utf-8", "replace"))
    return Asked(reply=reply, message=body, usage=used(output, reply, price), spoiled=spoiled)


def said(text: str) -> str:
    """Return a text without thoughts that a server left at its start, even if they were cut off."""
    return _THOUGHTS.sub("", text, count=1)


def used(output: ModelOutput, reply: Reply, price: Price | None = None) -> Usage:
    """Return what a call took."""
    told = output.usage
    counts = told or ModelUsage()
    cached = counts.input_tokens_cache_read or 0
    usage = Usage(
        calls=1,
        input_tokens=counts.input_tokens + cached + (counts.input_tokens_cache_write or 0),
        output_tokens=counts.output_tokens,
        reasoning_tokens=counts.reasoning_tokens or 0,
        cached_tokens=cached,
        cost=counts.total_cost,
        unmetered=int(told is None),
        parallel_calls=max(0, len(reply.calls) - 1),
        cut_off=int(not output.empty and output.stop_reason == "max_tokens"),
        empty=int(not reply.calls and not reply.text.strip()),
    )
    return usage if price is None else msgspec.structs.replace(usage, cost=price.of(usage))


def _arguments(call: ToolCall) -> str:
    """Return the arguments of a call as JSON, or as the model wrote them if they are none."""
    if call.parse_error is not None:
        found = _BROKEN.match(call.parse_error)
        return storable(found[1] if found else call.parse_error)
    try:
        return msgspec.json.encode(call.arguments).decode()
    except (ValueError, RecursionError, OverflowError, TypeError) as error:
        return storable(f"arguments that can't be written as JSON: {error}")


def cause_of(error: BaseException) -> str:
    """Return an exception of a provider as a cause: a code word, then the detail."""
    names = {kind.__name__ for link in _chain(error) for kind in type(link).__mro__}
    code = "provider_error"
    if any("Timeout" in name for name in names):
        code = "time_out"
    elif "ModelRefusalError" in names:
        code = "content_filter"
    detail = getattr(error, "provider_message", None) or str(error).strip() or "no detail given"
    return clean(f"{code}: {type(error).__name__}: {detail}")


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def clean(text: str) -> str:
    """Return a text as a cause can hold it: short, on one line, without secrets of the environment."""
    return " ".join(hidden(storable(text)).split())[:CAUSE_LENGTH]


def hidden(text: str) -> str:
    """Return a text with every value of the environment that looks like a secret by its name blotted out."""
    for secret in secrets():
        text = text.replace(secret, "***")
    return text


def hide_secrets() -> None:
    """Blot secrets out of the running sample's record of failed calls: some providers repeat the key they refuse."""
    for event in transcript().events:
        if isinstance(event, ModelEvent) and event.error is not None and holds_secret(event.model_dump_json()):
            event.error = hidden(event.error)
            event.traceback = event.traceback_ansi = None
            if event.call is not None:
                event.call.response = json.loads(hidden(json.dumps(event.call.response)))
            # What was written for viewers of the running evaluation is replaced too.
            transcript()._event_updated(event)


def holds_secret(text: str) -> bool:
    """Say whether a text holds a secret of the environment."""
    return any(secret in text for secret in secrets())


def secrets() -> list[str]:
    """Return the values of the environment that are secrets by their names, the longest first."""
    named = (value for name, value in os.environ.items() if any(word in name.upper() for word in SECRET_NAMES))
    return sorted({value for value in named if len(value) >= SHORTEST_SECRET}, key=len, reverse=True)
