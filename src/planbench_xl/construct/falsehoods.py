"""Wrong values for imitations: typed like true ones often enough to tempt, and true for no record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from planbench_xl.construct.domain import Domain
from planbench_xl.world import Record, Value, text_form

TRIES = 500


class Falsehoods:
    """Makes values that no record holds for a datatype, nor as a part of one, nor with one as a part.

    A judge that looks for the right answer within a text must never find it in a wrong value, or the other way round.
    """

    def __init__(self, domain: Domain, records: Sequence[Record]) -> None:
        self._domain = domain
        self._records = records
        self._true: Mapping[str, frozenset[str]] = {
            name: frozenset(text_form(record.values[name]).casefold() for record in records) for name in domain.fields
        }
        self._lengths = {name: {len(text) for text in texts} for name, texts in self._true.items()}

    def neighbour(self, datatype: str, rng: Random) -> str:
        """Draw another field, of the same entity if it has one."""
        entity = self._domain.owner[datatype]
        own = [field.name for field in entity.field if field.name != datatype]
        return rng.choice(own or [name for name in self._domain.fields if name != datatype])

    def of(self, like: str, datatype: str, rng: Random) -> Value:
        """Make a value like those of one field that is false for a datatype, and for the field itself.

        Where the field has few values, all of which are true somewhere, a value that can't be true takes its place.
        """
        maker = self._domain.makers[like]
        base = maker.base
        for _ in range(TRIES if maker.unique else 40):
            start = rng.choice(self._records).values[base] if base else None
            value = maker.draw(rng, start)
            if self._clear(value, datatype) and self._clear(value, like):
                return value
        for _ in range(TRIES):
            value = maker.impossible(rng)
            if self._clear(value, datatype) and self._clear(value, like):
                return value
        raise AssertionError(f"every value of {like} is true for {datatype}")

    def tempting(self, datatype: str, rng: Random) -> Value:
        """Make what a silently failing tool returns: half of the time it looks right."""
        draw = rng.random()
        if draw < 0.5:
            return self.of(datatype, datatype, rng)
        if draw < 0.75:
            return self.of(self.neighbour(datatype, rng), datatype, rng)
        maker = self._domain.makers[datatype]
        for _ in range(TRIES):
            value = maker.impossible(rng)
            if self._clear(value, datatype):
                return value
        return self.of(datatype, datatype, rng)

    def example(self, datatype: str) -> Value:
        """Make the example that a datatype shows; the same in every world of the domain where no record holds it."""
        return self.of(datatype, datatype, Random(f"example||{datatype}"))

    def _clear(self, value: Value, datatype: str) -> bool:
        text = text_form(value).casefold()
        true = self._true[datatype]
        if text in true:
            return False
        if self._lengths[datatype] == {len(text)}:
            return True  # of texts of one length, none is part of another
        return not any(text in other or other in text for other in true)
