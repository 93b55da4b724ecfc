"""The two ends of a search: the values that a query gives, and what it asks for, linked to concepts of tools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from planbench_xl.agents.appraisal import FLAWED, is_time_like
from planbench_xl.agents.graph import Graph, Held, KnownTool
from planbench_xl.agents.phrases import KnownValue, output_phrases, words
from planbench_xl.agents.reading import ODD, ToolText

FITS = 0.5
"""Share of a phrase's words that tools must mention for the phrase to count as understood."""

IDENTIFIERS = frozenset(words("id identifier reference record number no code key"))
"""Words that name an identifier of whatever else a phrase names."""

RECORDS = frozenset(words("id identifier reference record"))
"""Those of them that tell no two things apart (an account's number or code may not be its identifier)."""

LIKELY = 0.3
"""Fit below which a link is not worth a try."""


class End:
    """One end of the search.

    Attributes:
        phrases: What it may be called, the likeliest first.
        concept: Its concept.
        tried: Number of phrases tried.
        settled: Its link is believed.
        fit: How well the concept fits.
    """

    def __init__(self, graph: Graph, phrases: Sequence[str]) -> None:
        self.phrases = phrases
        self.concept = graph.fresh()
        self.tried = 0
        self.settled = False
        self.fit = 0.0
        self._offers: dict[int, float] = {}

    def offer(self, graph: Graph, concept: int, fit: float, *, sure: float = FITS) -> None:
        """Consider a concept for this end, and link it if it fits surely.

        Args:
            graph: Where to link it.
            concept: The concept.
            fit: How well it fits.
            sure: Fit from which on no other is considered.
        """
        self._offers[concept] = max(fit, self._offers.get(concept, 0.0))
        if fit >= sure:
            self.link(graph, concept, fit)

    def best(self, graph: Graph) -> tuple[float, int]:
        """Return the fit and the concept of the best offer that is still open; a fit of 0 if there is none."""
        return max(((fit, concept) for concept, fit in self._offers.items()), default=(0.0, self.concept))

    def ask_also(self, phrase: str) -> None:
        """Try another phrase next."""
        if phrase and phrase not in self.phrases:
            self.phrases = [*self.phrases[: self.tried], phrase, *self.phrases[self.tried :]]

    def link(self, graph: Graph, concept: int, fit: float) -> None:
        """Believe that a concept is this end's."""
        self.fit = fit
        self.concept = graph.merge(concept, self.concept)
        self.settled = True


class Start(End):
    """A value that the query gives.

    Attributes:
        held: The value.
        refused: Concepts that turned out not to be its own.
    """

    def __init__(self, graph: Graph, known: KnownValue) -> None:
        super().__init__(graph, known.phrases)
        self.held = Held(known.forms)
        self.refused: set[int] = set()
        graph.hold(self.concept, self.held)

    @property
    def identifies(self) -> bool:
        """Whether the value looks like a name of one thing, rather than a time or an amount."""
        value = self.held.forms[0]
        return isinstance(value, str) and len(self.held.forms) == 1 and any(map(str.isdigit, value))

    def suits(self, name: str, spec: dict[str, Any]) -> bool:
        """Say whether an argument can take a value of this kind."""
        value, said = self.held.forms[0], f"{name} {spec.get('description', '')}"
        if not isinstance(value, str):
            return spec.get("type") in ("number", "integer")
        if len(self.held.forms) > 1:
            return is_time_like(said)
        return spec.get("type", "string") == "string" and (self.identifies or IDENTIFIERS.isdisjoint(words(said)))

    def best(self, graph: Graph) -> tuple[float, int]:
        """Return the best open offer: one that was not refused and that no other value has taken."""
        refused = {graph.find(key) for key in self.refused}
        offers = ((fit, graph.find(concept)) for concept, fit in self._offers.items())
        free = (offer for offer in offers if offer[1] not in refused and graph.held(offer[1]) is None)
        return max(free, default=(0.0, self.concept))

    def unlink(self, graph: Graph) -> None:
        """Give up the link: the value was not of that concept."""
        self.refused.add(self.concept)
        graph.release(self.concept)
        self.concept = graph.fresh()
        graph.hold(self.concept, self.held)
        self.settled = False


def distinct(phrases: Sequence[str], limit: int) -> list[str]:
    """Return the first phrases that don't only add words to an earlier one."""
    kept: list[str] = []
    for phrase in phrases:
        if len(kept) < limit and not any(set(words(other)) <= set(words(phrase)) for other in kept):
            kept.append(phrase)
    return kept


def argument_fit(phrase: str, texts: Iterable[ToolText]) -> float:
    """Return the share of a phrase's words that the arguments of retrieved tools mention."""
    arguments = [f"{name} {about}" for text in texts for name, about in text.arguments.items()]
    said = {word for argument in arguments for word in words(argument)}
    return _share(set(words(phrase)), said)


def uncovered(phrase: str, tools: Sequence[KnownTool]) -> str:
    """Return the words of a phrase that no sound tool mentions."""
    said = {word for tool in tools if tool.flaw < FLAWED for word in tool.words | _named(tool)}
    return " ".join(word for word in phrase.split() if words(word) and not set(words(word)) <= said | IDENTIFIERS)


def output_fit(phrase: str, tools: Sequence[KnownTool]) -> float:
    """Return the share of a phrase's words that the sound ones of retrieved tools say they return."""
    sound = [tool for tool in tools if tool.flaw < FLAWED and tool.doubt < ODD]
    return _share(_topical(phrase), {word for tool in sound for word in tool.words | _named(tool)})


def goal_likeness(phrase: str, tool: KnownTool) -> float:
    """Return how much like a phrase is what one tool returns, from 0 to 1."""
    wanted = set(words(phrase)) - RECORDS or set(words(phrase))
    named = _spelt_like(wanted, _named(tool) - RECORDS or _named(tool))
    same = _likeness(wanted, named)
    return same if same == 1 else 0.5 * same + 0.5 * _share(wanted, named | tool.words)


def _spelt_like(wanted: set[str], named: set[str]) -> set[str]:
    """Return names with each abbreviation of a wanted word spelt out (auth for authorization)."""
    full = {short: word for word in wanted for short in named if len(short) >= 3 and word.startswith(short)}
    return {full.get(word, word) for word in named}


def slot_likeness(phrase: str, name: str, description: str) -> float:
    """Return how much like a phrase is an argument: from 1 on it is called the same."""
    wanted = _topical(phrase)
    same = _likeness(wanted, _topical(name))
    return same if same == 1 else 0.5 * same + 0.45 * _share(wanted, set(words(description)))


def _topical(phrase: str) -> set[str]:
    found = set(words(phrase))
    return found - IDENTIFIERS or found


def _share(wanted: set[str], said: set[str]) -> float:
    return len(wanted & said) / len(wanted) if wanted else 0.0


def _likeness(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def _named(tool: KnownTool) -> set[str]:
    return {word for phrase in output_phrases(tool.name) for word in words(phrase)}
