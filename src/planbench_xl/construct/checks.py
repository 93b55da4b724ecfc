"""Finds what is wrong with a domain file beyond the types of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from planbench_xl.construct.domain import LEAST_ALIASES, MOST_ALIASES, Domain, Field, Of
from planbench_xl.construct.makers import parse_maker
from planbench_xl.errors import Fault

MAX_INPUTS = 5

Found = Iterator[tuple[str, str, str, str]]
"""Entry, field, problem and remedy of each fault."""

_NAME = re.compile(r"[a-z][a-z0-9_]*$")
_PHRASE = re.compile(r"[a-z0-9][a-z0-9 ]*$")


def check_domain(domain: Domain, file: str) -> list[Fault]:
    """Return every fault of a domain file; an empty list means that worlds can be built from it."""
    found = [*_head(domain), *_entities(domain), *_fields(domain), *_keys(domain), *_branches(domain)]
    if not found:
        found += [*_bases(domain), *_leaks(domain), *_phrases(domain)]
    return [Fault(file, *fault) for fault in found]


def _closest(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f" (closest: '{near[0]}')" if near else ""


def _head(domain: Domain) -> Found:
    for field in ("name", "version", "domain", "overview"):
        if not getattr(domain, field).strip():
            yield "", field, "is empty", "Give it a text"
    if not domain.entity:
        yield "", "entity", "is empty", "Describe at least two entities"
    if not any(not scenario.flows for scenario in domain.scenario):
        yield "", "scenario", "has none without `flows`", "Add one that fits every target"
    for number, scenario in enumerate(domain.scenario, 1):
        for text in scenario.openings:
            if text.count("{given}") != 1:
                problem = f"'{text}' holds {{given}} {text.count('{given}')} times"
                yield f"scenario {number}", "openings", problem, "Write {given} once, where the known values go"
        flows = sorted({entity.flow for entity in domain.entity})
        for flow in scenario.flows:
            if flow not in flows:
                problem = f"'{flow}' is no entity's flow{_closest(flow, flows)}"
                yield f"scenario {number}", "flows", problem, f"Use one of: {', '.join(flows)}"


def _entities(domain: Domain) -> Found:
    seen: list[str] = []
    names = [entity.name for entity in domain.entity]
    for entity in domain.entity:
        place = f"entity '{entity.name}'"
        if entity.name in seen:
            yield place, "name", "is used twice", "Rename one of them"
        if not entity.field:
            yield place, "field", "is empty", "Give it at least the field that identifies it"
        if entity.of is None and seen:
            yield place, "of", f"is missing, and '{seen[0]}' is the entity of each record", "Say what it depends on"
        if entity.of is not None:
            yield from _of(place, entity.of, seen)
        for other in entity.leads_to:
            if other not in names or other == entity.name:
                problem = f"'{other}' is not another entity{_closest(other, names)}"
                yield place, "leads_to", problem, f"Use one of: {', '.join(names)}"
        seen.append(entity.name)


def _of(place: str, of: Of, seen: list[str]) -> Found:
    for part in ("entity", "within", "apart"):
        name = getattr(of, part)
        if name and name not in seen:
            problem = f"'{name}' is not an entity declared before this one{_closest(name, seen)}"
            yield place, f"of.{part}", problem, f"Use one of: {', '.join(seen) or 'none; this must come later'}"
    if of.group and of.pool:
        yield place, "of", "has both `group` and `pool`", "Keep one of them"
    if of.group and not 1 <= of.group[0] <= of.group[1]:
        yield place, "of.group", "is not a least and a most number", "Write for instance [1, 3]"
    if of.pool is not None and of.pool < 1:
        yield place, "of.pool", "is below 1", "Say how many share one instance on average"


def _fields(domain: Domain) -> Found:
    taken: dict[str, str] = {}
    names: set[str] = set()
    for entity, field in domain.pairs():
        place = f"entity '{entity.name}', field '{field.name}'"
        if not _NAME.match(field.name):
            yield place, "name", "is not made of lower-case words joined by underscores", "Rename it"
        if field.name in names:
            yield place, "name", "is used twice", "Rename one of them"
        names.add(field.name)
        yield from _make(place, "make", field.make, domain)
        yield from _words(place, field)
        for alias in field.aliases:
            other = taken.setdefault(alias.lower(), field.name)
            if other != field.name:
                yield place, "aliases", f"'{alias}' is an alias of '{other}' too", "Keep it at one of them"
        for near in field.near:
            if not _NAME.match(near.name):
                yield place, "near", f"'{near.name}' is not made of lower-case words", "Rename it"
            if near.name in domain.fields or near.name.replace("_", " ") in taken:
                yield place, "near", f"'{near.name}' is a datatype of the domain", "Name something else"
            yield from _make(place, "near", near.make, domain)
        if field.apart and field.apart not in domain.entities:
            yield place, "apart", f"'{field.apart}' is not an entity", f"Use one of: {', '.join(domain.entities)}"


def _make(place: str, where: str, make: str, domain: Domain) -> Found:
    try:
        parse_maker(make, domain.words)
    except ValueError as error:
        yield place, where, str(error), "Correct the line; docs/building.md lists the forms"


def _words(place: str, field: Field) -> Found:
    if not LEAST_ALIASES <= len(set(field.aliases)) <= MOST_ALIASES:
        problem = f"has {len(set(field.aliases))} different entries"
        yield place, "aliases", problem, f"Write {LEAST_ALIASES} to {MOST_ALIASES} names that people use"
    for alias in field.aliases:
        if not _PHRASE.match(alias):
            yield place, "aliases", f"'{alias}' is not made of lower-case words", "Names of tools are made of it"
    for part, least in (("says", 1), ("uses", 1), ("near", 1)):
        if len(getattr(field, part)) < least:
            yield place, part, "is empty", "Write at least one entry"
    for text in field.given:
        if text.count("{}") != 1:
            yield place, "given", f"'{text}' doesn't hold {{}} once", "Write {} where the value goes"
    if bool(field.asked) != bool(field.question):
        yield place, "asked", "and `question` must come together", "Write the one that is missing"


def _leaks(domain: Domain) -> Found:
    """No text of the file says an internal name."""
    spoken = _Spoken(field.name.replace("_", " ") for field in domain.fields.values() if "_" in field.name)
    for entity, field in domain.pairs():
        place = f"entity '{entity.name}', field '{field.name}'"
        for part in ("aliases", "also", "says", "uses", "given", "asked", "question"):
            for text in getattr(field, part):
                if match := spoken.search(text):
                    problem = f"'{text}' says '{match[0]}', the internal name of a field"
                    yield place, part, problem, "Agents would read it; rename that field"
        near = [text for other in field.near for text in (other.name.replace("_", " "), other.says)]
        for text in (field.description, *near):
            if match := spoken.search(text):
                problem = f"'{text}' says '{match[0]}', the internal name of a field"
                yield place, "", problem, "Agents would read it; rename that field"


class _Spoken:
    """Finds phrases in texts; a pattern of them all would be tried at every place of every text."""

    def __init__(self, phrases: Iterable[str]) -> None:
        patterns = {phrase: re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE) for phrase in phrases}
        self._phrases = {" ".join(phrase.split()): pattern for phrase, pattern in patterns.items()}
        self._lengths = sorted({len(phrase.split()) for phrase in self._phrases})

    def search(self, text: str) -> re.Match[str] | None:
        """Return where the first phrase stands in a text."""
        words = re.findall(r"\w+", text.casefold())
        runs = (" ".join(words[at : at + length]) for at in range(len(words)) for length in self._lengths)
        found = [match for run in runs if run in self._phrases and (match := self._phrases[run].search(text))]
        return min(found, key=re.Match.start, default=None)


def _keys(domain: Domain) -> Found:
    for entity in domain.entity:
        for number, key in enumerate(entity.key, 1):
            place = f"entity '{entity.name}', key {number}"
            if not 1 <= len(key.fields) <= MAX_INPUTS or len(set(key.fields)) != len(key.fields):
                yield place, "fields", "are not one to five different fields", "Name one to five"
            for name in key.fields:
                if name not in domain.fields:
                    problem = f"'{name}' is not a field{_closest(name, list(domain.fields))}"
                    yield place, "fields", problem, "Correct the name or declare the field"
                elif entity.field and name == entity.identifier.name:
                    yield place, "fields", "hold the entity's own identifier", "Leave it out"


def _branches(domain: Domain) -> Found:
    """What a domain says about its branches; their texts are checked when it is widened."""
    branches = domain.branches
    if branches is None:
        return
    for name in branches.names:
        if not _PHRASE.match(name.lower()):
            yield "branches", "names", f"'{name}' is not made of words", "Names of tools are made of it"
    if len({name.lower() for name in branches.names}) < max(2, len(branches.names)):
        yield "branches", "names", "are not two or more different names", "Name every branch once"
    if branches.overview.count("{names}") != 1:
        yield "branches", "overview", "doesn't hold {names} once", "Write {names} where the branches are listed"
    bridge = branches.bridge
    if not bridge.field:
        yield "branches.bridge", "field", "is empty", "Give it at least the field that identifies it"
    if bridge.of is not None or bridge.leads_to or bridge.key:
        problem = "has `of`, `leads_to` or keys; the first entity of a branch leads to it, and it leads to the next one"
        yield "branches.bridge", "", problem, "Leave them out"
    taken = {*domain.entities, *domain.fields}
    for name in (bridge.name, *(field.name for field in bridge.field)):
        if name in taken:
            yield "branches.bridge", "name", f"'{name}' is used twice", "Rename one of them"


def _bases(domain: Domain) -> Found:
    """A field that starts from another one comes after it."""
    seen: set[str] = set()
    for entity, field in domain.pairs():
        base = domain.makers[field.name].base
        if base is not None and base not in seen:
            problem = f"starts from '{base}', which is not a field declared before this one"
            place = f"entity '{entity.name}', field '{field.name}'"
            yield place, "make", problem, f"Correct the name{_closest(base, sorted(seen))} or move the field"
        seen.add(field.name)


def _phrases(domain: Domain) -> Found:
    """Retrieval takes every alias, description and phrase of tool descriptions for its own field."""
    for entity, field in domain.pairs():
        texts = [(part, text) for part in ("aliases", "says", "also") for text in getattr(field, part)]
        texts.append(("description", field.description))
        for part, text in texts:
            if not domain.matcher.owns(field.name, text):
                problem = f"retrieval takes '{text}' for '{domain.matcher.match(text)}'"
                place = f"entity '{entity.name}', field '{field.name}'"
                yield place, part, problem, "Reword it, so that its words are nearer to its own field's"
