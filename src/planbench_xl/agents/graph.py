"""What an agent has learnt of the tool graph: concepts, the tools between them, and how far everything is.

A *concept* is the agent's own guess of what several phrases have in common; it never sees datatypes. Costs are kept
up to date as things are learnt, so that a turn late in an episode takes no longer than an early one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from heapq import heappop, heappush
from math import inf

from planbench_xl.environment import ToolView
from planbench_xl.world import Value


class KnownTool:
    """A tool as the agent understands it.

    Attributes:
        view: What it was shown.
        slots: Concept key of each argument, by name.
        outputs: Concept keys of what it returns.
        words: Stems of its description.
        flaw: How strongly its description discloses a flaw.
        hint: How much its description hints at one.
        failures: How often it has failed openly.
        tries: How often it may fail before it is given up; 0: it has never failed.
        rest: Turn until which it asks not to be called.
        doubt: Extra cost of relying on it, in turns.
        rivals: Other tools that claim the same and disclose no flaw.
        dead: It was tried and is of no use.
    """

    def __init__(self, view: ToolView, slots: dict[str, int], outputs: tuple[int, ...], words: frozenset[str]) -> None:
        self.view = view
        self.slots = slots
        self.outputs = outputs
        self.words = words
        self.flaw = 0.0
        self.hint = 0.0
        self.failures = 0
        self.tries = 0
        self.rest = 0
        self.doubt = 0.0
        self.dead = False
        self.rivals: list[KnownTool] = []

    @property
    def name(self) -> str:
        """The name it is called by."""
        return self.view.name


@lru_cache(maxsize=65_536)
def _normal(phrase: str) -> str:
    return " ".join(phrase.lower().replace("_", " ").split())


class Held:
    """A value at hand.

    Attributes:
        forms: The value as it may have to be written, the likeliest first.
        source: The tool that returned it; none for a value of the query.
        confirmed: It was an argument of a call that was executed.
        odd: How implausible it looks.
    """

    def __init__(self, forms: tuple[Value, ...], source: KnownTool | None = None, odd: float = 0.0) -> None:
        self.forms = forms
        self.source = source
        self.confirmed = False
        self.odd = odd


class Graph:
    """Concepts and tools, with the cost of reaching each concept and its distance from the goals.

    Attributes:
        cost: Per concept, the estimated number of calls to obtain it; 0 if a value is held.
        via: Per concept, the tool by which it is reached at that cost; none if a value is held.
        distance: Per concept, the estimated number of calls from it to a goal.
        touched: Concepts of which something has changed; whoever reads it empties it.
        asked_for: Concepts that were looked for as outputs.
        asked_from: Concepts that were looked for as inputs.
    """

    def __init__(self) -> None:
        self.phrases: dict[int, list[str]] = {}
        self.cost: dict[int, float] = {}
        self.via: dict[int, KnownTool] = {}
        self.distance: dict[int, float] = {}
        self.tools: dict[str, KnownTool] = {}
        self.producers: dict[int, list[KnownTool]] = {}
        self._consumers: dict[int, list[KnownTool]] = {}
        self._parent: list[int] = []
        self._keys: dict[str, int] = {}
        self._held: dict[int, Held] = {}
        self._goals: set[int] = set()
        self.touched: list[int] = []
        self.asked_for: set[int] = set()
        self.asked_from: set[int] = set()

    def concept(self, phrase: str) -> int:
        """Return the concept of a phrase; a new one if it was never read."""
        normal = _normal(phrase)
        key = self._keys.get(normal)
        if key is None:
            key = self._keys[normal] = len(self._parent)
            self._parent.append(key)
            self.phrases[key] = [normal]
        return self.find(key)

    def known(self, phrase: str) -> int | None:
        """Return the concept of a phrase, if it was read before."""
        key = self._keys.get(phrase)
        return None if key is None else self.find(key)

    def fresh(self) -> int:
        """Return a new concept that no phrase names yet."""
        key = len(self._parent)
        self._parent.append(key)
        self.phrases[key] = []
        return key

    def find(self, key: int) -> int:
        """Return the concept that a key belongs to by now."""
        parent = self._parent
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    def merge(self, a: int, b: int) -> int:
        """Make two concepts one and return it."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        self._parent[b] = a
        self.phrases[a] += self.phrases.pop(b)
        for index in (self._consumers, self.producers):
            if b in index:
                index.setdefault(a, []).extend(index.pop(b))
        if b in self._held:
            self._held.setdefault(a, self._held.pop(b))
            self._held.pop(b, None)
        for marked in (self._goals, self.asked_for, self.asked_from):
            if b in marked:
                marked.remove(b)
                marked.add(a)
        self.touched.append(a)
        cost, via = self.cost.pop(b, inf), self.via.pop(b, None)
        if cost < self.cost.get(a, inf):
            self.cost[a] = cost
            self.via.pop(a, None)
            if via is not None:
                self.via[a] = via
        distance = min(self.distance.pop(b, inf), self.distance.get(a, inf))
        if distance < inf:
            self.distance[a] = distance
        if a in self.cost:
            self._spread_cost(self._consumers.get(a, ()))
        if a in self.distance:
            self._spread_distance([a])
        return a

    def add(self, tool: KnownTool) -> None:
        """Learn a tool."""
        self.tools[tool.name] = tool
        for key in {self.find(key) for key in tool.slots.values()}:
            self._consumers.setdefault(key, []).append(tool)
        for key in {self.find(key) for key in tool.outputs}:
            self.producers.setdefault(key, []).append(tool)
        self._spread_cost([tool])
        self._spread_distance(key for out in tool.outputs for key in self._pull_distance(tool, self.find(out)))

    def hold(self, key: int, held: Held) -> None:
        """Note that a value of a concept is at hand."""
        key = self.find(key)
        self._held[key] = held
        self.via.pop(key, None)
        self.touched.append(key)
        if self.cost.get(key, inf) > 0:
            self.cost[key] = 0
            self._spread_cost(self._consumers.get(key, ()))

    def held(self, key: int) -> Held | None:
        """Return the value of a concept that is at hand."""
        return self._held.get(self.find(key))

    def release(self, key: int) -> None:
        """Note that no value of a concept is at hand after all."""
        key = self.find(key)
        if self._held.pop(key, None) is not None:
            self.touched.append(key)
            self._forget([key])

    def worsen(self, tool: KnownTool) -> None:
        """Note that a tool has died, or that the doubt in it has grown. Distances stay, as estimates do."""
        self._forget([key for key in map(self.find, tool.outputs) if self.via.get(key) is tool])

    def aim(self, key: int) -> None:
        """Make a concept a goal."""
        key = self.find(key)
        self._goals.add(key)
        self.distance[key] = 0
        self.touched.append(key)
        self._spread_distance([key])

    def tool_cost(self, tool: KnownTool) -> float:
        """Return the estimated number of calls up to and with a tool."""
        if tool.dead:
            return inf
        total = 1 + tool.doubt
        for key in {self.find(key) for key in tool.slots.values()}:
            total += self.cost.get(key, inf)
        return total

    def consumers(self, key: int) -> Iterable[KnownTool]:
        """Return the tools that take a concept."""
        return self._consumers.get(self.find(key), ())

    def plan(self, goals: Iterable[int]) -> list[KnownTool]:
        """Return the tools that reach goals of finite cost, each after those that it needs."""
        order: dict[str, KnownTool] = {}
        seen: set[int] = set()

        def need(key: int) -> None:
            key = self.find(key)
            tool = self.via.get(key)
            if key in seen or tool is None:
                return
            seen.add(key)
            for slot in tool.slots.values():
                need(slot)
            order.setdefault(tool.name, tool)

        for goal in goals:
            need(goal)
        return list(order.values())

    def _forget(self, keys: Iterable[int]) -> None:
        """Work out afresh the costs of concepts, and of those that are reached through them."""
        pending = list(keys)
        stale: dict[int, None] = {}
        while pending:
            key = self.find(pending.pop())
            if key in stale or key in self._held:
                continue
            stale[key] = None
            for tool in self._consumers.get(key, ()):
                pending += [out for out in map(self.find, tool.outputs) if self.via.get(out) is tool]
        for key in stale:
            self.cost.pop(key, None)
            self.via.pop(key, None)
        self.touched += stale
        self._spread_cost([tool for key in stale for tool in self.producers.get(key, ())])

    def _spread_cost(self, tools: Iterable[KnownTool]) -> None:
        """Update the costs that follow from tools, and those that follow from these."""
        # Cheapest first, so that each concept is updated once: a tool costs more than anything it takes.
        pending: list[tuple[float, int, KnownTool]] = []
        count = 0

        def queue(tool: KnownTool) -> None:
            nonlocal count
            total = self.tool_cost(tool)
            if any(total < self.cost.get(key, inf) - 1e-9 for key in map(self.find, tool.outputs)):
                count += 1
                heappush(pending, (total, count, tool))

        for tool in tools:
            queue(tool)
        while pending:
            total, _, tool = heappop(pending)
            for key in map(self.find, tool.outputs):
                if total < self.cost.get(key, inf) - 1e-9:
                    self.cost[key] = total
                    self.via[key] = tool
                    self.touched.append(key)
                    for consumer in self._consumers.get(key, ()):
                        queue(consumer)

    def _spread_distance(self, keys: Iterable[int]) -> None:
        """Update the distances that follow from concepts, and those that follow from these."""
        pending = list(keys)
        while pending:
            out = self.find(pending.pop())
            for tool in self.producers.get(out, ()):
                pending += self._pull_distance(tool, out)

    def _pull_distance(self, tool: KnownTool, out: int) -> list[int]:
        """Update the distances of what a tool takes from that of what it returns; return what came nearer."""
        base = self.distance.get(out, inf)
        if base == inf or tool.dead:
            return []
        slots = {self.find(key) for key in tool.slots.values()}
        # Every further argument has to be obtained too.
        total = base + tool.doubt + len(slots)
        nearer = [key for key in slots if total < self.distance.get(key, inf) - 1e-9]
        for key in nearer:
            self.distance[key] = total
        self.touched += nearer
        return nearer
