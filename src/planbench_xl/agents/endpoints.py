"""The two ends of a search: the values that a query gives, and what it asks for, linked to concepts of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from planbench_xl.agents.appraisal import FLAWED
from planbench_xl.agents.asking import Question, asked_words
from planbench_xl.agents.graph import Graph, Held, KnownTool
from planbench_xl.agents.phrases import IDENTIFIERS, KnownValue, output_phrases, words
from planbench_xl.agents.reading import FOREIGN, ToolText
from planbench_xl.agents.values import is_time_like, shape
from planbench_xl.world import Value, text_form

READINGS = 4
"""Number of readings of a question that are tried."""

THINGS = 2
"""Number of readings of a question whose traits are looked at, if none of the readings fits well."""

OTHER_KIND = 0.4
"""What is left of a fit if a moment is asked for and something else is returned, or the other way round."""

FITS = 0.5
"""Share of a phrase's words that tools must mention for the phrase to count as understood."""

RECORDS = frozenset(words("id identifier reference record"))
"""Those of them that tell no two things apart (an account's number or code may not be its identifier)."""

_MONEY = re.compile(
    r"\b(?:prices?|costs?|amounts?|sums?|totals?|fees?|charges?|expenses?|paid|euros?|dollars?|pounds?|tax|balance)\b",
    re.I,
)

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


class Goal(End):
    """A thing that the query asks for.

    Attributes:
        question: What is asked.
        answer: The answer that is believed.
        refused: Answers, as text, that turned out to be wrong.
        fitting: Some reading found something of the kind that is asked for.
        reconsidered: It was read anew, by its kind alone.
    """

    def __init__(self, graph: Graph, question: Question) -> None:
        super().__init__(graph, question.phrases[:READINGS])
        self.question = question
        self.answer: Held | None = None
        self.refused: set[str] = set()
        self.reconsidered = False
        self.fitting = False
        self._set_aside: list[Held] = []
        self._read: dict[int, tuple[float, str]] = {}
        graph.aim(self.concept)

    @property
    def doubted(self) -> bool:
        """Whether there is an answer that was set aside and that was not refused since."""
        return self.likeliest() is not None

    def things(self, graph: Graph) -> list[int]:
        """Return the readings whose traits are to be looked at: what was found is not of the kind that is asked for."""
        if not self.question.kind or self.fitting:
            return []
        ranked = sorted(self._read, key=lambda key: -self._read[key][0])[:THINGS]
        return [key for key in ranked if graph.find(key) not in graph.asked_from]

    def read_as(self, concept: int, phrase: str, fit: float) -> None:
        """Note that a reading of the question has found something."""
        if fit > self._read.get(concept, (0.0, ""))[0]:
            self._read[concept] = (fit, phrase)

    def phrase_of(self, concept: int) -> str:
        """Return the phrase by which a reading was found."""
        return self._read[concept][1]

    def relink(self, graph: Graph, concept: int, fit: float) -> None:
        """Believe in another concept than before."""
        self.concept = graph.fresh()
        graph.aim(self.concept)
        self.link(graph, concept, fit)

    def unfit(self, value: Value) -> bool:
        """Say whether a value can't be the answer, since it is another kind of thing than what is asked for."""
        kind, look = self.question.kind, shape(value)
        if kind == "time" or look == "time":
            return (look == "time") != (kind == "time" or is_time_like(self.question.said))
        if kind in ("amount", "quantity", "weight", "duration", "distance", "age"):
            return look != "number"
        return kind == "name" and look == "number"

    def retreat(self, graph: Graph) -> bool:
        """Give up the concept for the next best reading; say whether there was one."""
        here = graph.find(self.concept)
        self._offers = {key: fit for key, fit in self._offers.items() if graph.find(key) != here}
        fit, concept = self.best(graph)
        if not self._offers:
            return False
        self.relink(graph, concept, fit)
        return True

    def set_aside(self, held: Held) -> None:
        """Keep a doubtful answer in case no better one is found."""
        self._set_aside.append(held)

    def agreed(self, held: Held) -> bool:
        """Say whether another tool has given the same answer."""
        text = text_form(held.forms[0])
        return any(text_form(other.forms[0]) == text and other.source is not held.source for other in self._set_aside)

    def likeliest(self) -> Held | None:
        """Return the answer that was set aside with the best support."""
        support: dict[str, float] = {}
        for held in self._set_aside:
            doubt = held.odd * 4 + (held.source.doubt if held.source else 0.0)
            text = text_form(held.forms[0])
            support[text] = support.get(text, 0.0) + 1 / (1 + doubt)
        open_ones = [held for held in self._set_aside if text_form(held.forms[0]) not in self.refused]
        return max(open_ones, key=lambda held: support[text_form(held.forms[0])], default=None)

    def refuse(self) -> Held | None:
        """Give up the answer: it was wrong. Return it."""
        wrong, self.answer = self.answer, None
        if wrong is not None:
            self.refused.add(text_form(wrong.forms[0]))
        return wrong


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
        if spec.get("type") in ("number", "integer"):
            return value.replace(".", "", 1).isdigit()
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


def argument_fit(phrase: str, texts: Iterable[ToolText]) -> float:
    """Return the share of a phrase's words that the arguments of retrieved tools mention."""
    arguments = [f"{name} {about}" for text in texts for name, about in text.arguments.items()]
    said = {word for argument in arguments for word in words(argument)}
    return _share(set(words(phrase)), said)


def question_fit(question: Question, tools: Iterable[KnownTool]) -> float:
    """Return how well the sound ones of tools answer a question: by the words they share, and by the kind of thing."""
    wanted = set(words(" ".join(asked_words(question.said)))) or set(words(question.said))
    sound = [tool for tool in tools if tool.flaw < FLAWED and tool.doubt < FOREIGN]
    if not sound or not wanted:
        return 0.0
    shares = [_share(wanted, tool.words | _named(tool)) for tool in sound]
    fit = 0.5 * max(shares) + 0.5 * sum(shares) / len(shares)
    if not kind_fits(question, sound):
        return fit * OTHER_KIND
    return fit * 0.8 + 0.2 if question.kind == "amount" else fit


def kind_fits(question: Question, tools: Sequence[KnownTool]) -> bool:
    """Say whether tools return the kind of thing that a question asks for, as far as their texts tell."""
    named = [tool for tool in tools if output_phrases(tool.name)]
    timed = [any(map(is_time_like, output_phrases(tool.name))) for tool in named]
    if question.kind == "time":
        return any(timed) or not named
    if 2 * sum(timed) > len(named) and not is_time_like(question.said):
        return False
    texts = (f"{' '.join(output_phrases(tool.name))} {tool.view.description}" for tool in tools)
    return question.kind != "amount" or any(map(_MONEY.search, texts))


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


def _share(wanted: AbstractSet[str], said: AbstractSet[str]) -> float:
    return len(wanted & said) / len(wanted) if wanted else 0.0


def _likeness(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def _named(tool: KnownTool) -> set[str]:
    return {word for phrase in output_phrases(tool.name) for word in words(phrase)}
