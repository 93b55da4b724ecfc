"""Looks tools up by what an agent was shown, so that agents made for exact searches can play without them.

Only what the agent was shown is used: what tools, arguments and their descriptions are called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from planbench_xl.agents.phrases import output_phrases, resemblance, words
from planbench_xl.environment import Action, Event, Observation, ToolView, answer
from planbench_xl.world import Value

LOOK_UPS = 300
"""After so many looks in a row without a call, the agent gives up."""


NAMED = 0.6
"""Resemblance to a name from which a phrase is taken for it, whatever descriptions say."""

LENGTH_WEIGHT = 0.002
"""How much less each word of a description makes it fit."""

_TICKED = re.compile(r"`[^`]*`")


class Searcher(Protocol):
    """An agent that acts by structured actions."""

    def reset(self, seed: int) -> None:
        """Start an episode."""

    def act(self, observation: Observation) -> Action:
        """Answer an observation."""


class Inventory:
    """Tools by what they take and return. Arguments of one description are the same thing, whatever their names."""

    def __init__(self, tools: Sequence[ToolView]) -> None:
        self._surfaces: dict[str, tuple[frozenset[str], str]] = {}
        self._about: list[tuple[frozenset[str], str]] = []
        self._tools: list[tuple[ToolView, frozenset[str], frozenset[str]]] = []
        for tool in tools:
            for name, spec in tool.parameters["properties"].items():
                about = str(spec.get("description", "")) or _plain(name)
                self._note(_plain(name), about)
                self._note(about, about)
        for tool in tools:
            outputs = output_phrases(tool.name)
            for phrase in outputs:
                self._note(phrase, phrase)
            if len(outputs) == 1:
                text = f"{_TICKED.sub(' ', tool.description)} {outputs[0]}"
                self._about.append((frozenset(words(text)), self._thing(outputs[0])))
            takes = frozenset(self._thing(_plain(name)) for name in tool.parameters["properties"])
            self._tools.append((tool, takes, frozenset(map(self._thing, outputs))))

    def _note(self, surface: str, thing: str) -> None:
        self._surfaces.setdefault(surface, (frozenset(words(surface)), thing))

    def _thing(self, surface: str) -> str:
        return self._surfaces[surface][1]

    def _meant(self, phrase: str) -> str:
        """Return what a phrase most resembles."""
        known = self._surfaces.get(_plain(phrase))
        if known is not None:
            return known[1]
        said = frozenset(words(phrase))
        named = max(((resemblance(said, own), thing) for own, thing in self._surfaces.values()), default=(0.0, ""))
        if not said or named[0] >= NAMED:
            return named[1]
        # A description that has the phrase's words in passing is mostly a long one.
        told = ((len(said & own) / len(said) - LENGTH_WEIGHT * len(own), thing) for own, thing in self._about)
        return max(named, max(told, default=named))[1]

    def look_up(self, request: Mapping[str, Value]) -> tuple[ToolView, ...]:
        """Return the tools that fit a request for tools."""
        output = request.get("output_information")
        inputs = request.get("input_information")
        wanted = self._meant(output) if output else None
        given = frozenset(map(self._meant, inputs)) if inputs else None
        return tuple(
            tool
            for tool, takes, returns in self._tools
            if (wanted is None or wanted in returns) and (given is None or takes == given)
        )


class WithInventory:
    """Plays an agent that searches for tools where all are shown at once: its searches are answered on the spot."""

    def __init__(self, agent: Searcher) -> None:
        self._agent = agent
        self._inventory = Inventory(())

    def reset(self, seed: int) -> None:
        """Start an episode."""
        self._agent.reset(seed)

    def act(self, observation: Observation) -> Action:
        """Let the agent search until it does something else."""
        if observation.event is Event.QUERY:
            self._inventory = Inventory(observation.tools)
            observation = msgspec.structs.replace(observation, tools=())
        for _ in range(LOOK_UPS):
            action = self._agent.act(observation)
            if action.kind != "retrieve" or isinstance(action.body, str):
                return action
            found = self._inventory.look_up(action.body)
            observation = Observation(
                event=Event.TOOLS, turn=observation.turn, turns_left=observation.turns_left, tools=found
            )
        return answer("I can't determine it.")


class WithSieve:
    """Plays an agent made for exact searches where they give whatever is like the request.

    Each search is answered by the tools that fit its request, of all those seen so far.
    """

    def __init__(self, agent: Searcher) -> None:
        self._agent = agent
        self._seen: dict[str, ToolView] = {}
        self._request: Mapping[str, Value] = {}

    def reset(self, seed: int) -> None:
        """Start an episode."""
        self._agent.reset(seed)
        self._seen = {}
        self._request = {}

    def act(self, observation: Observation) -> Action:
        """Let the agent see what fits of what was found."""
        if observation.event is Event.TOOLS:
            self._seen |= {tool.name: tool for tool in observation.tools}
            fitting = Inventory(tuple(self._seen.values())).look_up(self._request)
            observation = msgspec.structs.replace(observation, tools=fitting)
        action = self._agent.act(observation)
        if action.kind == "retrieve" and not isinstance(action.body, str):
            self._request = action.body
        return action


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").lower().split())
