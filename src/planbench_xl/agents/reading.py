"""Turns retrieved tools into knowledge: which are sound, and what they take and return."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planbench_xl.agents.appraisal import FLAWED, flaw_score, hint_score
from planbench_xl.agents.graph import Graph, KnownTool
from planbench_xl.agents.phrases import input_phrases, output_phrases, overlap, resemblance, words
from planbench_xl.agents.values import is_time_like
from planbench_xl.environment import ToolView

LOOK_ALIKE = 3.0
"""Doubt in each of several tools that claim to do the same: at most one of them can be needed."""

PLAINEST = 0.5
"""Doubt in the only one of several look-alikes whose description gives no hint of a flaw."""

HINTED = 0.3
"""Difference in hints from which one description sounds worse than another."""

HINT_WEIGHT = 3.0
"""Doubt per hint."""

FOREIGN = 8.0
"""Doubt in a tool that says to return something that its siblings don't know."""

DISCLOSED = 12.0
"""Doubt in a tool whose description discloses a flaw: a last resort."""

ENOUGH = 3
"""Number of siblings that it takes to say that a tool speaks of something else."""

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
        self.hint = hint_score(view.description, self.topic)


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
        for group in groups.values():
            self._appraise(graph, group)
        for tool in tools:
            if tool.flaw >= FLAWED or tool.doubt < FOREIGN:
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

    def by_pair(
        self, graph: Graph, views: Sequence[ToolView], given: tuple[int, int], phrases: tuple[str, str]
    ) -> list[KnownTool]:
        """Learn tools that were found by the two things they take.

        Args:
            graph: Where to note them.
            views: The tools.
            given: Concepts that were asked for.
            phrases: The phrases they were asked for by.
        """
        tools = [self._learn(graph, view) for view in views]
        for tool in tools:
            if len(tool.slots) == 2:
                self._pair_up(graph, tool, given, phrases)
        self._appraise(graph, tools, same_output=False)
        self._note(graph, tools)
        return tools

    def _pair_up(self, graph: Graph, tool: KnownTool, given: tuple[int, int], phrases: tuple[str, str]) -> None:
        """Find out which of two arguments is which of two things, if their names tell."""
        slots = list(tool.slots.values())

        def likeness(slot: int, concept: int, phrase: str) -> float:
            if graph.find(slot) == graph.find(concept):
                return 2.0
            own, _ = _about(graph, slot)
            sought, _ = _about(graph, concept)
            return overlap(own, sought | frozenset(words(phrase)))

        straight = likeness(slots[0], given[0], phrases[0]) + likeness(slots[1], given[1], phrases[1])
        crossed = likeness(slots[0], given[1], phrases[1]) + likeness(slots[1], given[0], phrases[0])
        if straight == crossed:
            return
        order = given if straight > crossed else given[::-1]
        for slot, concept in zip(slots, order, strict=True):
            other = order[0] if concept == order[1] else order[1]
            if graph.find(slot) != graph.find(other):
                graph.merge(concept, slot)

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
        tool.flaw, tool.hint = text.flaw, text.hint
        return tool

    def _match_name(self, graph: Graph, text: ToolText, slots: Sequence[int]) -> None:
        """Learn from a tool's name what else its arguments are called."""
        # With several inputs, name and schema may order them differently.
        if len(text.inputs) == len(slots) == 1:
            concept = graph.known(text.inputs[0])
            if concept is not None:
                graph.merge(slots[0], concept)

    def _appraise(self, graph: Graph, group: Sequence[KnownTool], *, same_output: bool = True) -> None:
        """Set the doubt in tools that take the same, by comparing them with each other.

        Args:
            graph: Where some of them may be noted already.
            group: Tools with the same arguments.
            same_output: They were found by the same output too.
        """
        sound = [tool for tool in group if tool.flaw < FLAWED]
        mildest = min((tool.hint for tool in sound), default=0.0)
        # Where all descriptions sound flawed, one of them is misread: most likely the mildest.
        spared = min(group, key=_harm) if same_output and not sound and len(group) > 1 else None
        for tool in group:
            doubt = DISCLOSED
            if tool.flaw < FLAWED:
                rivals = sound if same_output else _like(tool, group, SAME)
                rivals = [other for other in rivals if other is not tool]
                if same_output:
                    tool.rivals = rivals
                doubt = _rivalry(tool, [other for other in rivals if other.flaw < FLAWED], mildest)
                if same_output and _is_foreign(tool, group):
                    doubt = FOREIGN
                doubt += 2 * tool.flaw
            elif tool is spared and all(_harm(other) > _harm(tool) for other in group if other is not tool):
                doubt = LOOK_ALIKE
            if doubt > tool.doubt:
                tool.doubt = doubt
                if tool.name in graph.tools:
                    graph.worsen(tool)

    def _note(self, graph: Graph, tools: Sequence[KnownTool]) -> None:
        for tool in tools:
            if tool.name not in graph.tools:
                graph.add(tool)


def _is_foreign(tool: KnownTool, group: Sequence[KnownTool]) -> bool:
    """Say whether a tool names and describes something of which none of several siblings speaks."""
    if len(group) < ENOUGH:
        return False
    own = {word for phrase in output_phrases(tool.name) for word in words(phrase)} & tool.words
    for other in group:
        if other is not tool:
            # What a flawed sibling says of its flaw is beside the point.
            own -= other.words if other.flaw < FLAWED else frozenset()
            own.difference_update(words(other.name))
    return bool(own)


def _harm(tool: KnownTool) -> float:
    return tool.flaw + tool.hint


def _rivalry(tool: KnownTool, rivals: Sequence[KnownTool], mildest: float) -> float:
    """Return the doubt in a tool among others that claim the same and disclose no flaw either."""
    if not rivals:
        return 0.0
    if tool.hint > mildest + HINTED:
        return LOOK_ALIKE + HINT_WEIGHT * (tool.hint - mildest)
    close = any(other.hint <= tool.hint + HINTED for other in rivals)
    return LOOK_ALIKE if close else PLAINEST


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
