"""Stage 1: complete, related cases. Every record is one case and holds a value of every field of every entity."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from planbench_xl.construct.domain import Domain, Entity, Field, Key, Of
from planbench_xl.construct.errors import DomainError
from planbench_xl.errors import Fault
from planbench_xl.world import Record, Value

TRIES = 2_000
"""Draws of one value before its maker is taken to be too narrow."""

Instances = Mapping[str, list[int]]
"""Per entity, the instance that each case belongs to."""


def make_records(domain: Domain, count: int, seed: int) -> tuple[Record, ...]:
    """Make this many cases.

    Raises:
        DomainError: A field has too few values for its rule.
    """
    rng = Random(f"{seed}||records||{domain.name}")
    instances = relate(domain, count, rng)
    values: dict[str, list[Value]] = {}
    for entity in domain.entity:
        for field in entity.field:
            values[field.name] = _fill(domain, entity, field, instances, values, rng)
    for entity in domain.entity:
        for key in entity.key:
            _KeyRule(domain, entity, key, instances, values).enforce(rng)
    prefix = domain.name
    width = len(str(count))
    return tuple(
        Record(
            f"{prefix}_case_{case + 1:0{width}d}",
            {name: column[instances[domain.owner[name].name][case]] for name, column in values.items()},
        )
        for case in range(count)
    )


def relate(domain: Domain, count: int, rng: Random) -> Instances:
    """Say which instance of each entity each case belongs to."""
    instances: dict[str, list[int]] = {}
    for entity in domain.entity:
        if entity.of is None:
            instances[entity.name] = list(range(count))
            continue
        of = entity.of
        if of.group:
            place = _grouped(of, instances, rng)
        elif of.pool:
            place = _drawn(entity, of, instances, rng)
        else:
            place = {number: number for number in instances[of.entity]}
        instances[entity.name] = [place[number] for number in instances[of.entity]]
    return instances


def _grouped(of: Of, instances: Instances, rng: Random) -> dict[int, int]:
    """Split the other entity's instances into runs."""
    assert of.group
    place: dict[int, int] = {}
    left, group, within = 0, -1, -1
    for case, number in enumerate(instances[of.entity]):
        if number in place:
            continue
        inside = instances[of.within][case] if of.within else 0
        if left == 0 or inside != within:
            left, group, within = rng.randint(*of.group), group + 1, inside
        place[number] = group
        left -= 1
    return place


def _drawn(entity: Entity, of: Of, instances: Instances, rng: Random) -> dict[int, int]:
    """Let each of the other entity's instances draw one from a pool."""
    assert of.pool
    others = list(dict.fromkeys(instances[of.entity]))
    size = max(1, int(len(others) / of.pool))
    used: dict[int, set[int]] = {}
    drawn: dict[int, int] = {}
    for case, number in enumerate(instances[of.entity]):
        if number in drawn:
            continue
        taken = used.setdefault(instances[of.apart][case], set()) if of.apart else set()
        if len(taken) == size:
            raise _narrow(entity.name, "of.pool", f"no instance is left for one '{of.apart}'", "Lower `pool`")
        choice = rng.randrange(size - len(taken))
        for other in sorted(taken):
            choice += other <= choice
        drawn[number] = choice
        taken.add(choice)
    # Instances that nobody drew don't exist.
    compact = {choice: place for place, choice in enumerate(sorted(set(drawn.values())))}
    return {number: compact[choice] for number, choice in drawn.items()}


