"""The models that take part in a build, and what came of asking them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from planbench_xl.construct.asking import ATTEMPTS, Asker, Tally
from planbench_xl.construct.completion import Completer, Counting, Remembering
from planbench_xl.construct.domain import Domain
from planbench_xl.construct.filtering import ModelFilter
from planbench_xl.construct.model_writer import ModelWriter
from planbench_xl.construct.pipeline import build_world
from planbench_xl.construct.recipe import TEMPLATE, Recipe


class Part(msgspec.Struct, frozen=True):
    """What a model did in a build.

    Attributes:
        role: `filter` or `writer`.
        tally: What was asked for, given and refused.
        calls: Calls made.
        remembered: Replies taken from the cache.
        dropped: Look-ups that it objected to, as a filter.
    """

    role: str
    tally: Tally
    calls: int
    remembered: int
    dropped: int = 0

    def __str__(self) -> str:
        left = self.tally.asked - self.tally.accepted
        if self.role == "filter":
            what = f"dropped {self.dropped} of {self.tally.asked} look-ups"
            unread = f", gave no readable verdict on {left}, which stay" if left else ""
        else:
            what = f"wrote {self.tally.accepted} of {self.tally.asked} texts"
            unread = f", left {left} to the templates" if left else ""
        refused = f"; {self.tally.rejected} answers refused" if self.tally.rejected else ""
        calls = f"{self.calls} calls, {self.remembered} replies remembered"
        return f"{self.role.capitalize()} '{self.tally.model}' {what}{unread}{refused}; {calls}."


class Estimate(msgspec.Struct, frozen=True):
    """What a model would be asked if all of its answers were accepted at once.

    Attributes:
        role: `filter` or `writer`.
        model: The model.
        calls: Number of calls by what they are about.
        characters: Length of all prompts.
        attempts: How often a refused text is asked for at most.
    """

    role: str
    model: str
    calls: dict[str, int]
    characters: int
    attempts: int = ATTEMPTS

    def __str__(self) -> str:
        parts = " and ".join(f"{count} about {what}" for what, count in self.calls.items()) or "none"
        return (
            f"{self.role.capitalize()} '{self.model}': {sum(self.calls.values())} calls ({parts}), "
            f"{self.characters:,} characters of prompts."
        )


class Models:
    """The models that a recipe names.

    Attributes:
        filter: Judges look-ups, if the recipe names one.
        writer: Writes texts, if the recipe names one.
    """

    def __init__(self, recipe: Recipe, cache: Path, find: Callable[[str], Completer]) -> None:
        """Find the models.

        Args:
            recipe: Names them.
            cache: Folder in which their replies are remembered.
            find: Returns a model by name.

        Raises:
            CompletionError: A model can't be used, or the cache.
        """
        self._memories: dict[str, Remembering] = {}
        for role, model in named(recipe):
            self._memories[role] = Remembering(find(model), cache)
        memory = self._memories
        self.filter = ModelFilter(Asker(memory["filter"])) if "filter" in memory else None
        self.writer = ModelWriter(Asker(memory["writer"])) if "writer" in memory else None

    def report(self) -> list[Part]:
        """Say what came of asking them."""
        found = []
        for part, role, dropped in (
            (self.filter, "filter", self.filter.dropped if self.filter else 0),
            (self.writer, "writer", 0),
        ):
            if part:
                memory = self._memories[role]
                found.append(Part(role, part.asker.tally, memory.made, memory.remembered, dropped))
        return found


def named(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Yield the role and the name of each model of a recipe."""
    if recipe.filter:
        yield "filter", recipe.filter
    if recipe.writer != TEMPLATE:
        yield "writer", recipe.writer


def estimate(domain: Domain, recipe: Recipe, report: Callable[[str, int, int], None] | None = None) -> list[Estimate]:
    """Build a world without asking anybody, and count what would be asked.

    Raises:
        DomainError: As `build_world`.
    """
    counting = {role: Counting(model) for role, model in named(recipe)}
    build_world(
        domain,
        recipe,
        report=report,
        model_filter=ModelFilter(Asker(counting["filter"])) if "filter" in counting else None,
        model_writer=ModelWriter(Asker(counting["writer"])) if "writer" in counting else None,
    )
    return [Estimate(role, found.model, found.calls, found.characters) for role, found in counting.items()]
