"""Unifies what operations take and give: fields of the same thing with the same name are one datatype."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec

from planbench_xl.construct.catalogues.model import Catalogue, Operation, Slot
from planbench_xl.construct.catalogues.names import PLUMBING, a, clean, noun, one_line, phrase, within

IDENTIFIERS = ("id", "uid", "uuid", "guid", "identifier")
NATURAL = (
    "key",
    "code",
    "number",
    "no",
    "reference",
    "ref",
    "slug",
    "hash",
    "sku",
    "serial number",
    "login",
    "username",
)
_REFERS = frozenset((*IDENTIFIERS, *NATURAL[:8], "ids"))

_OWN = frozenset((*IDENTIFIERS, *NATURAL, "name", "title", "description", "body", "type", "status", "state", "content"))

LEAST_CONTEXT = 3
"""What is taken for so many things, and for half of them, says within what they are."""

DESCRIBED = 160
"""Characters that are kept of a description."""

MOST_MERGED = 6
"""An object without an identifier and with at most so many values becomes part of what holds it."""


class Merged(msgspec.Struct, frozen=True):
    """One field of a thing, as all operations together describe it.

    Attributes:
        label: Its name as a phrase, without the thing's.
        slot: The first description of it, completed by later ones.
        seen: How many operations take or give it.
        doubts: What a person should check.
    """

    label: str
    slot: Slot
    seen: int = 1
    doubts: tuple[str, ...] = ()


@dataclass
class Thing:
    """What some operations are about.

    Attributes:
        name: What it is called.
        fields: Its fields by label, in the order in which they are met.
        identifier: The label of the field that identifies it, or empty.
        flow: The group that most of its operations belong to.
        keys: Labels of fields by which operations find one.
        doubts: What a person should check.
        seen: How many operations take or give it.
    """

    name: str
    fields: dict[str, Merged] = field(default_factory=dict)
    identifier: str = ""
    flow: str = ""
    keys: list[tuple[str, ...]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    seen: int = 0


class Edge(msgspec.Struct, frozen=True):
    """One instance of `child` leads to one instance of `parent`.

    Attributes:
        child: A thing.
        parent: Another thing.
        because: Where the document shows it.
        doubt: Why a person should check it; empty if it is plain.
    """

    child: str
    parent: str
    because: str
    doubt: str = ""


def unify(catalogue: Catalogue) -> tuple[dict[str, Thing], list[Edge]]:
    """Return the things that a catalogue is about, and how they lead to each other."""
    things = _collect(catalogue)
    context = [] if any(operation.outputs for operation in catalogue.operations) else list(_context(things))
    paths = _addressed(catalogue)
    for thing in things.values():
        thing.identifier = _identifier(thing, paths[thing.name])
    held, nested = list(_held(catalogue, things)), list(_nested(catalogue, things))
    edges = [*_references(things), *context, *held, *nested]
    _merge_parts(things, held)
    for thing in list(things.values()):
        if not thing.identifier and len(thing.fields) < 2:
            del things[thing.name]
    _find_keys(catalogue, things)
    return things, _distinct(edges, things)


def label_of(slot: Slot, owner: str) -> str:
    """Return the name of a field of a thing: `pet_id`, `petId` and `id` of a pet are all `id`."""
    return within(slot.name, owner)


def _collect(catalogue: Catalogue) -> dict[str, Thing]:
    things: dict[str, Thing] = {}
    flows: dict[str, Counter[str]] = defaultdict(Counter)
    for operation in catalogue.operations:
        answers = {(slot.owner, label_of(slot, slot.owner)) for slot in operation.outputs}
        for slot in _kept(operation, answers):
            thing = things.setdefault(slot.owner, Thing(slot.owner))
            label = label_of(slot, slot.owner)
            known = thing.fields.get(label)
            thing.fields[label] = Merged(label, _tidy(slot)) if known is None else _merge(known, _tidy(slot))
            flows[slot.owner][operation.flow] += 1
        for owner in {slot.owner for slot in (*operation.inputs, *operation.outputs)} & things.keys():
            things[owner].seen += 1
    for name, thing in things.items():
        ((thing.flow, _),) = flows[name].most_common(1)
    return things


def _kept(operation: Operation, answers: set[tuple[str, str]]) -> Iterator[Slot]:
    """Yield what says something about the business."""
    known = {owner for owner, _ in answers}
    for slot in (*operation.outputs, *operation.inputs):
        label = label_of(slot, slot.owner)
        if not slot.owner or not label or label in PLUMBING or phrase(slot.name) in PLUMBING:
            continue
        if label.endswith((" url", " href", " uri")) or {"asc", "desc"} <= {value.lower() for value in slot.enum}:
            continue
        # What a search takes and no answer shows is a filter.
        loose = slot in operation.inputs and not slot.addresses and label.split()[-1] not in _REFERS
        if loose and slot.owner in known and (slot.owner, label) not in answers:
            continue
        yield slot


def _tidy(slot: Slot) -> Slot:
    return msgspec.structs.replace(
        slot,
        description=clean(slot.description, DESCRIBED),
        example=one_line(slot.example, 60),
        enum=tuple(text for value in slot.enum if (text := one_line(value, 40))),
    )


def _merge(known: Merged, slot: Slot) -> Merged:
    old, doubts = known.slot, list(known.doubts)
    if old.kind != slot.kind:
        doubts.append(f"its type is {old.kind} in one place and {slot.kind} in another")
    if old.enum and slot.enum and set(old.enum) != set(slot.enum):
        doubts.append("its values are listed in different ways")
    merged = msgspec.structs.replace(
        old,
        format=old.format or slot.format,
        enum=old.enum or (slot.enum if old.kind == slot.kind else ()),
        example=old.example or slot.example,
        description=old.description or slot.description,
        low=slot.low if old.low is None else old.low,
        high=slot.high if old.high is None else old.high,
        addresses=old.addresses or slot.addresses,
    )
    return Merged(known.label, merged, known.seen + 1, tuple(dict.fromkeys(doubts)))


def _addressed(catalogue: Catalogue) -> Mapping[str, Counter[str]]:
    """Return, per thing, by which labels paths address it."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for operation in catalogue.operations:
        for slot in operation.inputs:
            if slot.addresses:
                found[slot.owner][label_of(slot, slot.owner)] += 1
    return found


