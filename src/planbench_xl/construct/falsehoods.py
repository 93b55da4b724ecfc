"""Wrong values for imitations: typed like true ones often enough to tempt, and true for no record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from planbench_xl.construct.domain import Domain
from planbench_xl.world import Record, Value, text_form

TRIES = 200

RIGHT_LOOKING, UNRELATED = 0.5, 0.25
"""Shares of the values of silently failing tools; the rest can't be true."""


class Falsehoods:
    """Makes values that no record holds for a datatype.

    For what can be asked for they are no part of a true value either, nor the other way round: a judge that looks for
    the right answer within a text must never find it in a wrong one, or a wrong one in it.
    """

    def __init__(self, domain: Domain, records: Sequence[Record]) -> None:
        self._domain = domain
        self._records = records
        self._true: Mapping[str, frozenset[str]] = {
            name: frozenset(text_form(record.values[name]).casefold() for record in records) for name in domain.fields
        }
        self._others = {
            entity.name: [n for n, owner in domain.owner.items() if owner.flow == entity.flow and owner is not entity]
            for entity in domain.entity
        }
        self._lengths = {name: {len(text) for text in texts} for name, texts in self._true.items()}

    def neighbours(self, datatype: str, rng: Random) -> list[str]:
        """Return other fields in a drawn order, those of the same entity first."""
        entity = self._domain.owner[datatype]
        near = [field.name for field in entity.field if field.name != datatype]
        far = self._others[entity.name].copy()
        rng.shuffle(near)
        rng.shuffle(far)
        return near + far

    def of(self, datatype: str, rng: Random) -> Value:
        """Make a value like those of a datatype.

        Where it has few values, all of which are true somewhere, one that can't be true takes its place.
        """
        value = self._like(datatype, datatype, rng)
        return self.impossible(datatype, rng) if value is None else value

    def of_neighbour(self, datatype: str, rng: Random) -> tuple[str, Value]:
        """Make a value like those of a neighbouring field; return the field and the value."""
        for neighbour in self.neighbours(datatype, rng):
            value = self._like(neighbour, datatype, rng)
            if value is not None:
                return neighbour, value
        return datatype, self.impossible(datatype, rng)

    def tempting(self, datatype: str, rng: Random) -> Value:
        """Make what a silently failing tool returns: half of the time it looks right."""
        draw = rng.random()
        if draw < RIGHT_LOOKING:
            return self.of(datatype, rng)
        if draw < RIGHT_LOOKING + UNRELATED:
            return self.of_neighbour(datatype, rng)[1]
        return self.impossible(datatype, rng)

    def impossible(self, datatype: str, rng: Random) -> Value:
        """Make a value that can't be true."""
        maker = self._domain.makers[datatype]
        for _ in range(TRIES):
            value = maker.impossible(rng)
            if self.clear(value, datatype):
                return value
        raise AssertionError(f"no value is false for {datatype}")

    def example(self, datatype: str) -> Value:
        """Make the example that a datatype shows; the same in every world of the domain where no record holds it."""
        return self.of(datatype, Random(f"example||{datatype}"))

    def _like(self, like: str, datatype: str, rng: Random) -> Value:
        """Make a value like those of one field, false for it and for a datatype; None if there seems to be none."""
        maker = self._domain.makers[like]
        for _ in range(TRIES):
            start = rng.choice(self._records).values[maker.base] if maker.base else None
            value = maker.draw(rng, start)
            if text_form(value).casefold() not in self._true[like] and self.clear(value, datatype):
                return value
        return None

    def clear(self, value: Value, datatype: str) -> bool:
        """Say whether a text is false for a datatype, and can't be mistaken for what is true."""
        text = text_form(value).casefold()
        true = self._true[datatype]
        if text in true:
            return False
        if not self._domain.fields[datatype].asked or self._lengths[datatype] == {len(text)}:
            return True  # of texts of one length, none is part of another
        return not any(text in other or other in text for other in true)
