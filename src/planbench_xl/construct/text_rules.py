"""The rules for every text that an agent reads, whoever wrote it. Each check returns what is wrong, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from planbench_xl.construct.domain import Domain, Field
from planbench_xl.construct.falsehoods import Falsehoods
from planbench_xl.construct.grammar import grammar
from planbench_xl.construct.queries import holds_answer
from planbench_xl.judging import normalise
from planbench_xl.retrieval import PhraseMatcher
from planbench_xl.world import Kind, Record, Value, text_form
from planbench_xl.world.wording import ROLE_WORDS, names_pattern, phrase_pattern

DESCRIPTION = (30, 600)
MESSAGE = (12, 200)
REQUEST = (20, 480)
"""Least and most characters of each kind of text; the packaged templates stay within."""

USUAL_SIGNS = 12
"""So many signs of a flaw are named to who left it out."""

_TOOL_NAME = re.compile(r"\bget_\w+_from_\w+", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`]*)`")


def tidy(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


class TextRules:
    """Checks texts one after the other; no description or request passes twice."""

    def __init__(self, domain: Domain, records: Sequence[Record]) -> None:
        self._domain = domain
        self._falsehoods = Falsehoods(domain, records)
        self._datatypes = {name: domain.datatype(field, None) for name, field in domain.fields.items()}
        self._matcher = PhraseMatcher(list(self._datatypes.values()))
        self._names = names_pattern(domain.fields)
        signs = grammar().signs
        self._disclosing = {kind: _pattern(found) for kind, found in signs.items()}
        # What the domain itself says is no hint at a flaw.
        own = " ".join(_words(domain))
        self._flawed = _pattern(sign for found in signs.values() for sign in found if not _pattern([sign]).search(own))
        self._told: set[str] = set()

    def description(
        self, text: str, phrase: str, *, arguments: Iterable[str], output: str, flaw: Kind | None = None
    ) -> str:
        """Check the description of a tool that returns a datatype.

        Args:
            text: The description.
            phrase: The words in it that say what the tool returns.
            arguments: Names of its arguments.
            output: The datatype.
            flaw: The kind of distractor that it is, if it is one.
        """
        said = tidy(phrase).casefold().strip(" .,;:")
        if said not in text.casefold():
            return f"`returns` is '{phrase}', which the text doesn't say word for word"
        field = self._domain.fields[output]
        if len(said.split()) < 2 or self._matcher.match(said) != output:
            return (
                f"'{phrase}' is not what a search for {field.says[0]} would understand; use words like "
                f"'{field.says[0]}' or '{field.aliases[0]}'"
            )
        return self._described(text, arguments, flaw)

    def misleading(self, text: str, *, arguments: Iterable[str], name: str, says: str) -> str:
        """Check the description of a tool that honestly returns something else: its name and a phrase for it."""
        plain = text.casefold()
        if says.casefold() not in plain and name.replace("_", " ") not in plain:
            return f"doesn't say that '{says}' is what it returns"
        return self._described(text, arguments, None)

    def message(self, text: str, output: str) -> str:
        """Check the message of a tool that fails, in place of a datatype."""
        if len(text.split()) < 3:
            return "is no message of at least three words"
        if not self._falsehoods.clear(text, output):
            return "holds a value that is true for some case; use no values, or other numbers"
        return self._plain(text, MESSAGE)

    def request(
        self,
        text: str,
        *,
        known: Mapping[str, Value],
        answers: Mapping[str, Value],
        route: Iterable[str],
        draft: str,
    ) -> str:
        """Check a request.

        Args:
            text: The request.
            known: The values that it gives, by datatype.
            answers: The values that it asks for, by datatype.
            route: Datatypes that are found on the way.
            draft: What the templates say; what they give away is allowed.
        """
        plain = text.casefold()
        values = {text_form(value) for value in known.values()}
        quoted = set(_QUOTED.findall(text))
        for name, value in known.items():
            if text_form(value) not in quoted:
                return f"doesn't give the value `{text_form(value)}` in back-ticks, exactly as it is"
            if not self._mentions(plain, name):
                calls = " or ".join(f"'{given}'" for given in self._domain.fields[name].given)
                return f"doesn't say what `{text_form(value)}` is in words that a search understands: {calls}"
        if quoted - values:
            return f"has '{min(quoted - values)}' in back-ticks, which is no value that is known"
        if holds_answer(text, answers.values()):
            return "holds the answer"
        hint = self._hint(text, (*answers, *route), draft)
        if hint:
            return f"says '{hint}', which hints at where the answer is to be searched; ask for it indirectly"
        return self._plain(text, REQUEST) or self._fresh(text)

    def _mentions(self, plain: str, name: str) -> bool:
        """Say whether a text names a datatype by words of the domain file."""
        field = self._domain.fields[name]
        if any(phrase.casefold() in plain for phrase in (*field.aliases, *field.says)):
            return True
        return any(all(part.strip().casefold() in plain for part in given.split("{}")) for given in field.given)

    def _hint(self, text: str, names: Iterable[str], draft: str) -> str:
        """Return an alias of what is to be found, if a text says one that neither the draft nor the question holds."""
        for name in names:
            field = self._domain.fields[name]
            usual = " ".join((draft, *field.asked, *field.question)).casefold()
            aliases = tuple(a for a in field.aliases if " " in a and a.casefold() not in usual)
            match = phrase_pattern(aliases).search(text) if aliases else None
            if match:
                return match[0]
        return ""

    def _described(self, text: str, arguments: Iterable[str], flaw: Kind | None) -> str:
        plain = text.casefold().replace("_", " ")
        for argument in arguments:
            if argument.replace("_", " ").casefold() not in plain:
                return f"doesn't name `{argument.replace('_', ' ')}`, which the tool takes"
        if flaw and not self._disclosing[flaw.value].search(text):
            usual = [sign for sign in grammar().signs[flaw.value] if sign.replace(" ", "").isalpha()][:USUAL_SIGNS]
            return f"doesn't disclose the flaw in words that nobody can overlook, such as {', '.join(usual)}"
        if not flaw and (match := self._flawed.search(text)):
            return f"says '{match[0]}', as if the tool were restricted or flawed; it is neither"
        return self._plain(text, DESCRIPTION) or self._fresh(text)

    def _plain(self, text: str, limits: tuple[int, int]) -> str:
        least, most = limits
        if not least <= len(text) <= most:
            return f"has {len(text)} characters, not {least} to {most}"
        if not text.isprintable():
            return "holds characters that can't be printed"
        for pattern in (self._names, ROLE_WORDS):
            if match := pattern.search(text):
                return f"says '{match[0]}', words that are never used"
        if match := _TOOL_NAME.search(text):
            return f"names a tool, '{match[0]}'"
        return ""

    def _fresh(self, text: str) -> str:
        plain = normalise(text)
        if plain in self._told:
            return "has been written before; each text is different"
        self._told.add(plain)
        return ""

    def keep(self, text: str) -> None:
        """Take note of a text that stays whatever the rules say, so that no other is the same."""
        self._told.add(normalise(text))


def _pattern(signs: Iterable[str]) -> re.Pattern[str]:
    found = "|".join(signs)
    return re.compile(rf"\b(?:{found})" if found else "(?!)", re.IGNORECASE)


def _words(domain: Domain) -> Iterable[str]:
    for entity in domain.entity:
        yield from (entity.noun, entity.register, *(key.because for key in entity.key))
    for field in domain.fields.values():
        yield from _field_words(field)


def _field_words(field: Field) -> Iterable[str]:
    yield from (field.description, *field.also, *field.aliases, *field.says, *field.uses)
    yield from (text for near in field.near for text in (near.name.replace("_", " "), near.says))
