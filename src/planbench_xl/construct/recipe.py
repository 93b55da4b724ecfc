"""What a world is made from: the same recipe gives the same bytes."""

from __future__ import annotations

from hashlib import sha256

import msgspec

from planbench_xl import __version__
from planbench_xl.construct.possible import TaskKnobs

TEMPLATE = "template"
"""The writer that is no model."""

SHARES = {5: 0.26, 6: 0.22, 7: 0.17, 8: 0.13, 9: 0.1, 10: 0.12}
"""Part of the tasks of each L*, unless told otherwise; the last stands for all longer ones too."""


class Knobs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size and shape of a world.

    Attributes:
        records: Number of cases.
        tools: Number of executable tools; each gets five distractors and three block alternatives.
        queries: Number of queries.
        lengths: Number of tasks per L*; empty for one task per query in the usual shares.
        longest: Largest L*.
        several_targets: Share of tasks with two targets.
        several_inputs: Share of tasks with two or three inputs.
        most_paths: Largest number of solution paths of a task.
        branches: Number of branches of the business, each with entities and datatypes of its own.
        dev: Share of the tasks and records that are for development; the others are for tests.
    """

    records: int = 300
    tools: int = 230
    queries: int = 500
    lengths: dict[str, int] = {}
    longest: int = 14
    several_targets: float = 0.1
    several_inputs: float = 0.45
    most_paths: int = 24
    branches: int = 1
    dev: float = 0.2

    def tasks(self) -> TaskKnobs:
        """Return what concerns tasks."""
        return TaskKnobs(
            lengths={int(length): count for length, count in self.lengths.items()} or spread(self.queries),
            longest=self.longest,
            several_targets=self.several_targets,
            several_inputs=self.several_inputs,
            most_paths=self.most_paths,
        )


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a world was made.

    Attributes:
        domain: Name of the domain.
        domain_sha256: Of the domain file.
        seed: Seed of everything that is drawn.
        writer: Who wrote the texts: `template`, or a model.
        knobs: Size and shape.
        package: Version of this package.
        filter: The model that judged the look-ups; empty if none did.
    """

    domain: str
    domain_sha256: str
    seed: int
    writer: str
    knobs: Knobs
    package: str = __version__
    filter: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 over all of it."""
        return sha256(msgspec.json.encode(self, order="sorted")).hexdigest()


def spread(count: int) -> dict[int, int]:
    """Divide a number of tasks over lengths in the usual shares."""
    found = {length: int(count * share) for length, share in SHARES.items()}
    found[min(found)] += count - sum(found.values())
    return found
