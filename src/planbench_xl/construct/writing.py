"""Writes the texts that agents read. `TemplateWriter` is deterministic and offline; others can take its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from planbench_xl.construct.domain import Domain
from planbench_xl.construct.grammar import Grammar, grammar
from planbench_xl.construct.lookups import Lookup
from planbench_xl.world import Argument, Kind, Value

TRIES = 300


class Writer(Protocol):
    """What the pipeline asks of a writer. All randomness comes from the generator that is passed in."""

    def describe(self, lookup: Lookup, arguments: Sequence[Argument], rng: Random) -> str:
        """Say what a tool looks up and when that is useful."""

    def disclose(self, lookup: Lookup, arguments: Sequence[Argument], kind: Kind, neighbour: str, rng: Random) -> str:
        """Describe a distractor, with its flaw."""

    def mislead(self, lookup: Lookup, arguments: Sequence[Argument], says: str, rng: Random) -> str:
        """Describe honestly a tool that looks up something else."""

    def fail(self, lookup: Lookup, kind: Kind, rng: Random) -> Value:
        """Word what a failing tool returns."""

    def request(self, known: Sequence[tuple[str, Value]], wanted: Sequence[str], rng: Random) -> str:
        """Word a request: datatypes with known values, and the datatypes asked for."""


class TemplateWriter:
    """Fills the frames of the packaged grammar with the words of a domain. No description is given twice."""

    def __init__(self, domain: Domain, material: Grammar | None = None) -> None:
        self._domain = domain
        self._grammar = material or grammar()
        self._told: set[str] = set()

    def describe(self, lookup: Lookup, arguments: Sequence[Argument], rng: Random) -> str:
        """Say what a tool looks up and when that is useful."""
        return self._fresh(lambda: self._plain(lookup, arguments, rng))

    def disclose(self, lookup: Lookup, arguments: Sequence[Argument], kind: Kind, neighbour: str, rng: Random) -> str:
        """Describe a distractor, with its flaw somewhere in the text."""

        def write() -> str:
            first, rest = self._parts(lookup, arguments, rng)
            entity = self._domain.entities[lookup.entity]
            says = rng.choice(self._domain.fields[neighbour].says)
            flaw = _fill(rng.choice(self._grammar.flaws[kind.value]), register=entity.register, neighbour=says)
            parts = (first, flaw, rest) if rng.random() < 0.5 else (first, rest, flaw)
            return " ".join(part for part in parts if part)

        return self._fresh(write)

    def mislead(self, lookup: Lookup, arguments: Sequence[Argument], says: str, rng: Random) -> str:
        """Describe honestly a tool that looks up something else."""
        return self._fresh(lambda: self._what(lookup, arguments, says, rng))

    def fail(self, lookup: Lookup, kind: Kind, rng: Random) -> Value:
        """Word what a failing tool returns: a line, or an object as services send them."""
        frames = {Kind.DEPRECATED: self._grammar.deprecations, Kind.CONDITION_LIMITED: self._grammar.conditions}
        number = rng.randint(101, 9899)
        register = self._domain.entities[lookup.entity].register
        text = _fill(rng.choice(frames.get(kind, self._grammar.failures)), register=register, number=str(number))
        shapes: tuple[Value, ...] = (
            text,
            text,
            text,
            {"error": text},
            {"status": "error", "code": number, "message": text},
            {"ok": False, "error": {"code": f"E{number}", "detail": text}},
            {"result": None, "errors": [text]},
        )
        return rng.choice(shapes)

    def request(self, known: Sequence[tuple[str, Value]], wanted: Sequence[str], rng: Random) -> str:
        """Word a request from a scenario that fits what is asked for."""
        flows = {self._domain.owner[name].flow for name in wanted}
        fitting = [s for s in self._domain.scenario if not s.flows or flows & set(s.flows)]
        scenario = rng.choice(fitting)
        mentions = [rng.choice(self._domain.fields[name].given).replace("{}", f"`{value}`") for name, value in known]
        rng.shuffle(mentions)
        given = mentions[0]
        for number, mention in enumerate(mentions[1:], 2):
            frame = rng.choice(self._grammar.links) if len(mentions) == 2 else "{first}, {second}"
            if len(mentions) > 2 and number == len(mentions):
                frame = "{first} and {second}"
            given = frame.replace("{first}", given).replace("{second}", mention)
        parts = [_capital(rng.choice(scenario.openings).replace("{given}", given)), self._ask(wanted, rng)]
        if scenario.closings and rng.random() < 0.4:
            parts.append(rng.choice(scenario.closings))
        return " ".join(parts)

    def _ask(self, wanted: Sequence[str], rng: Random) -> str:
        fields = [self._domain.fields[name] for name in wanted]
        if len(fields) == 1 and rng.random() < 0.45:
            return rng.choice(fields[0].question)
        asked = " and ".join(rng.choice(field.asked) for field in fields)
        return rng.choice(self._grammar.asks).replace("{asked}", asked)

    def _plain(self, lookup: Lookup, arguments: Sequence[Argument], rng: Random) -> str:
        return " ".join(part for part in self._parts(lookup, arguments, rng) if part)

    def _parts(self, lookup: Lookup, arguments: Sequence[Argument], rng: Random) -> tuple[str, str]:
        field = self._domain.fields[lookup.output]
        first = self._what(lookup, arguments, rng.choice(field.says), rng)
        if lookup.because and rng.random() < 0.6:
            first += f" {lookup.because}"
        register = self._domain.entities[lookup.entity].register
        return first, _fill(rng.choice(self._grammar.purposes), use=rng.choice(field.uses), register=register)

    def _what(self, lookup: Lookup, arguments: Sequence[Argument], says: str, rng: Random) -> str:
        entity = self._domain.entities[lookup.entity]
        frames = self._grammar.lookups if len(arguments) == 1 else self._grammar.lookups_several
        take = [f"`{argument.name.replace('_', ' ')}`" for argument in arguments]
        listed = take[0] if len(take) == 1 else f"{', '.join(take[:-1])} and {take[-1]}"
        return _fill(
            rng.choice(frames),
            take=listed,
            what=says,
            register=entity.register,
            noun=entity.noun,
            a_noun=_article(entity.noun),
        )

    def _fresh(self, write: Callable[[], str]) -> str:
        for _ in range(TRIES):
            text = write()
            if text.casefold() not in self._told:
                self._told.add(text.casefold())
                return text
        raise AssertionError("the frames don't give another description; add `says`, `uses` or frames")


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fill(frame: str, **slots: str) -> str:
    """Fill slots; a slot written with a capital is filled with one."""
    for name, value in slots.items():
        frame = frame.replace(f"{{{name}}}", value).replace(f"{{{name.capitalize()}}}", _capital(value))
    return frame
