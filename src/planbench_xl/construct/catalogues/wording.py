"""Words a draft: aliases, descriptions, requests. No phrase stands for two fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from planbench_xl.construct.catalogues.names import a, words
from planbench_xl.construct.catalogues.unify import DESCRIBED, Merged
from planbench_xl.construct.catalogues.values import Made
from planbench_xl.construct.catalogues.words import material
from planbench_xl.construct.domain import Field, Near

ALIASES, SAYS, USES = 6, 2, 2


class Wording:
    """Gives out phrases, each once."""

    def __init__(self) -> None:
        self._frames = material().frames
        self._taken: set[str] = set()
        self._near = self._nears()

    def field(self, name: str, entity: str, merged: Merged, made: Made, *, known: bool, unique: bool) -> Field:
        """Word a field.

        Args:
            name: Its internal name.
            entity: What people call its entity.
            merged: The field.
            made: How its values are made.
            known: A request can give it.
            unique: No two instances share a value.
        """
        frames, label = self._frames, _spoken(merged.label)
        return Field(
            name=name,
            make=made.make,
            description=self._description(merged, entity, label),
            aliases=self._phrases(frames.aliases, ALIASES, label, entity),
            says=self._phrases(frames.says, SAYS, label, entity),
            uses=tuple(_rotated(_fill(frames.uses, label, entity), len(self._taken))[:USES]),
            near=self._neighbours(label, entity),
            given=self._phrases(frames.given, 2, label, entity) if known else (),
            asked=tuple(_fill(frames.asked, label, entity)) if made.many else (),
            question=tuple(_fill(frames.question, label, entity)) if made.many else (),
            unique=unique,
        )

    def identifier(self, name: str, entity: str, merged: Merged, made: Made) -> Field:
        """Word the field that identifies an entity."""
        frames, label = self._frames, _spoken(merged.label)
        return Field(
            name=name,
            make=made.make,
            description=self._description(merged, entity, label),
            aliases=self._phrases(frames.identifiers, ALIASES, label, entity),
            says=self._phrases(frames.identifier_says, SAYS, label, entity),
            uses=tuple(_fill(frames.identifier_uses, label, entity)),
            near=self._neighbours(label, entity),
            given=self._phrases(frames.given, 2, label, entity),
            unique=True,
        )

    def _neighbours(self, label: str, entity: str) -> tuple[Near, ...]:
        """Return the field that misleading tools give in place of this one."""
        name, says = next(self._near)
        return (Near(f"{entity.replace(' ', '_')}_{name}", _slots(says, label, entity), "NR-{d5}"),)

    def _phrases(self, frames: Iterable[str], wanted: int, label: str, entity: str) -> tuple[str, ...]:
        """Fill so many frames with words that nothing else is called."""
        found: list[str] = []
        numbered = (f"{frame} {number}" for number in count(2) for frame in frames)
        for frame in (*frames, *(next(numbered) for _ in range(200))):
            text = _slots(frame, label, entity)
            if len(found) < wanted and self._claim(text):
                found.append(text)
        return tuple(found)

    def _claim(self, text: str) -> bool:
        key = " ".join(words(text.replace("{}", "")))
        if key in self._taken:
            return False
        self._taken.add(key)
        return True

    def _description(self, merged: Merged, entity: str, label: str) -> str:
        told = merged.slot.description
        if len(told.split()) > 2 and len(told) <= DESCRIBED and self._claim(told):
            return told if told.endswith((".", "!", "?", "…")) else f"{told}."
        return self._phrases(("The {f} of one {e}.",), 1, label, entity)[0]

    def _nears(self) -> Iterator[tuple[str, str]]:
        while True:
            yield from material().near.items()


def _spoken(label: str) -> str:
    """Return how a field is spoken of: an `id` is a number of some kind, and no word."""
    return {"uid": "id", "uuid": "id", "guid": "id", "no": "number", "ref": "reference"}.get(label, label)


def _slots(frame: str, label: str, entity: str) -> str:
    return frame.replace("{ae}", a(entity)).replace("{e}", entity).replace("{f}", label)


def _fill(frames: Iterable[str], label: str, entity: str) -> Iterator[str]:
    return (_slots(frame, label, entity) for frame in frames)


def _rotated(texts: Iterable[str], by: int) -> list[str]:
    found = list(texts)
    return found[by % len(found) :] + found[: by % len(found)]
