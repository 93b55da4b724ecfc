"""Asks a model for structured replies, and remembers them: the same question is never paid for twice."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Protocol

import msgspec

from planbench_xl.construct.errors import CompletionError

PROMPTS = Path(__file__).parent / "prompts"
REPLIES = "replies.jsonl"


class Prompt(msgspec.Struct, frozen=True):
    """A question to a model.

    Attributes:
        id: What it is about; the same in every build of one recipe.
        system: The instructions.
        user: The facts, as JSON.
        schema: JSON Schema of the reply, as JSON. The instructions hold it too.
        attempt: How often it was asked before. The reply to a prompt asked again is another one.
    """

    id: str
    system: str
    user: str
    schema: str
    attempt: int = 0

    def key(self, model: str) -> str:
        """Return the SHA-256 over everything that the reply depends on."""
        parts = [model, self.system, self.user, self.schema, self.attempt]
        return sha256(msgspec.json.encode(parts)).hexdigest()


Arrived = Callable[[Prompt, str], None]
"""Told each reply as it arrives."""


class Completer(Protocol):
    """A model that replies. All prompts are handed over at once, so that they can go out together."""

    @property
    def model(self) -> str:
        """Name of the model."""

    def complete(self, prompts: Sequence[Prompt], arrived: Arrived) -> None:
        """Get a reply to each prompt, in whatever order.

        Raises:
            CompletionError: The model can't be asked, or failed; what arrived before has been told.
        """


class Guide(msgspec.Struct, frozen=True):
    """The instructions for one kind of question, and the form of its reply.

    Attributes:
        system: The instructions, with the schema in them.
        schema: JSON Schema of the reply, as JSON.
    """

    system: str
    schema: str


@cache
def guide(name: str) -> Guide:
    """Return the packaged instructions `prompts/NAME.md`, with the schema `prompts/NAME.json`."""
    schema = (PROMPTS / f"{name}.json").read_text(encoding="utf-8").strip()
    text = (PROMPTS / f"{name}.md").read_text(encoding="utf-8").strip()
    return Guide(Template(text).substitute(schema=schema), schema)


class _Reply(msgspec.Struct, frozen=True):
    """A line of the cache."""

    key: str
    model: str
    prompt: str
    reply: str


class Remembering:
    """A completer with a memory: an append-only file of JSON Lines, one for each reply, written as it arrives.

    Attributes:
        path: The file.
        made: Number of calls made.
        remembered: Number of replies found in the file.
    """

    def __init__(self, inner: Completer, folder: Path) -> None:
        self._inner = inner
        self.path = folder / REPLIES
        self.made = 0
        self.remembered = 0
        self._replies = _read(self.path)

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._inner.model

    def complete(self, prompts: Sequence[Prompt], arrived: Arrived) -> None:
        """Reply from the file where it can; ask for the rest."""
        missing = []
        for prompt in prompts:
            reply = self._replies.get(prompt.key(self.model))
            if reply is None:
                missing.append(prompt)
            else:
                self.remembered += 1
                arrived(prompt, reply)
        if not missing:
            return

        def keep(prompt: Prompt, reply: str) -> None:
            self.made += 1
            self._keep(prompt, reply)
            arrived(prompt, reply)

        self._inner.complete(missing, keep)

    def _keep(self, prompt: Prompt, reply: str) -> None:
        key = prompt.key(self.model)
        line = msgspec.json.encode(_Reply(key, self.model, prompt.id, reply)) + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(line)
        except OSError as error:
            raise _unusable(self.path, error) from error
        self._replies[key] = reply


def _read(path: Path) -> dict[str, str]:
    """Return the replies of a cache by key; a torn last line is cut off."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unusable(path, error) from error
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        try:
            os.truncate(path, len(whole))
        except OSError as error:
            raise _unusable(path, error) from error
    found = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            entry = msgspec.json.decode(line, type=_Reply)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problem = (
                f"{path}, line {number}: is no reply of a model ({error}). Remove the line; it is asked for again."
            )
            raise CompletionError(problem) from error
        found[entry.key] = entry.reply
    return found


def _unusable(path: Path, error: OSError) -> CompletionError:
    return CompletionError(f"{path} can't be used ({error.strerror}). Choose another folder with --cache.")


class Counting:
    """A completer that asks nobody: it counts what a build would ask if every reply were accepted at once.

    Attributes:
        calls: Prompts by kind, the first part of their identifiers.
        characters: Length of these prompts in all.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self.calls: dict[str, int] = {}
        self.characters = 0

    def complete(self, prompts: Sequence[Prompt], arrived: Arrived) -> None:
        """Count, and reply nothing."""
        for prompt in prompts:
            if prompt.attempt == 0:
                kind = prompt.id.partition("/")[0]
                self.calls[kind] = self.calls.get(kind, 0) + 1
                self.characters += len(prompt.system) + len(prompt.user)
            arrived(prompt, "")
