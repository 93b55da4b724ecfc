"""What a catalogue says, whatever format it came in: operations, what they take and give, what holds what."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["string", "integer", "number", "boolean"]


class Slot(msgspec.Struct, frozen=True):
    """One value that an operation takes or gives.

    Attributes:
        owner: What it is a value of, as a phrase (`order item`); empty if the document doesn't say.
        name: Its name as in the document.
        kind: Its type.
        format: The schema's `format`, or empty.
        enum: The values that it can have, as texts; empty if any.
        example: An example as text, or empty.
        description: What the document says about it.
        low: Smallest number allowed.
        high: Largest number allowed.
        addresses: It stands in a path after what it identifies.
    """

    owner: str
    name: str
    kind: Kind
    format: str = ""
    enum: tuple[str, ...] = ()
    example: str = ""
    description: str = ""
    low: float | None = None
    high: float | None = None
    addresses: bool = False


class Holds(msgspec.Struct, frozen=True):
    """An object that holds another one, or several of them."""

    holder: str
    held: str
    many: bool


class Operation(msgspec.Struct, frozen=True):
    """One thing that the catalogue offers to do.

    Attributes:
        name: Its name, for messages.
        description: What it does.
        flow: The group that it belongs to: a tag, or the first part of its path.
        subject: What it is about, as a phrase.
        inputs: What it takes.
        outputs: What it gives; empty if the document doesn't say.
        holds: Objects within objects, in what it takes and gives.
        reads: It only reads.
        nested: What its path runs through, outermost first (`/customers/{id}/orders/{id}`: customer, order).
    """

    name: str
    description: str
    flow: str
    subject: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    holds: tuple[Holds, ...] = ()
    reads: bool = False
    nested: tuple[str, ...] = ()


class Catalogue(msgspec.Struct, frozen=True):
    """A tool catalogue.

    Attributes:
        file: Name of the file it was read from.
        title: Its title.
        description: What it says about itself.
        operations: Its operations, in file order.
    """

    file: str
    title: str
    description: str
    operations: tuple[Operation, ...]
