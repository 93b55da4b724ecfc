"""Asks a model for many things, checks each, and asks again for what was refused, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from planbench_xl.construct.completion import Completer, Guide, Prompt
from planbench_xl.world.storage import write_atomically

ATTEMPTS = 3
"""How often one thing is asked for in all."""

REJECTIONS = "rejections.jsonl"
SHOWN = 600
"""So many characters of a refused text are kept and shown to the model."""

Progress = Callable[[int, int], None]
"""Told how many replies have arrived, of how many."""


class Answer(msgspec.Struct, frozen=True):
    """Base of what a model says about one item.

    Attributes:
        id: The item's number on its sheet.
    """

    id: str


R = TypeVar("R", bound=Answer)


class Answers(msgspec.Struct, Generic[R], frozen=True):
    """A whole reply."""

    items: tuple[R, ...]


@dataclass(frozen=True)
class Item(Generic[R]):
    """One thing that is asked for.

    Attributes:
        place: What it is about, for people.
        facts: What the model has to know.
        check: Returns what is wrong with an answer, or nothing. Called in order, once for each answer.
    """

    place: str
    facts: msgspec.Struct
    check: Callable[[R], str]


@dataclass(frozen=True)
class Sheet(Generic[R]):
    """What one prompt asks: items that share facts.

    Attributes:
        id: A unique name, `kind/…`.
        facts: What the model has to know about all of them.
        items: The items.
    """

    id: str
    facts: msgspec.Struct
    items: Sequence[Item[R]]


class Rejection(msgspec.Struct, frozen=True):
    """An answer that was refused.

    Attributes:
        kind: What was asked for: `tools`, `queries`, `lookups`.
        about: The text or candidate in question.
        attempt: The how manieth answer it was, from 1.
        answer: What the model said; empty if its reply could not be read.
        reason: Why it was refused.
        final: No further answer was asked for.
    """

    kind: str
    about: str
    attempt: int
    answer: str
    reason: str
    final: bool


class Tally(msgspec.Struct, frozen=True):
    """What came of asking.

    Attributes:
        model: The model.
        asked: Number of things asked for.
        accepted: How many of them it gave.
        rejected: Number of answers that were refused.
    """

    model: str
    asked: int
    accepted: int
    rejected: int


class _Refused(msgspec.Struct, frozen=True):
    answer: str
    reason: str


class _Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    facts: msgspec.Struct
    refused: tuple[_Refused, ...] = ()


class _Question(msgspec.Struct, frozen=True):
    about: msgspec.Struct
    items: tuple[_Asked, ...]


class Asker:
    """Asks one model, in rounds.

    Attributes:
        rejections: Every answer that was refused, in order.
    """

    def __init__(self, completer: Completer) -> None:
        self._completer = completer
        self.rejections: list[Rejection] = []
        self._asked = 0
        self._accepted = 0

    @property
    def tally(self) -> Tally:
        """What came of it so far."""
        return Tally(self._completer.model, self._asked, self._accepted, len(self.rejections))

    def ask(
        self, guide: Guide, kind: type[R], sheets: Sequence[Sheet[R]], progress: Progress | None = None
    ) -> list[list[R | None]]:
        """Ask for all items of all sheets.

        Args:
            guide: The instructions.
            kind: What an answer is.
            sheets: What to ask.
            progress: Told how far it is.

        Returns:
            The accepted answer to each item of each sheet; None where every attempt was refused.

        Raises:
            CompletionError: The model can't be asked, or failed.
        """
        found: list[list[R | None]] = [[None] * len(sheet.items) for sheet in sheets]
        refused: dict[tuple[int, int], list[_Refused]] = {}
        waiting = [[*range(len(sheet.items))] for sheet in sheets]
        counter = _Counter(progress)
        for attempt in range(ATTEMPTS):
            due = [number for number, left in enumerate(waiting) if left]
            prompts = {
                number: _prompt(guide, sheets[number], waiting[number], refused, number, attempt) for number in due
            }
            replies: dict[str, str] = {}
            counter.add(len(due))

            def arrived(prompt: Prompt, reply: str, replies: dict[str, str] = replies) -> None:
                replies[prompt.id] = reply
                counter.step()

            self._completer.complete(list(prompts.values()), arrived)
            for number in due:
                answers, problem = _read(replies[prompts[number].id], kind)
                open_items, waiting[number] = waiting[number], []
                for place in open_items:
                    item, answer = sheets[number].items[place], answers.get(str(place + 1))
                    reason = item.check(answer) if answer else problem or f"the reply has no item '{place + 1}'"
                    if not reason:
                        found[number][place] = answer
                        continue
                    waiting[number].append(place)
                    said = _said(answer)
                    refused.setdefault((number, place), []).append(_Refused(said, reason))
                    self._reject(sheets[number].id, item.place, attempt, said, reason)
        self._asked += sum(len(sheet.items) for sheet in sheets)
        self._accepted += sum(answer is not None for row in found for answer in row)
        return found

    def _reject(self, sheet: str, about: str, attempt: int, said: str, reason: str) -> None:
        kind = sheet.partition("/")[0]
        self.rejections.append(Rejection(kind, about, attempt + 1, said, reason, attempt + 1 == ATTEMPTS))


class _Counter:
    """Counts replies over all rounds."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._done = 0
        self._total = 0

    def add(self, count: int) -> None:
        self._total += count

    def step(self) -> None:
        self._done += 1
        if self._progress:
            self._progress(self._done, self._total)


def _prompt(
    guide: Guide,
    sheet: Sheet[R],
    places: Iterable[int],
    refused: Mapping[tuple[int, int], Sequence[_Refused]],
    number: int,
    attempt: int,
) -> Prompt:
    items = tuple(
        _Asked(str(place + 1), sheet.items[place].facts, tuple(refused.get((number, place), ()))) for place in places
    )
    user = msgspec.json.encode(_Question(sheet.facts, items)).decode()
    return Prompt(sheet.id, guide.system, user, guide.schema, attempt)


def _read(reply: str, kind: type[R]) -> tuple[dict[str, R], str]:
    """Return the answers in a reply by number, or what is wrong with it. Words around the JSON are passed over."""
    start, end = reply.find("{"), reply.rfind("}")
    if start < 0 or end < start:
        return {}, "the reply holds no JSON object"
    form: Any = Answers[kind]  # type: ignore[valid-type]
    try:
        answers: Answers[R] = msgspec.json.decode(reply[start : end + 1], type=form)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return {}, f"the reply doesn't have the form asked for: {error}"
    return {answer.id: answer for answer in answers.items}, ""


def _said(answer: Answer | None) -> str:
    return "" if answer is None else msgspec.json.encode(answer).decode()[:SHOWN]


def write_rejections(folder: Path, askers: Iterable[Asker]) -> None:
    """Write every refused answer into a folder of stages, one JSON object a line."""
    lines = [msgspec.json.encode(rejection) for asker in askers for rejection in asker.rejections]
    write_atomically(folder / REJECTIONS, b"".join(line + b"\n" for line in lines))
