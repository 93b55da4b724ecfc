"""Models of the evaluation framework (Inspect AI) as writers and filters of the construction."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from planbench_xl.construct.completion import Arrived, Prompt
from planbench_xl.construct.errors import CompletionError

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

AT_ONCE = 10
"""Number of prompts under way at the same time."""

SEED = 42
"""Passed to providers that take a seed."""

_MARKUP = re.compile(r"\[/?[a-z ]*\]")


class InspectCompleter:
    """Any model that Inspect AI knows, by its name there (`openai/gpt-5-mini`, `vllm/…`).

    Keys and addresses come from the environment, as Inspect reads them. Inspect also repeats calls that a provider
    turned away for a while.

    Attributes:
        model: Name of the model.
    """

    def __init__(self, model: str, at_once: int = AT_ONCE, **model_args: Any) -> None:
        """Check that the model can be made.

        Args:
            model: Name of the model.
            at_once: Number of prompts under way at the same time.
            model_args: Further arguments of the provider.

        Raises:
            CompletionError: Inspect AI is not installed, or doesn't know the model, or lacks what it needs for it.
        """
        self.model = model
        self._at_once = at_once
        self._model_args = model_args
        if find_spec("inspect_ai") is None:
            raise CompletionError(
                f"A model as a writer or filter ('{model}') needs Inspect AI. Install it: "
                "pip install 'planbench-xl[inspect]'"
            )
        self._open()

    def complete(self, prompts: Sequence[Prompt], arrived: Arrived) -> None:
        """Get a reply to each prompt, several at a time.

        Raises:
            CompletionError: A call failed for good. Those that were under way have been waited for and told.
        """
        asyncio.run(self._complete(prompts, arrived))

    async def _complete(self, prompts: Sequence[Prompt], arrived: Arrived) -> None:
        slots = asyncio.Semaphore(self._at_once)
        failures: list[Exception] = []

        async def ask(model: Model, prompt: Prompt) -> None:
            async with slots:
                if failures:
                    return
                try:
                    reply = await _reply(model, prompt)
                except Exception as error:
                    failures.append(error)
                else:
                    arrived(prompt, reply)

        # A client belongs to the event loop that it was made in, so each batch makes one of its own.
        async with self._open() as model:
            await asyncio.gather(*(ask(model, prompt) for prompt in prompts))
        if failures:
            raise CompletionError(
                f"Model '{self.model}' failed: {_short(failures[0])}. The replies so far are kept; run the same "
                "command again to go on from there."
            ) from failures[0]

    def _open(self) -> Model:
        from inspect_ai.model import GenerateConfig, get_model

        config = GenerateConfig(temperature=0, seed=SEED, max_connections=self._at_once)
        try:
            return get_model(self.model, config=config, memoize=False, **self._model_args)
        except Exception as error:
            raise CompletionError(f"Model '{self.model}' can't be used: {_short(error)}") from error


async def _reply(model: Model, prompt: Prompt) -> str:
    from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser

    messages: list[ChatMessage] = [ChatMessageSystem(content=prompt.system), ChatMessageUser(content=prompt.user)]
    output = await model.generate(messages, config=_form(prompt))
    if output.error:
        raise RuntimeError(output.error)
    return output.completion.encode("utf-8", "replace").decode()


def _form(prompt: Prompt) -> GenerateConfig:
    """Return the configuration that asks for a reply of the prompt's schema, where a provider can be told."""
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    schema = ResponseSchema(name="answers", json_schema=JSONSchema.model_validate_json(prompt.schema), strict=True)
    return GenerateConfig(response_schema=schema)


def _short(error: Exception) -> str:
    """Return what an error says, on one line and cut to a length, without the colours that Inspect puts in."""
    text = " ".join(_MARKUP.sub("", str(error)).split()).removeprefix("ERROR: ") or type(error).__name__
    return text if len(text) <= 400 else f"{text[:400]}…"
