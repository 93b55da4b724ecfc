"""Stage 2: which look-ups there are. The entity graph proposes, the records decide, and a sparse choice stays."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from random import Random

import msgspec

from planbench_xl.construct.dependencies import Dependencies
from planbench_xl.construct.domain import Domain
from planbench_xl.paths import ToolGraph, reachable
from planbench_xl.world import Record


class Way(StrEnum):
    """Where a candidate comes from."""

    OWN = "own"
    LINK = "link"
    KEY = "key"
    VIEW = "view"
    KEY_VIEW = "key_view"
    REPEAT = "repeat"


class Lookup(msgspec.Struct, frozen=True):
    """What one executable tool looks up.

    Attributes:
        inputs: Datatypes taken.
        output: Datatype returned.
        way: Where it comes from; `repeat` for a further tool that does the same as another.
        entity: The entity in whose register it looks.
        because: Why all inputs are needed; may be empty.
    """

    inputs: tuple[str, ...]
    output: str
    way: Way
    entity: str
    because: str = ""


class Rejected(msgspec.Struct, frozen=True):
    """A candidate that the records refute or a filter objects to, and why."""

    lookup: Lookup
    reason: str


class Lookups(msgspec.Struct, frozen=True):
    """What the stage gives.

    Attributes:
        chosen: One per executable tool.
        rejected: Candidates that are not deterministic, ask for too much or were objected to.
    """

    chosen: tuple[Lookup, ...]
    rejected: tuple[Rejected, ...]


def candidates(domain: Domain) -> Iterator[Lookup]:
    """Yield every look-up that the entity graph allows."""
    for entity in domain.entity:
        own = entity.identifier.name
        others = [field.name for field in entity.field[1:]]
        for name in others:
            yield Lookup((own,), name, Way.OWN, entity.name)
        for key in entity.key:
            yield Lookup(key.fields, own, Way.KEY, entity.name, key.because)
            for name in others:
                if name not in key.fields:
                    yield Lookup(key.fields, name, Way.KEY_VIEW, entity.name, key.because)
        for other in entity.leads_to:
            target = domain.entities[other]
            yield Lookup((own,), target.identifier.name, Way.LINK, entity.name)
            if entity.views:
                for field in target.field[1:]:
                    yield Lookup((own,), field.name, Way.VIEW, entity.name)
            if target.views:
                # The neighbour's register shows what leads to it, where that is a single instance.
                for name in others:
                    yield Lookup((target.identifier.name,), name, Way.VIEW, target.name)


def choose_lookups(
    domain: Domain,
    records: Sequence[Record],
    tools: int,
    seed: int,
    objections: Callable[[Sequence[Lookup]], Mapping[Lookup, str]] | None = None,
) -> Lookups:
    """Choose the look-ups of a world.

    All links, keys and own fields that the records allow are taken: they are the graph. The rest is filled with other
    ways to what few tools return, and with tools that do the same as another. What leads on, leading and parts of
    keys, gets few of these, since each multiplies the paths of everything behind it.

    Args:
        domain: The domain.
        records: Its records; they decide what is deterministic.
        tools: Number of tools wanted; there can be more if the graph alone has more, or fewer if candidates run out.
        seed: Seed of the world.
        objections: Says which of the candidates that the records allow are to go as well, and why.
    """
    rng = Random(f"{seed}||lookups||{domain.name}")
    dependencies = Dependencies(records)
    good: list[Lookup] = []
    rejected: list[Rejected] = []
    seen: set[tuple[frozenset[str], str]] = set()
    for lookup in candidates(domain):
        key = (frozenset(lookup.inputs), lookup.output)
        if key in seen:
            continue
        seen.add(key)
        reason = _refuted(lookup, dependencies)
        if reason:
            rejected.append(Rejected(lookup, reason))
        else:
            good.append(lookup)
    if objections:
        reasons = objections(good)
        rejected += [Rejected(lookup, reasons[lookup]) for lookup in good if lookup in reasons]
        good = [lookup for lookup in good if lookup not in reasons]
    graph = [lookup for lookup in good if lookup.way in (Way.OWN, Way.LINK, Way.KEY)]
    extra = [lookup for lookup in good if lookup.way not in (Way.OWN, Way.LINK, Way.KEY)]
    extra += _repeats(graph, extra)
    chosen = [*graph, *_extras(domain, graph, extra, tools - len(graph), rng)]
    return Lookups(tuple(chosen), tuple(rejected))


def _refuted(lookup: Lookup, dependencies: Dependencies) -> str:
    if not dependencies.determines(lookup.inputs, lookup.output):
        return "the inputs don't determine the output"
    if not dependencies.minimally(lookup.inputs, lookup.output):
        return "some of the inputs determine the output"
    return ""


def _repeats(graph: Iterable[Lookup], extra: Iterable[Lookup]) -> list[Lookup]:
    return [msgspec.structs.replace(lookup, way=Way.REPEAT) for lookup in (*graph, *extra)]


LEADING_SHARE = 0.04
"""Part of the further tools that return what leads on."""


def _extras(
    domain: Domain, graph: Sequence[Lookup], extra: Sequence[Lookup], wanted: int, rng: Random
) -> Iterator[Lookup]:
    """Yield further look-ups, always for what the fewest tools return so far."""
    leading = {name for lookup in graph for name in lookup.inputs}
    multiplying = _multiplying(leading, graph)
    producers = Counter(lookup.output for lookup in graph)
    waiting: dict[str, list[Lookup]] = defaultdict(list)
    for lookup in extra:
        if lookup.output not in multiplying:
            waiting[lookup.output].append(lookup)
    for lookups in waiting.values():
        # Taken from the end: new ways before repeats.
        rng.shuffle(lookups)
        lookups.sort(key=lambda lookup: lookup.way is not Way.REPEAT)
    spare = int(wanted * LEADING_SHARE)
    for _ in range(max(0, wanted)):
        open_outputs = [name for name, left in waiting.items() if left and (name not in leading or spare > 0)]
        if not open_outputs:
            return
        # They take turns: by number of producers alone, those that lead on would come first.
        due = [name for name in open_outputs if (name in leading) == (rng.random() < LEADING_SHARE)]
        output = min(due or open_outputs, key=lambda name: (producers[name], rng.random()))
        producers[output] += 1
        spare -= output in leading
        yield waiting[output].pop()


def _multiplying(leading: Iterable[str], graph: Sequence[Lookup]) -> set[str]:
    """Return the half of what leads on from which the most can be reached: another way there would double the rest."""
    tools = ToolGraph((str(number), lookup.inputs, (lookup.output,)) for number, lookup in enumerate(graph))
    ranked = sorted(leading, key=lambda name: (len(reachable(tools, (name,))), name))
    return set(ranked[len(ranked) // 2 :])
