"""Turns retrieved tools into knowledge: which are sound, and what they take and return."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planbench_xl.agents.appraisal import FLAWED, flaw_score, is_time_like
from planbench_xl.agents.graph import Graph, KnownTool
from planbench_xl.agents.phrases import input_phrases, output_phrases, overlap, resemblance, words
from planbench_xl.environment import ToolView

LOOK_ALIKE = 3.0
"""Doubt in each of several tools that claim to do the same: at most one of them can be needed."""

ODD = 4.0
"""Doubt in a tool that talks about something else than its siblings."""

DISCLOSED = 12.0
"""Doubt in a tool whose description discloses a flaw: a last resort."""

APART = 1.5
"""Doubt in a tool that is the only sound one among its siblings, but words itself differently."""

ALIKE = 0.22
"""Resemblance of descriptions from which two tools with the same inputs and output are said to talk about the same."""

SPEAKS = 0.75
"""Share of a phrase's words that arguments must mention for the phrase to mean them."""

SAME = 0.6
"""Resemblance of descriptions from which two tools with the same inputs are said to do the same."""

_TICKED = re.compile(r"`[^`]*`")
_PLAIN = re.compile(r"[a-z]+")


class ToolText:
    """What can be read off a tool alone."""

    def __init__(self, view: ToolView) -> None:
        properties = view.parameters.get("properties", {})
        self.view = view
        named = output_phrases(view.name)
        # A name that doesn't say what it returns leaves the description to say it.
        self.outputs = named or (_TICKED.sub(" ", view.description),)
        self.inputs = input_phrases(view.name)
        self.arguments = {name: str(spec.get("description", "")) for name, spec in properties.items()}
        self.topic = frozenset(_PLAIN.findall(" ".join([*properties, *named]).replace("_", " ").lower()))
        self.words = frozenset(words(_TICKED.sub(" ", view.description)))
        self.flaw = flaw_score(view.description, self.topic)


