"""How many turns an answer takes at least: from where an episode stands, and with the retrievals it made.

Both are exact: a bound from below and a plan from above mostly meet, and where they don't the path engine decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planbench_xl.metrics.facts import Facts, facts_of
from planbench_xl.metrics.needed import Edge, OpenPaths, bits, closure
from planbench_xl.paths import ToolGraph, ToolSpec, shortest
from planbench_xl.world import World

_KEY = "_analysis_horizons"

SEARCH_SECONDS = 10.0
"""Time for one search, after which its answer is a bound and marked so."""

MAX_STEPS = 2_000
"""Steps of one search for a cheaper plan, after which the path engine takes over."""


class Horizon:
    """Fewest turns to the answer in one task with some tools blocked.

    Tools that lead nowhere near the targets don't matter and are left out; tools with the same inputs and output count
    as one. Sets of tools are masks, a bit for each such group.

    Attributes:
        exact: No answer so far was given up for lack of time.
    """

    def __init__(self, facts: Facts, paths: OpenPaths) -> None:
        self.exact = True
        self._facts = facts
        self._paths = paths
        # Of the ways to make a datatype, the one with the fewest inputs comes first: it mostly costs least.
        self._edges = sorted(paths.edges, key=lambda edge: edge[0].bit_count())
        self._place = {edge: 1 << place for place, edge in enumerate(self._edges)}
        self._takers: dict[int, list[int]] = {}
        self._makers: dict[int, list[int]] = {}
        for place, (needs, gives) in enumerate(self._edges):
            for bit in bits(needs):
                self._takers.setdefault(bit, []).append(place)
            for bit in bits(gives):
                self._makers.setdefault(bit, []).append(place)
        self._shown = {name: bit for edge, bit in self._place.items() for name in facts.tools_of[edge]}
        self._rest: dict[tuple[int, int], int] = {}
        self._fewest: dict[frozenset[int], int] = {}

    @property
    def start(self) -> int:
        """The task's inputs, as a mask of the facts."""
        return self._paths.start

    @property
    def everything(self) -> int:
        """All tools that matter, as a mask."""
        return (1 << len(self._edges)) - 1

    def shown(self, names: Iterable[str]) -> int:
        """Return those of some tools that matter, as a mask."""
        mask = 0
        for name in self._shown.keys() & names:
            mask |= self._shown[name]
        return mask

    def rest(self, obtained: int, seen: int) -> int | None:
        """Return the fewest turns to the answer: a call per tool, a retrieval for each tool not yet seen, the answer.

        Args:
            obtained: Datatypes obtained, as a mask of the facts.
            seen: Tools discovered.

        Returns:
            The number of turns, the answer included; None if the targets can't be reached.
        """
        if not self._paths.solvable:
            return None
        key = (obtained & self._paths.relevant, seen)
        if key not in self._rest:
            self._rest[key] = 1 + self._cost(*key, self.everything)
        return self._rest[key]

    def _cost(self, obtained: int, seen: int, allowed: int) -> int:
        """Return the fewest calls and retrievals with some tools allowed, which must reach the targets."""
        level, maker = self._levels(obtained, seen, allowed)
        targets = bits(self._paths.targets & ~obtained)
        lower = max((level[bit] for bit in targets), default=0)
        upper = self._price(obtained, seen, targets, maker)
        if lower == upper:
            return lower
        plan = _Plan(self._edges, self._makers, obtained, seen, allowed, level)
        for most in range(lower, upper):
            found = plan.within(most, targets) if self._paths.single else None
            if found is None:
                return self._search(obtained, self._one_by_one(seen, allowed))
            if found:
                return most
        return upper

    def _levels(self, obtained: int, seen: int, allowed: int) -> tuple[dict[int, int], dict[int, int]]:
        """Return, per datatype, the price of the dearest chain behind it and a tool at its end: a bound from below."""
        edges, takers = self._edges, self._takers
        level: dict[int, int] = {}
        maker: dict[int, int] = {}
        have = 0
        due: list[list[tuple[int, int]]] = [[(bit, -1) for bit in bits(obtained)]]
        now = 0
        while now < len(due):
            for bit, place in due[now]:
                if have & bit:
                    continue
                have |= bit
                level[bit] = now
                maker[bit] = place
                for taker in takers.get(bit, ()):
                    needs, gives = edges[taker]
                    if allowed >> taker & 1 and not needs & ~have and gives & ~have:
                        then = now + (1 if seen >> taker & 1 else 2)
                        while len(due) <= then:
                            due.append([])
                        due[then] += [(given, taker) for given in bits(gives & ~have)]
            now += 1
        return level, maker

    def _price(self, obtained: int, seen: int, targets: Sequence[int], maker: dict[int, int]) -> int:
        """Return the price of one way to reach the targets: a bound from above."""
        chosen: set[int] = set()
        done = obtained
        todo = list(targets)
        while todo:
            bit = todo.pop()
            if done & bit:
                continue
            done |= bit
            chosen.add(maker[bit])
            todo += bits(self._edges[maker[bit]][0] & ~done)
        return sum(1 if seen >> place & 1 else 2 for place in chosen)

    def _one_by_one(self, seen: int, allowed: int) -> Iterable[ToolSpec]:
        """Yield tools; one that isn't seen yet waits for a retrieval of its own."""
        for place, edge in enumerate(self._edges):
            if not allowed >> place & 1:
                continue
            if seen >> place & 1:
                yield _spec(f"call {place}", edge)
            else:
                yield _spec(f"call {place}", edge, f"tool {place}")
                yield f"retrieval {place}", (), (f"tool {place}",)

    def fewest(self, retrievals: Iterable[int]) -> int | None:
        """Return the fewest turns to the answer with some of the retrievals made, the calls that they allow, and it.

        Args:
            retrievals: What each retrieval showed.

        Returns:
            The number of turns; None if the tools shown don't reach the targets.
        """
        masks = set(retrievals)
        shown = 0
        for mask in masks:
            shown |= mask
        leading = self._leading(shown)
        if leading is None:
            return None
        key = frozenset(_undominated(mask & leading for mask in masks))
        if key not in self._fewest:
            self._fewest[key] = 1 + self._least(sorted(key), leading)
        return self._fewest[key]

    def _least(self, retrievals: Sequence[int], leading: int) -> int:
        start = self._paths.start
        if self._one_each(retrievals, leading):
            return self._cost(start, 0, leading)
        return self._search(start, self._by_retrieval(retrievals))

    def _one_each(self, retrievals: Sequence[int], leading: int) -> bool:
        """Say whether no plan without waste calls two tools that one retrieval shows: then each costs a retrieval.

        A plan has one tool for each datatype. If it is a mere chain, it also has one tool at most that takes each.
        """
        open_targets = self._paths.targets & ~self._paths.start
        chain = open_targets.bit_count() == 1 and all(needs.bit_count() == 1 for needs, _ in self._members(leading))
        for mask in retrievals:
            members = self._members(mask)
            alike = len({gives for _, gives in members}) == 1 or (chain and len({needs for needs, _ in members}) == 1)
            if not alike:
                return False
        return self._paths.single

    def _members(self, mask: int) -> list[Edge]:
        return [self._edges[bit.bit_length() - 1] for bit in bits(mask)]

    def _leading(self, shown: int) -> int | None:
        """Return those of some tools that lead from the inputs to the targets; None if they don't reach them."""
        paths = self._paths
        edges = [(bit, *self._edges[bit.bit_length() - 1]) for bit in bits(shown)]
        reached = closure(((needs, gives) for _, needs, gives in edges), paths.start, 0)
        if not paths.solvable or paths.targets & ~reached:
            return None
        wanted = paths.targets & ~paths.start
        leading = 0
        while True:
            new = 0
            for bit, needs, gives in edges:
                if gives & wanted and not needs & ~reached and not leading & bit:
                    new |= bit
                    wanted |= needs & ~paths.start
            if not new:
                return leading
            leading |= new

    def _by_retrieval(self, retrievals: Sequence[int]) -> Iterable[ToolSpec]:
        """Yield the tools shown, once per retrieval that showed them; each waits for that retrieval."""
        for number, mask in enumerate(retrievals):
            yield f"retrieval {number}", (), (f"shown {number}",)
            for place, edge in enumerate(self._edges):
                if mask >> place & 1:
                    yield _spec(f"call {place} after {number}", edge, f"shown {number}")

    def _search(self, obtained: int, tools: Iterable[ToolSpec]) -> int:
        found = shortest(ToolGraph(tools), _names(obtained), _names(self._paths.targets), SEARCH_SECONDS)
        self.exact = self.exact and found.exact
        assert found.size is not None  # both callers have made sure that the targets can be reached
        return found.size


