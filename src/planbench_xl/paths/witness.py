"""A quick try at a minimal tool set through a given tool: linear time, no promise to find one."""

from __future__ import annotations

from collections.abc import Iterable

from planbench_xl.paths.problem import Problem, bits


def quick_set_through(problem: Problem, tool: int, deep: bool) -> int:
    """Try to find a minimal set with this tool by forward chaining twice.

    First the tool's inputs are derived without what the tool gives. Then the tool is called, and from there
    on tools that take something that goes back to it are called before all others; the targets' first
    producers, followed backward, then tend to lead through the tool.

    Args:
        problem: A solvable task with open targets.
        tool: Number of the tool within the problem.
        deep: Whether newly callable tools go first (long chains) or last (short ones).

    Returns:
        The set as a mask, or 0 if this way found none.
    """
    facts = problem.facts
    goals = bits(problem.goals)
    makers: dict[int, int] = {}
    barred = set(facts.gives[tool])
    if len(goals) == 1:
        barred.update(goals)  # a single target is no step on the way to itself
    _chain(problem, makers, [], barred, facts.needs[tool], deep)
    if any(datatype not in makers for datatype in facts.needs[tool]):
        return 0
    base = _behind(problem, makers, facts.needs[tool])
    kept = {datatype: makers[datatype] for datatype in base}
    for datatype in facts.gives[tool]:
        kept[datatype] = tool
    _chain(problem, kept, facts.gives[tool], set(), goals, deep)
    if any(datatype not in kept for datatype in goals):
        return 0
    chosen = 0
    for datatype in _behind(problem, kept, goals):
        chosen |= 1 << kept[datatype]
    if not chosen >> tool & 1 or (problem.several and not problem.is_minimal(chosen)):
        return 0
    return chosen


def _chain(
    problem: Problem, makers: dict[int, int], hot: list[int], barred: set[int], goals: list[int], deep: bool
) -> None:
    """Chain forward from the datatypes in `makers`, adding first producers, until the goals are there.

    Tools that take a datatype of `hot`, or one that goes back to it, are called first.
    """
    facts = problem.facts
    waits = list(facts.waits)
    heated = set(hot)
    queues: tuple[list[int], list[int]] = ([], [tool for tool, count in enumerate(waits) if count == 0])
    heads = [0, 0]
    missing = {goal for goal in goals if goal not in makers}

    def settle(datatype: int) -> None:
        warm = datatype in heated
        for taker in facts.takers[datatype]:
            waits[taker] -= 1
            if waits[taker] == 0:
                is_hot = warm or any(needed in heated for needed in facts.needs[taker])
                queues[0 if is_hot else 1].append(taker)

    for datatype in list(makers):
        settle(datatype)
    while missing:
        which = 0 if heads[0] < len(queues[0]) else 1
        queue = queues[which]
        if heads[which] >= len(queue):
            return
        if deep:
            tool = queue.pop()
        else:
            tool = queue[heads[which]]
            heads[which] += 1
        for datatype in facts.gives[tool]:
            if datatype in makers or datatype in barred:
                continue
            makers[datatype] = tool
            missing.discard(datatype)
            if which == 0:
                heated.add(datatype)
            settle(datatype)


def _behind(problem: Problem, makers: dict[int, int], goals: Iterable[int]) -> set[int]:
    """Return the datatypes that the goals go back to along their producers, themselves included."""
    found = set(goals)
    todo = list(found)
    while todo:
        for datatype in problem.facts.needs[makers[todo.pop()]]:
            if datatype not in found:
                found.add(datatype)
                todo.append(datatype)
    return found