class Reader:
    """Reads retrieved tools into a graph. Texts are read once, however often a tool is shown."""

    def __init__(self) -> None:
        self._texts: dict[str, ToolText] = {}

    def text(self, view: ToolView) -> ToolText:
        """Return what can be read off a tool alone."""
        text = self._texts.get(view.name)
        if text is None or (text.view is not view and text.view != view):
            text = self._texts[view.name] = ToolText(view)
        return text

    def by_output(self, graph: Graph, views: Sequence[ToolView], wanted: int) -> list[KnownTool]:
        """Learn tools that were found by what they return.

        Args:
            graph: Where to note them.
            views: The tools.
            wanted: Concept that was asked for.
        """
        tools = [self._learn(graph, view) for view in views]
        groups: dict[frozenset[int], list[KnownTool]] = {}
        for tool in tools:
            groups.setdefault(frozenset(map(graph.find, tool.slots.values())), []).append(tool)
        # Where tools word themselves like their flawed siblings, one that doesn't is suspect.
        telling = sum(map(_worded_alike, groups.values())) > len(groups) / 2
        for group in groups.values():
            self._appraise(graph, group, telling=telling)
        for tool in tools:
            if tool.flaw >= FLAWED or tool.doubt < ODD:
                graph.merge(wanted, self._meant(graph, tool, wanted))
        self._note(graph, tools)
        return tools

    def by_input(self, graph: Graph, views: Sequence[ToolView], given: int) -> list[KnownTool]:
        """Learn tools that were found by what they take.

        Args:
            graph: Where to note them.
            views: The tools.
            given: Concept that was asked for.
        """
        tools = [self._learn(graph, view) for view in views]
        slots = {graph.find(key) for tool in tools for key in tool.slots.values()}
        # Retrieval finds something for every phrase, so what it found has to speak of the phrase.
        if any(_speaks_of(graph, phrase, slots) for phrase in graph.phrases[graph.find(given)]):
            slots.add(given)
        for key in slots:
            graph.merge(min(slots), key)
        self._appraise(graph, tools, same_output=False)
        self._note(graph, tools)
        return tools

    def _meant(self, graph: Graph, tool: KnownTool, wanted: int) -> int:
        """Return that output of a tool that a request for an output meant."""
        if len(tool.outputs) == 1:
            return tool.outputs[0]
        if graph.find(wanted) in map(graph.find, tool.outputs):
            return wanted
        sought, time_like = _about(graph, wanted)

        def likeness(key: int) -> float:
            own, own_time_like = _about(graph, key)
            return overlap(own, sought) + (own_time_like is time_like)

        return max(tool.outputs, key=likeness)

    def _learn(self, graph: Graph, view: ToolView) -> KnownTool:
        known = graph.tools.get(view.name)
        if known is not None:
            return known
        text = self.text(view)
        slots = {}
        for name, description in text.arguments.items():
            key = graph.concept(name)
            slots[name] = graph.merge(key, graph.concept(description)) if description else key
        self._match_name(graph, text, list(slots.values()))
        tool = KnownTool(view, slots, tuple(map(graph.concept, text.outputs)), text.words)
        tool.flaw = text.flaw
        return tool

    def _match_name(self, graph: Graph, text: ToolText, slots: Sequence[int]) -> None:
        """Learn from a tool's name what else its arguments are called."""
        # With several inputs, name and schema may order them differently.
        if len(text.inputs) == len(slots) == 1:
            concept = graph.known(text.inputs[0])
            if concept is not None:
                graph.merge(slots[0], concept)

    def _appraise(
        self, graph: Graph, group: Sequence[KnownTool], *, same_output: bool = True, telling: bool = False
    ) -> None:
        """Set the doubt in tools that take the same, by comparing them with each other.

        Args:
            graph: Where some of them may be noted already.
            group: Tools with the same arguments.
            same_output: They were found by the same output too.
            telling: Tools with the same inputs and output word themselves alike in this world.
        """
        sound = [tool for tool in group if tool.flaw < FLAWED]
        least = ALIKE if same_output else SAME
        for tool in group:
            doubt = DISCLOSED
            if tool.flaw < FLAWED:
                alike = _like(tool, group, least)
                doubt = LOOK_ALIKE if any(other.flaw < FLAWED for other in alike) else 0.0
                if telling and len(group) > 1 and not alike:
                    doubt = ODD if len(sound) > 1 else APART
                elif same_output and len(sound) > 1:
                    doubt = LOOK_ALIKE
                doubt += 2 * tool.flaw
            if doubt > tool.doubt:
                tool.doubt = doubt
                if tool.name in graph.tools:
                    graph.worsen(tool)

    def _note(self, graph: Graph, tools: Sequence[KnownTool]) -> None:
        for tool in tools:
            if tool.name not in graph.tools:
                graph.add(tool)


def _speaks_of(graph: Graph, phrase: str, slots: Iterable[int]) -> bool:
    said = {word for key in slots for text in graph.phrases[graph.find(key)] for word in words(text)}
    wanted = set(words(phrase))
    return len(wanted & said) >= SPEAKS * len(wanted)


def _about(graph: Graph, key: int) -> tuple[frozenset[str], bool]:
    """Return the words that name a concept, and whether it is a moment."""
    phrases = graph.phrases[graph.find(key)]
    return frozenset(word for phrase in phrases for word in words(phrase)), any(map(is_time_like, phrases))


def _like(tool: KnownTool, group: Sequence[KnownTool], least: float) -> list[KnownTool]:
    """Return the other tools of a group that talk about the same as one of them."""
    return [other for other in group if other is not tool and resemblance(tool.words, other.words) >= least]


def _worded_alike(group: Sequence[KnownTool]) -> bool:
    """Say whether some two of a group's tools talk about the same."""
    return any(_like(tool, group[:i], ALIKE) for i, tool in enumerate(group))