class _Plan:
    """Looks for a way to the targets at a price, backward from them, depth first. Every tool gives one datatype."""

    def __init__(
        self,
        edges: Sequence[Edge],
        makers: dict[int, list[int]],
        obtained: int,
        seen: int,
        allowed: int,
        level: dict[int, int],
    ) -> None:
        self._edges = edges
        self._makers = makers
        self._obtained = obtained
        self._seen = seen
        self._allowed = allowed
        self._level = level
        self._steps = 0

    def within(self, most: int, targets: Sequence[int]) -> bool | None:
        """Say whether there is a way at this price or below; None if the search took too long."""
        self._steps = 0
        found = self._extend(most, 0, frozenset(), 0, tuple((bit, 0, 0) for bit in targets))
        return None if self._steps > MAX_STEPS else found

    def _extend(
        self, most: int, price: int, chosen: frozenset[int], decided: int, pending: tuple[tuple[int, int, int], ...]
    ) -> bool:
        """Choose a tool for a pending datatype: each has with it what depends on it, and the price of that chain."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            return False
        if not pending:
            edges = [self._edges[place] for place in chosen]
            return not decided & ~closure(edges, self._obtained, 0)
        # The dearest chain first: its bound decides soonest.
        pending = tuple(sorted(pending, key=lambda entry: entry[2] + self._level[entry[0]]))
        bit, above, chain = pending[-1]
        rest = pending[:-1]
        for place in self._makers[bit]:
            needs, _ = self._edges[place]
            cost = 1 if self._seen >> place & 1 else 2
            if not self._allowed >> place & 1 or needs & (above | bit):
                continue
            if any(need not in self._level for need in bits(needs)):
                continue
            after = {other: (over, dear) for other, over, dear in rest}
            for need in bits(needs & ~self._obtained & ~decided):
                over, dear = after.get(need, (0, 0))
                after[need] = (over | above | bit, max(dear, chain + cost))
            left = tuple((other, over, dear) for other, (over, dear) in after.items())
            if price + cost + len(left) > most or any(dear + self._level[other] > most for other, _, dear in left):
                continue
            if self._extend(most, price + cost, chosen | {place}, decided | bit, left):
                return True
        return False


def horizon_of(world: World, task_id: str, blocked: frozenset[str]) -> Horizon:
    """Return the horizon of a task with some tools blocked, made once per world."""
    # Kept where the world's own cached properties are, so that they live exactly as long as the world.
    known: dict[tuple[str, frozenset[str]], Horizon] = world.__dict__.setdefault(_KEY, {})
    key = (task_id, blocked)
    if key not in known:
        facts = facts_of(world)
        known[key] = Horizon(facts, facts.open_paths(task_id, blocked))
    return known[key]


def _undominated(masks: Iterable[int]) -> list[int]:
    """Return the masks that are no part of another."""
    kept: list[int] = []
    for mask in sorted({mask for mask in masks if mask}, key=lambda mask: -mask.bit_count()):
        if not any(mask & ~other == 0 for other in kept):
            kept.append(mask)
    return kept


def _names(mask: int) -> list[str]:
    return [f"d{bit.bit_length()}" for bit in bits(mask)]


def _spec(name: str, edge: tuple[int, int], *needs: str) -> ToolSpec:
    return name, (*_names(edge[0]), *needs), _names(edge[1])
