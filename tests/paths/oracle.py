"""A brute-force oracle: every subset of the tools, tried out."""

from __future__ import annotations

import random
from dataclasses import dataclass

Spec = tuple[str, tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class Case:
    tools: tuple[Spec, ...]
    start: tuple[str, ...]
    targets: tuple[str, ...]

    def closure(self, names: frozenset[str]) -> set[str]:
        have = set(self.start)
        before = -1
        while before != len(have):
            before = len(have)
            for name, needs, gives in self.tools:
                if name in names and have.issuperset(needs):
                    have.update(gives)
        return have

    def minimal_sets(self) -> set[frozenset[str]]:
        tools = self.tools
        names = sorted({d for _, needs, gives in tools for d in (*needs, *gives)} | {*self.start, *self.targets})

        def mask_of(datatypes: tuple[str, ...]) -> int:
            return sum(1 << names.index(d) for d in set(datatypes))

        facts = [(mask_of(needs), mask_of(gives)) for _, needs, gives in tools]
        start, targets = mask_of(self.start), mask_of(self.targets)

        def solves(subset: int) -> bool:
            have, before = start, -1
            while before != have:
                before = have
                for i, (needs, gives) in enumerate(facts):
                    if subset >> i & 1 and not needs & ~have:
                        have |= gives
            return not targets & ~have

        solution = [solves(subset) for subset in range(1 << len(tools))]
        return {
            frozenset(tools[i][0] for i in range(len(tools)) if subset >> i & 1)
            for subset in range(1 << len(tools))
            if solution[subset] and not any(subset >> i & 1 and solution[subset ^ 1 << i] for i in range(len(tools)))
        }

    def orders(self, names: frozenset[str]) -> set[tuple[str, ...]]:
        facts = {name: (set(needs), set(gives)) for name, needs, gives in self.tools}
        found = set()

        def go(calls: tuple[str, ...], have: frozenset[str]) -> None:
            if len(calls) == len(names):
                found.add(calls)
            for name in names - set(calls):
                needs, gives = facts[name]
                if needs <= have and not gives <= have:
                    go((*calls, name), have | gives)

        go((), frozenset(self.start))
        return found


def random_case(rng: random.Random, most_tools: int = 9) -> Case:
    """A small tool set of any shape: cycles, several inputs, outputs and targets, tools without inputs.

    Most are dense enough to have several minimal sets; a few have none, or the empty one.
    """
    datatypes = [f"d{i}" for i in range(rng.randint(2, 6))]
    most_inputs, most_outputs = rng.choice([(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (2, 3), (3, 3)])
    fewest_inputs = rng.choice([0, 1, 1, 1, 1, 1])
    start = rng.sample(datatypes, rng.choice([0, 1, 1, 1, 1, 2]))
    for attempt in range(20):
        tools = []
        for i in range(rng.randint(most_tools - 3, most_tools)):
            needs = rng.sample(datatypes, min(rng.randint(fewest_inputs, most_inputs), len(datatypes)))
            gives = rng.sample(datatypes, min(rng.randint(1, most_outputs), len(datatypes)))
            tools.append((f"t{i}", tuple(needs), tuple(gives)))
        targets = rng.sample(datatypes, min(rng.choice([1, 1, 1, 2, 3]), len(datatypes)))
        case = Case(tuple(tools), tuple(start), tuple(targets))
        solvable = case.closure(frozenset(name for name, _, _ in tools)).issuperset(targets)
        if attempt == 0 and rng.random() < 0.1:
            break  # whatever it is
        if solvable and not set(start).issuperset(targets):
            break
    return case
