"""What a domain file holds: entities, how their records relate, fields with their words, and material for queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from planbench_xl.construct.makers import Maker, parse_maker
from planbench_xl.retrieval import PhraseMatcher
from planbench_xl.world import Datatype

FORMAT = 1

LEAST_ALIASES, MOST_ALIASES = 5, 10


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the parts of a domain file: immutable, and unknown fields are refused."""


class Near(Part, frozen=True):
    """Something related to a field that a misleading tool looks up instead.

    Attributes:
        name: Its name in tool names, words joined by underscores; no datatype of the domain.
        says: A noun phrase for it.
        make: How values are made (see `makers`).
    """

    name: str
    says: str
    make: str


class Field(Part, frozen=True, dict=True):
    """One field of an entity's register: a datatype of the world.

    Attributes:
        name: The internal name, which no agent ever reads. Choose one that nobody would say.
        make: How values are made (see `makers`).
        description: One sentence; retrieval matches it too.
        aliases: Five to ten names that people use for it.
        says: Noun phrases for what a tool returns ("the moment the parcel was handed over").
        uses: Clauses that follow *when* ("a neighbour claims the parcel").
        also: Further descriptions.
        given: How a request mentions a known value, with `{}` in its place. A field without it is never given.
        asked: Indirect questions that follow *tell me* ("who signed for the parcel"). A field without it is no target.
        question: The same as direct questions.
        near: What misleading tools return in its place.
        unique: No two instances share a value. By default so for patterns, times and amounts.
        apart: An entity: instances that belong to one of its instances have different values.
    """

    name: str
    make: str
    description: str
    aliases: tuple[str, ...]
    says: tuple[str, ...]
    uses: tuple[str, ...]
    near: tuple[Near, ...]
    also: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    unique: bool | None = None
    apart: str = ""


class Of(Part, frozen=True):
    """How many instances an entity has, by another entity declared before it.

    Attributes:
        entity: The other entity. With nothing else, there is one instance for each of its instances.
        group: One instance for each run of this many (least, most) instances of it.
        within: An entity; a run never holds instances that belong to different ones of its instances.
        pool: One instance for this many of its instances, drawn at random.
        apart: An entity: those that belong to one of its instances draw different instances.
    """

    entity: str
    group: tuple[int, int] | None = None
    within: str = ""
    pool: float | None = None
    apart: str = ""


class Key(Part, frozen=True):
    """Fields that together find one instance of an entity.

    Attributes:
        fields: Names of one to five fields.
        because: Why all are needed, as a sentence for tool descriptions.
    """

    fields: tuple[str, ...]
    because: str = ""


class Entity(Part, frozen=True):
    """A kind of thing that some register keeps.

    Attributes:
        name: Its name within the file.
        noun: What people call one, without an article.
        register: What keeps them, with an article ("the returns desk").
        flow: The business flow that it belongs to; tasks are balanced over flows.
        fields: Its fields; the first one identifies it.
        of: How many there are; None for the entity of which every record holds one of its own.
        leads_to: Entities whose identifier its register stores (or knows), one look-up each.
        keys: What else finds it.
        views: Its register also shows the other fields of the entities it leads to.
    """

    name: str
    noun: str
    register: str
    flow: str
    field: tuple[Field, ...]
    of: Of | None = None
    leads_to: tuple[str, ...] = ()
    key: tuple[Key, ...] = ()
    views: bool = True

    @property
    def identifier(self) -> Field:
        """The field that identifies an instance."""
        return self.field[0]


class Scenario(Part, frozen=True):
    """Who asks, and why.

    Attributes:
        flows: The flows of the targets that it fits; empty for all.
        openings: Sentences that hold `{given}` once.
        closings: Sentences that may end a request.
    """

    openings: tuple[str, ...]
    flows: tuple[str, ...] = ()
    closings: tuple[str, ...] = ()


class Branches(Part, frozen=True):
    """How the business of a domain grows beyond one place (see `branches`).

    Attributes:
        names: Names of towns or the like, none of which the domain says otherwise.
        bridge: An entity without `of` and `leads_to`: the paper by which a case goes on in the next branch.
        overview: A sentence or two for the agent, with `{names}` where the names go.
    """

    names: tuple[str, ...]
    bridge: Entity
    overview: str


class Domain(Part, frozen=True, dict=True):
    """A parsed domain file; `planbench_xl.construct.reading.load_domain` makes one.

    Attributes:
        format: Version of the file's layout.
        name: Name of the worlds made of it.
        version: Version of its content.
        domain: Domain word of retrieval requests.
        overview: A few sentences for the agent.
        words: Lists of words for patterns, by name.
        entity: Entities, in an order in which each refers only to earlier ones in `of`.
        scenario: Material for queries.
        branches: How it grows; None if it can't.
    """

    format: int
    name: str
    version: str
    domain: str
    overview: str
    words: dict[str, tuple[str, ...]]
    entity: tuple[Entity, ...]
    scenario: tuple[Scenario, ...]
    branches: Branches | None = None

    @cached_property
    def entities(self) -> Mapping[str, Entity]:
        """Entity by name."""
        return {entity.name: entity for entity in self.entity}

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """Field by name, in file order."""
        return {field.name: field for _, field in self.pairs()}

    @cached_property
    def owner(self) -> Mapping[str, Entity]:
        """The entity of each field."""
        return {field.name: entity for entity, field in self.pairs()}

    @cached_property
    def makers(self) -> Mapping[str, Maker]:
        """How the values of each field are made."""
        return {field.name: parse_maker(field.make, self.words) for _, field in self.pairs()}

    @cached_property
    def matcher(self) -> PhraseMatcher:
        """What retrieval takes phrases for in worlds of this domain."""
        return PhraseMatcher([self.datatype(field, None) for field in self.fields.values()])

    def pairs(self) -> Iterator[tuple[Entity, Field]]:
        """Yield every field with its entity."""
        for entity in self.entity:
            for field in entity.field:
                yield entity, field

    def datatype(self, field: Field, example: object) -> Datatype:
        """Return the datatype that a field becomes.

        Its aliases are those of the file, from which names are made, and then what descriptions and requests call it:
        retrieval has to understand the words that an agent has read.
        """
        read = [*field.says, *(_head(text) for text in field.given)]
        heard: dict[str, str] = {}
        for text in (*field.aliases, *(text for text in read if len(text.split()) > 1)):
            heard.setdefault(text.casefold(), text)
        return Datatype(
            name=field.name,
            description=field.description,
            value_type=self.makers[field.name].value_type,
            example=example,
            aliases=tuple(heard.values())[:MOST_ALIASES],
            category=self.owner[field.name].flow,
        )


def _head(given: str) -> str:
    """Return what a mention calls a value: `the order number {}` without the value."""
    return given.replace("{}", "").strip(" ,")
