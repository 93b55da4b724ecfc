"""From a catalogue to the draft of a domain file: a domain that worlds can be built from, and what to check in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from planbench_xl.construct.catalogues.errors import CatalogueError, fault
from planbench_xl.construct.catalogues.model import Catalogue, Slot
from planbench_xl.construct.catalogues.names import a, clean, phrase, words
from planbench_xl.construct.catalogues.relate import Placed, lay_out
from planbench_xl.construct.catalogues.unify import Merged, Thing, unify
from planbench_xl.construct.catalogues.values import Made, identifier, value
from planbench_xl.construct.catalogues.wording import Wording
from planbench_xl.construct.catalogues.words import material
from planbench_xl.construct.checks import check_domain
from planbench_xl.construct.domain import FORMAT, Domain, Entity, Field, Key, Scenario

MOST_DATATYPES, MOST_FIELDS = 90, 7
"""Fields of a draft, shared out among its entities, and of one entity beside its identifier."""

LEAST_ENTITIES, LEAST_FIELDS = 2, 6
"""With less there is nothing to plan."""

OVERVIEW = 500


class Doubt(msgspec.Struct, frozen=True):
    """Something that a person should check.

    Attributes:
        entity: The entity.
        field: The internal name of the field, or empty for the entity itself.
        reason: What is assumed, or what the catalogue leaves open.
    """

    entity: str
    field: str
    reason: str


class Draft(msgspec.Struct, frozen=True):
    """What is made of a catalogue.

    Attributes:
        domain: The domain.
        doubts: What a person should check.
        left_out: Fields and things of the catalogue that the domain doesn't have, by entity; `""` for whole things.
        operations: How many operations the catalogue has.
        values: How many values these take and give.
        fields: How many different fields these are.
    """

    domain: Domain
    doubts: tuple[Doubt, ...]
    left_out: dict[str, tuple[str, ...]]
    operations: int
    values: int
    fields: int


def draft_domain(catalogue: Catalogue) -> Draft:
    """Draft a domain.

    Raises:
        CatalogueError: The catalogue says too little about data for that.
    """
    things, edges = unify(catalogue)
    found = sum(len(thing.fields) for thing in things.values())
    placed, dropped = lay_out(things, edges)
    drafter = _Drafter(min(MOST_FIELDS, MOST_DATATYPES // max(1, len(placed)) - 1))
    entities = [drafter.entity(one, {other.thing.name: other for other in placed}) for one in placed]
    _check_enough(catalogue, entities)
    left_out = {name: tuple(labels) for name, labels in drafter.left_out.items() if labels}
    if dropped:
        left_out[""] = tuple(dropped)
    domain = _domain(catalogue, entities)
    faults = check_domain(domain, catalogue.file)
    if faults:
        raise CatalogueError(faults)
    return Draft(
        domain=domain,
        doubts=tuple(drafter.doubts),
        left_out=left_out,
        operations=len(catalogue.operations),
        values=sum(len(operation.inputs) + len(operation.outputs) for operation in catalogue.operations),
        fields=found,
    )


def _check_enough(catalogue: Catalogue, entities: Sequence[Entity]) -> None:
    fields = sum(len(entity.field) for entity in entities)
    if len(entities) >= LEAST_ENTITIES and fields >= LEAST_FIELDS:
        return
    names = ", ".join(f"'{entity.name}'" for entity in entities) or "none"
    problem = (
        f"tells of {len(entities)} kinds of things ({names}) with {fields} fields in all; "
        f"a world needs at least {LEAST_ENTITIES} with {LEAST_FIELDS}"
    )
    remedy = (
        "Add response schemas (for MCP `outputSchema`) whose objects have an `id` and name each other's (`order_id`)"
    )
    raise fault(catalogue.file, "", problem, remedy)


def _domain(catalogue: Catalogue, entities: Sequence[Entity]) -> Domain:
    title = phrase(catalogue.title) or phrase(catalogue.file.partition(".")[0]) or "catalogue"
    about = clean(catalogue.description, OVERVIEW)
    nouns = ", ".join(entity.noun for entity in entities)
    name = "_".join(title.split())
    frames = material().frames
    used = {word for entity in entities for field in entity.field for word in _lists(field)}
    return Domain(
        format=FORMAT,
        name=name if name[0].isalpha() else f"catalogue_{name}",
        version="draft",
        domain=title,
        overview=about or f"Registers that look things up by each other: {nouns}.",
        words={word: texts for word, texts in material().lists.items() if word in used},
        entity=tuple(entities),
        scenario=(Scenario(openings=frames.openings, closings=frames.closings),),
    )


def _lists(field: Field) -> Iterator[str]:
    for name in material().lists:
        if f"{{{name}}}" in field.make:
            yield name


class _Drafter:
    """Drafts entities one after the other."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.doubts: list[Doubt] = []
        self.left_out: dict[str, list[str]] = {}
        self._wording = Wording()
        self._count = 0
        self._identifiers: dict[str, str] = {}

    def entity(self, placed: Placed, others: Mapping[str, Placed]) -> Entity:
        """Draft an entity with its fields and keys."""
        thing = placed.thing
        for reason in (*thing.doubts, *placed.doubts):
            self.doubts.append(Doubt(thing.name, "", reason))
        fields = [self._identifier(thing)]
        chosen = _chosen(thing, self._most)
        self.left_out[thing.name] = [label for label in thing.fields if label not in (*chosen, thing.identifier)]
        names: dict[str, str] = {}
        first_time = ""
        finders = []
        for label in chosen:
            merged, made = thing.fields[label], value(thing.fields[label])
            if made.later and first_time:
                made = msgspec.structs.replace(made, make=f"time: {first_time} + 2h .. 9d")
            names[label] = self._name(thing.name, label)
            fields.append(self._field(names[label], thing, merged, made))
            if made.make.startswith("time:") and not first_time:
                first_time = names[label]
            if made.finds and not any(label in key for key in thing.keys):
                finders.append(label)
        return Entity(
            name=thing.name.replace(" ", "_"),
            noun=thing.name,
            register=f"the {thing.name} register",
            flow=clean(thing.flow, 40) or thing.name,
            field=tuple(fields),
            of=placed.of
            and msgspec.structs.replace(
                placed.of,
                entity=placed.of.entity.replace(" ", "_"),
                apart=placed.of.apart.replace(" ", "_"),
            ),
            leads_to=tuple(other.replace(" ", "_") for other in placed.leads_to if other in others),
            views=False,
            key=tuple(self._keys(placed, fields, names, finders)),
        )

    def _identifier(self, thing: Thing) -> Field:
        label = thing.identifier or "number"
        merged = thing.fields.get(label)
        name = self._identifier_name(thing.name)
        if merged is None or not thing.identifier:
            self.doubts.append(
                Doubt(thing.name, name, f"the catalogue gives no identifier of {a(thing.name)}; this one is made up")
            )
            merged = Merged("entry number", Slot(thing.name, "number", "string"))
        for reason in merged.doubts:
            self.doubts.append(Doubt(thing.name, name, reason))
        return self._wording.identifier(name, thing.name, merged, identifier(merged.slot, merged.label, thing.name))

    def _field(self, name: str, thing: Thing, merged: Merged, made: Made) -> Field:
        for reason in (*merged.doubts, *((made.doubt,) if made.doubt else ())):
            self.doubts.append(Doubt(thing.name, name, reason))
        keys = [key for key in thing.keys if merged.label in key]
        finds = (made.finds and not keys) or any(len(key) == 1 for key in keys)
        # A part of a longer key mustn't find anything by itself.
        unique = made.many and (finds or not keys)
        return self._wording.field(name, thing.name, merged, made, known=finds or bool(keys), unique=unique)

    def _keys(
        self, placed: Placed, fields: Sequence[Field], names: Mapping[str, str], finders: Sequence[str]
    ) -> Iterator[Key]:
        thing = placed.thing
        by_name = {field.name: field for field in fields}
        for key in thing.keys:
            own = tuple(names[label] for label in key if label in names)
            if len(own) < len(key):
                continue
            if len(own) == 1 and by_name[own[0]].unique is False:
                self.doubts.append(
                    Doubt(thing.name, own[0], "operations search by it, but several can share a value, so it is no key")
                )
                continue
            yield Key(own)
        for label in finders:
            self.doubts.append(Doubt(thing.name, names[label], f"it is taken to find {a(thing.name)} by itself"))
            yield Key((names[label],))
        if placed.pair:
            one, other = placed.pair
            because = f"There are several of {thing.name} for {a(one)} as for {a(other)}; the two have one in common."
            yield Key((self._identifier_name(one), self._identifier_name(other)), because)

    def _identifier_name(self, thing: str) -> str:
        if thing not in self._identifiers:
            self._identifiers[thing] = self._name(thing, "id")
        return self._identifiers[thing]

    def _name(self, thing: str, label: str) -> str:
        """Return an internal name; the number keeps it from being anything that people say."""
        self._count += 1
        return "_".join((f"f{self._count:03d}", *words(thing), *words(label)))


def _chosen(thing: Thing, most: int) -> list[str]:
    """Choose fields: parts of keys, then what most operations show, in the order of the document."""
    keyed = {label for key in thing.keys for label in key}
    labels = [label for label in thing.fields if label != thing.identifier]
    many = Counter({label: value(thing.fields[label]).many for label in labels})
    order = {label: number for number, label in enumerate(labels)}
    ranked = sorted(
        labels, key=lambda label: (label not in keyed, not many[label], -thing.fields[label].seen, order[label])
    )
    return sorted(ranked[:most], key=lambda label: order[label])
