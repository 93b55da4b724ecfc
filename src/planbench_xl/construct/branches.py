"""Widens a domain: the same business in several branches, each with registers, names and records of its own.

Everything a branch keeps is a datatype of its own, and its name is part of all that it is called, so that what two
branches keep can be told apart by words. A chain of bridges joins them: what a branch can't serve it passes on to the
next one, and the paper that goes with it leads from a case here to its continuation there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from planbench_xl.construct.checks import check_domain
from planbench_xl.construct.domain import Branches, Domain, Entity, Field, Key, Near, Of
from planbench_xl.construct.errors import DomainError
from planbench_xl.errors import Fault


def widen(domain: Domain, count: int) -> Domain:
    """Return the domain with this many branches; with one, the domain itself.

    Raises:
        DomainError: The domain file names too few branches, or two branches would be taken for each other.
    """
    if count == 1:
        return domain
    names = domain.branches.names if domain.branches else ()
    if domain.branches is None or len(names) < count:
        problem = f"has {len(names)} branches, not {count}"
        remedy = f"Write at least {count} `names` under `[branches]`, with a `bridge`, or ask for fewer"
        raise DomainError([Fault("domain file", "", "branches", problem, remedy)])
    wide = msgspec.structs.replace(
        domain,
        overview=f"{domain.overview} {_overview(domain.branches, count)}",
        entity=tuple(_entities(domain, domain.branches, count)),
    )
    faults = check_domain(wide, f"{domain.name} with {count} branches")
    if faults:
        raise DomainError(faults)
    return wide


def _overview(branches: Branches, count: int) -> str:
    names = branches.names[:count]
    return branches.overview.replace("{names}", f"{', '.join(names[:-1])} and {names[-1]}")


def _entities(domain: Domain, branches: Branches, count: int) -> Iterator[Entity]:
    root, bridge = domain.entity[0], branches.bridge
    for number in range(count):
        branch = _Branch(domain, number, branches.names[number])
        for entity in domain.entity:
            copy = branch.entity(entity)
            if entity is root:
                # A case of one branch is a case of them all.
                of = Of(entity=_at(root.name, number - 1)) if number else None
                ahead = (_at(bridge.name, number),) if number + 1 < count else ()
                copy = msgspec.structs.replace(copy, of=of, leads_to=(*copy.leads_to, *ahead))
            yield copy
        if number + 1 < count:
            copy = branch.entity(bridge)
            yield msgspec.structs.replace(
                copy, of=Of(entity=_at(root.name, number)), leads_to=(_at(root.name, number + 1),)
            )


def _at(name: str, number: int) -> str:
    return f"{name}_{number + 1}"


class _Branch:
    """Makes the copies of one branch. Internal names get its number, what people say its name."""

    def __init__(self, domain: Domain, number: int, name: str) -> None:
        self._domain = domain
        self._number = number
        self._name = name

    def entity(self, entity: Entity) -> Entity:
        """Return the branch's own entity."""
        of = entity.of and msgspec.structs.replace(
            entity.of,
            entity=self._own(entity.of.entity),
            within=self._own(entity.of.within),
            apart=self._own(entity.of.apart),
        )
        return msgspec.structs.replace(
            entity,
            name=self._own(entity.name),
            register=self._say(entity.register),
            field=tuple(map(self._field, entity.field)),
            of=of,
            leads_to=tuple(map(self._own, entity.leads_to)),
            key=tuple(Key(tuple(map(self._own, key.fields)), key.because) for key in entity.key),
        )

    def _field(self, field: Field) -> Field:
        # The bridge's fields start from none of the domain's.
        base = self._domain.makers[field.name].base if field.name in self._domain.fields else None
        return msgspec.structs.replace(
            field,
            name=self._own(field.name),
            make=re.sub(rf"\b{base}\b", self._own(base), field.make) if base else field.make,
            description=self._say(field.description),
            aliases=tuple(f"{self._name.lower()} {alias}" for alias in field.aliases),
            says=tuple(map(self._say, field.says)),
            also=tuple(map(self._say, field.also)),
            given=tuple(map(self._mention, field.given)),
            asked=tuple(map(self._say, field.asked)),
            question=tuple(map(self._say, field.question)),
            near=tuple(self._near(near) for near in field.near),
            apart=self._own(field.apart),
        )

    def _near(self, near: Near) -> Near:
        return Near(f"{self._name.lower().replace(' ', '_')}_{near.name}", self._say(near.says), near.make)

    def _own(self, name: str) -> str:
        return name and _at(name, self._number)

    def _mention(self, text: str) -> str:
        """Put the branch's name before what a value is called: *the Ashford coupon*, *someone in Ashford born in*."""
        first, _, rest = text.partition(" ")
        if first in ("a", "an"):
            return f"{'an' if self._name[0] in 'AEIOU' else 'a'} {self._name} {rest}"
        if first in ("the", "our"):
            return f"{first} {self._name} {rest}"
        if first in ("someone", "somebody"):
            return f"{first} in {self._name} {rest}"
        return f"{self._name} {text}"

    def _say(self, text: str) -> str:
        """Add the branch's name where the first clause ends: *the tax on the bill in Ashford, in euros*."""
        end = min((place for mark in ",;.?" if (place := text.find(mark)) > 0), default=len(text))
        return f"{text[:end]} in {self._name}{text[end:]}"