def _fill(
    domain: Domain,
    entity: Entity,
    field: Field,
    instances: Instances,
    values: Mapping[str, list[Value]],
    rng: Random,
) -> list[Value]:
    """Draw a value for each instance."""
    maker = domain.makers[field.name]
    unique = maker.unique if field.unique is None else field.unique
    bases = base_values(domain, entity, maker.base, instances, values)
    cases: dict[int, int] = {}
    for case, number in enumerate(instances[entity.name]):
        cases.setdefault(number, case)
    seen: set[Value] = set()
    apart: dict[int, set[Value]] = {}
    column: list[Value] = []
    for number in range(len(cases)):
        near = apart.setdefault(instances[field.apart][cases[number]], set()) if field.apart else set()
        for _ in range(TRIES):
            value = maker.draw(rng, bases[number] if bases else None)
            if not (unique and value in seen) and value not in near:
                break
        else:
            rule = "`unique`" if unique else f'`apart = "{field.apart}"`'
            raise _narrow(f"{entity.name}', field '{field.name}", "make", f"has too few values for {rule}", "Widen it")
        seen.add(value)
        near.add(value)
        column.append(value)
    return column


def base_values(
    domain: Domain, entity: Entity, base: str | None, instances: Instances, values: Mapping[str, list[Value]]
) -> list[Value]:
    """Return, per instance of an entity, the largest value of a field on its cases: what is after comes after all."""
    if base is None:
        return []
    found: dict[int, Value] = {}
    for case, number in enumerate(instances[entity.name]):
        value = values[base][instances[domain.owner[base].name][case]]
        if number not in found or value > found[number]:
            found[number] = value
    return [found[number] for number in range(len(found))]


class _KeyRule:
    """One key of an entity: two instances differ in it, and each of its parts is needed to tell some two apart.

    Values are drawn again for that where it is allowed: fields of the entity itself that nothing else starts from.
    """

    def __init__(
        self, domain: Domain, entity: Entity, key: Key, instances: Instances, values: Mapping[str, list[Value]]
    ) -> None:
        bases = {maker.base for maker in domain.makers.values()}
        self._own = [f.name for f in entity.field[1:] if f.name in key.fields and f.name not in bases and not f.apart]
        self._key = key.fields
        self._values = values
        self._domain = domain
        self._cases: dict[int, int] = {}
        for case, number in enumerate(instances[entity.name]):
            self._cases.setdefault(number, case)
        self._instances = instances
        base = domain.makers[self._own[-1]].base if self._own else None
        self._bases = base_values(domain, entity, base, instances, values)

    def enforce(self, rng: Random) -> None:
        """Change values until the rule holds, as far as it can."""
        if not self._own:
            return
        self._keep_apart(rng)
        if len(self._own) == len(self._key) > 1:
            for name in self._key:
                self._make_needed(name, rng)

    def _tuple(self, number: int) -> tuple[Value, ...]:
        case = self._cases[number]
        owner, instances = self._domain.owner, self._instances
        return tuple(self._values[name][instances[owner[name].name][case]] for name in self._key)

    def _keep_apart(self, rng: Random) -> None:
        name = self._own[-1]
        seen: set[tuple[Value, ...]] = set()
        for number in self._cases:
            for _ in range(TRIES):
                if self._tuple(number) not in seen:
                    break
                base = self._bases[number] if self._bases else None
                self._values[name][number] = self._domain.makers[name].draw(rng, base)
            seen.add(self._tuple(number))

    def _make_needed(self, name: str, rng: Random) -> None:
        """Give two instances the same rest of the key, unless two have it already."""
        place = self._key.index(name)
        tuples = [self._tuple(number) for number in self._cases]
        if len({found[:place] + found[place + 1 :] for found in tuples}) < len(tuples) or len(tuples) < 2:
            return
        for _ in range(TRIES):
            one, other = rng.sample(range(len(tuples)), 2)
            wanted = (*tuples[one][:place], tuples[other][place], *tuples[one][place + 1 :])
            if wanted not in tuples:
                for part, value in zip(self._key, wanted, strict=True):
                    self._values[part][other] = value
                return


def _narrow(entity: str, field: str, problem: str, remedy: str) -> DomainError:
    return DomainError([Fault("domain file", f"entity '{entity}'", field, problem, remedy)])