def _identifier(thing: Thing, addressed: Counter[str]) -> str:
    labels = list(thing.fields)
    plain = next((label for label in IDENTIFIERS if label in labels), "")
    if plain:
        return plain
    by_path = next((label for label, _ in addressed.most_common() if label in labels), "")
    if by_path:
        return by_path
    if thing.name in labels and thing.fields[thing.name].slot.kind == "string":
        return thing.name
    return next((label for label in NATURAL if label in labels and not thing.fields[label].slot.enum), "")


def _context(things: dict[str, Thing]) -> Iterator[Edge]:
    """Find what nearly every tool takes (`owner` and `repo`): it says within what all the rest happens.

    Only where no answers are described; else these show what belongs where.
    """
    counts = Counter(label for thing in things.values() for label in thing.fields)
    least = max(LEAST_CONTEXT, (len(things) + 1) // 2)
    shared = [label for label, count in counts.items() if count >= least and label not in _OWN]
    if not shared:
        return
    named = (name for name in things for label in shared if name.startswith(label) or label == name)
    holder = things[next(named, max(things, key=lambda name: things[name].seen))]
    for label in shared:
        known = holder.fields.get(label) or next(t.fields[label] for t in things.values() if label in t.fields)
        holder.fields[label] = known
    if tuple(shared) not in holder.keys and len(shared) <= 3:
        holder.keys.append(tuple(shared))
    told = " and ".join(f"`{label}`" for label in shared)
    holder.doubts.append(f"nearly all tools take {told}; this is taken to say which {holder.name} is meant")
    for thing in things.values():
        if thing is not holder and (taken := [label for label in shared if label in thing.fields]):
            for label in taken:
                del thing.fields[label]
            yield Edge(thing.name, holder.name, f"tools for {a(thing.name)} take {told}")


def _references(things: dict[str, Thing]) -> Iterator[Edge]:
    """Turn fields that hold another thing's identifier into edges."""
    for thing in things.values():
        taken: set[str] = set()
        for label, merged in list(thing.fields.items()):
            if label == thing.identifier:
                continue
            other, doubt = _referred(label, merged, thing, things)
            if other is None:
                continue
            if other in taken:
                doubts = (
                    *merged.doubts,
                    f"it may refer to a {other} too, in another part; a case has only one {other}",
                )
                thing.fields[label] = msgspec.structs.replace(merged, doubts=doubts)
                continue
            taken.add(other)
            del thing.fields[label]
            yield Edge(thing.name, other, f"{a(thing.name)} has `{merged.slot.name}`", doubt)


def _referred(label: str, merged: Merged, thing: Thing, things: Mapping[str, Thing]) -> tuple[str | None, str]:
    """Return the thing that a field refers to, and a doubt."""
    parts = label.split()
    named = {name for name, other in things.items() if other.identifier and name != thing.name}
    whole = next((name for name in named if label == f"{name} {things[name].identifier}"), None)
    if whole:
        return whole, ""
    if len(parts) > 1 and parts[-1] in _REFERS:
        whole = noun(" ".join(parts[:-1]))
        if whole in named:
            return whole, ""
        last = noun(parts[-2])
        if last in named and parts[-1] in IDENTIFIERS:
            return last, f"`{merged.slot.name}` is taken to refer to {a(last)}"
        return None, ""
    if merged.slot.format == "uuid" and noun(label) in named:
        return noun(label), f"`{merged.slot.name}` is taken to hold what identifies {a(noun(label))}"
    return _described(merged, named)


def _described(merged: Merged, named: Iterable[str]) -> tuple[str | None, str]:
    """Look for `the id of the origin station` in a description."""
    told = f" {phrase_of(merged.slot.description)} "
    identifies = merged.slot.format == "uuid" or " id of " in told or " identifier of " in told
    if merged.slot.kind == "string" and identifies:
        for name in sorted(named, key=len, reverse=True):
            if f" {name} " in told:
                return name, f"`{merged.slot.name}` is taken to refer to {a(name)}, after its description"
    return None, ""


def phrase_of(text: str) -> str:
    """Return text as lower-case words, for comparing."""
    return " ".join("".join(char if char.isalnum() else " " for char in text.lower()).split())


def _held(catalogue: Catalogue, things: Mapping[str, Thing]) -> Iterator[Edge]:
    for operation in catalogue.operations:
        for holds in operation.holds:
            if holds.holder in things and holds.held in things:
                if holds.many:
                    yield Edge(holds.held, holds.holder, f"{a(holds.holder)} lists {holds.held} entries")
                else:
                    yield Edge(holds.holder, holds.held, f"{a(holds.holder)} holds {a(holds.held)}")


def _nested(catalogue: Catalogue, things: Mapping[str, Thing]) -> Iterator[Edge]:
    for operation in catalogue.operations:
        chain = [name for name in operation.nested if name in things]
        for outer, inner in pairwise(chain):
            yield Edge(inner, outer, f"the path of `{operation.name}` runs through {a(outer)}")
        taken = {slot.owner for slot in operation.inputs if slot.owner in things and slot.owner != operation.subject}
        for owner in sorted(taken - set(chain)):
            identifier = things[owner].identifier
            named = [slot for slot in operation.inputs if slot.owner == owner]
            if operation.subject in things and any(label_of(slot, owner) == identifier for slot in named):
                yield Edge(operation.subject, owner, f"`{operation.name}` takes what identifies {a(owner)}")


def _merge_parts(things: dict[str, Thing], held: Sequence[Edge]) -> None:
    """Make small objects without an identifier fields of what holds them."""
    for name in list(things):
        part = things[name]
        holders = {edge.child: None for edge in held if edge.parent == name and edge.child in things}
        if part.identifier or not holders or len(part.fields) > MOST_MERGED or name in holders:
            continue
        for holder in holders:
            for label, merged in part.fields.items():
                whole = phrase(f"{name} {label}")
                things[holder].fields.setdefault(whole, msgspec.structs.replace(merged, label=whole))
        del things[name]


def _find_keys(catalogue: Catalogue, things: Mapping[str, Thing]) -> None:
    """Note by which of its own fields operations find a thing that they give."""
    for operation in catalogue.operations:
        thing = things.get(operation.subject)
        if thing is None or not operation.reads:
            continue
        if any(label_of(slot, thing.name) == thing.identifier for slot in operation.inputs if slot.owner == thing.name):
            continue
        labels = [label_of(slot, thing.name) for slot in operation.inputs if slot.owner == thing.name]
        key = tuple(label for label in dict.fromkeys(labels) if label in thing.fields and _tells(thing.fields[label]))
        if 1 <= len(key) <= 3 and key not in thing.keys:
            thing.keys.append(key)


def _tells(merged: Merged) -> bool:
    """Say whether a field has many values."""
    return not merged.slot.enum and merged.slot.kind != "boolean"


def _distinct(edges: Iterable[Edge], things: Mapping[str, Thing]) -> list[Edge]:
    found: dict[tuple[str, str], Edge] = {}
    for edge in edges:
        if edge.child != edge.parent and edge.child in things and edge.parent in things:
            pair = (edge.child, edge.parent)
            if pair not in found or (found[pair].doubt and not edge.doubt):
                found[pair] = edge
    return list(found.values())
