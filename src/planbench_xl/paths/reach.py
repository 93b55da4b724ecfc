"""Forward chaining: what can be reached, and one minimal tool set that reaches it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from planbench_xl.paths.graph import PathError, ToolGraph

UNREACHED = -1


def forward(
    graph: ToolGraph, start: Iterable[int], banned: Collection[int] = (), rounds: int | None = None
) -> tuple[list[int], list[int]]:
    """Chain forward from datatype ids, breadth first, for so many rounds of calls at most.

    Each tool counts its inputs down once, so time and memory are linear in the size of the graph.

    Returns:
        The level of every datatype (0 for the start, else the fewest rounds of calls after which it is
        there, `UNREACHED` if never) and the tools in the order in which they become callable.
    """
    level = [UNREACHED] * len(graph._datatypes)
    missing = graph._waits.copy()
    for tool in banned:
        missing[tool] = -1
    outs, consumers = graph._outs, graph._consumers
    fired = [tool for tool in graph._free if missing[tool] == 0]
    ready: list[int] = []
    for datatype in start:
        if level[datatype] == UNREACHED:
            level[datatype] = 0
            ready.append(datatype)
    # One round per level: tools fired in this round give datatypes of the next level.
    done, depth = 0, 0
    while (ready or done < len(fired)) and depth != rounds:
        for datatype in ready:
            for tool in consumers[datatype]:
                missing[tool] -= 1
                if missing[tool] == 0:
                    fired.append(tool)
        ready = []
        depth += 1
        for tool in fired[done:]:
            for datatype in outs[tool]:
                if level[datatype] == UNREACHED:
                    level[datatype] = depth
                    ready.append(datatype)
        done = len(fired)
    return level, fired


def tool_ids(graph: ToolGraph, names: Iterable[str]) -> set[int]:
    """Return the ids of tool names; raises `PathError` for an unknown one."""
    if isinstance(names, str):
        raise PathError(f"expected a collection of tool names, got the string {names!r}")
    return {graph._tool_id(name) for name in names}


def reachable(graph: ToolGraph, start: Iterable[str], without: Iterable[str] = ()) -> frozenset[str]:
    """Return every datatype that can be obtained from the start, the start included.

    Args:
        graph: The tools.
        start: The datatypes given (paper: D0). Names that no tool uses are kept in the answer.
        without: Tools that can't be called, for example blocked ones.

    Raises:
        PathError: `without` names a tool that is not in the graph.
    """
    given = frozenset(start)
    level, _ = forward(graph, graph._known(given), tool_ids(graph, without))
    return given | {graph._datatypes[d] for d, depth in enumerate(level) if depth != UNREACHED}


def reachable_within(graph: ToolGraph, start: Iterable[str], rounds: int) -> frozenset[str]:
    """Return every datatype that can be obtained in so many rounds of calls, the start included.

    A round calls all that can be called by then, so a minimal tool set of this many tools needs no more rounds.
    """
    given = frozenset(start)
    level, _ = forward(graph, graph._known(given), rounds=rounds)
    return given | {graph._datatypes[d] for d, depth in enumerate(level) if depth != UNREACHED}


def between(graph: ToolGraph, start: Iterable[str], targets: Iterable[str]) -> ToolGraph:
    """Return the tools that can be called from the start and from which a target can be reached: all that can matter.

    Every minimal tool set of any of the targets consists of them.
    """
    level, fired = forward(graph, graph._known(start))
    makers: dict[int, list[int]] = {}
    for tool in fired:
        for datatype in graph._outs[tool]:
            makers.setdefault(datatype, []).append(tool)
    todo = graph._known(targets)
    seen = set(todo)
    kept: set[int] = set()
    while todo:
        for tool in makers.get(todo.pop(), ()):
            if tool not in kept:
                kept.add(tool)
                new = [datatype for datatype in graph._ins[tool] if level[datatype] and datatype not in seen]
                seen.update(new)
                todo += new
    return graph._subgraph(sorted(kept))


def survives(graph: ToolGraph, start: Iterable[str], targets: Iterable[str], removed: Iterable[str] = ()) -> bool:
    """Return whether the targets can still be reached when tools are removed.

    True exactly if at least one minimal tool set avoids every removed tool. Linear time.

    Raises:
        PathError: `removed` names a tool that is not in the graph.
    """
    return frozenset(targets) <= reachable(graph, start, removed)


def some_minimal_set(
    graph: ToolGraph, start: Iterable[str], targets: Iterable[str], without: Iterable[str] = ()
) -> frozenset[str] | None:
    """Return one minimal tool set, quickly and without a promise about its size.

    Forward chaining, then backward along the earliest producer of each datatype needed, then removal of
    tools that turn out not to be needed. Linear in the graph, quadratic in the set found.

    Returns:
        The tool set; empty if the start holds the targets; None if the targets can't be reached.

    Raises:
        PathError: `without` names a tool that is not in the graph.
    """
    given = frozenset(start)
    open_targets = frozenset(targets) - given
    if any(d not in graph._datatype_ids for d in open_targets):
        return None
    goals = graph._known(open_targets)
    found = greedy_set(graph, graph._known(given), goals, tool_ids(graph, without))
    return None if found is None else frozenset(graph._names[tool] for tool in found)


def greedy_set(graph: ToolGraph, start: list[int], goals: list[int], banned: Collection[int] = ()) -> list[int] | None:
    """Do the work of `some_minimal_set` on ids; `goals` must not hold start datatypes."""
    level, fired = forward(graph, start, banned)
    if any(level[goal] == UNREACHED for goal in goals):
        return None
    producer: dict[int, int] = {}
    for tool in fired:
        for datatype in graph._outs[tool]:
            producer.setdefault(datatype, tool)
    chosen: set[int] = set()
    todo, seen = list(goals), set(goals)
    while todo:
        tool = producer[todo.pop()]
        if tool in chosen:
            continue
        chosen.add(tool)
        for datatype in graph._ins[tool]:
            if level[datatype] != 0 and datatype not in seen:
                seen.add(datatype)
                todo.append(datatype)
    return _shrink(graph, start, goals, [tool for tool in fired if tool in chosen])


def _shrink(graph: ToolGraph, start: list[int], goals: list[int], ordered: list[int]) -> list[int]:
    """Drop tools that aren't needed from a solution listed in a legal order."""
    if all(len(graph._outs[tool]) == 1 for tool in ordered):
        return ordered  # one producer per datatype, each needed: nothing can be dropped
    wanted = set(goals)
    kept = list(ordered)
    for tool in reversed(ordered):
        fewer = [other for other in kept if other != tool]
        if wanted <= _obtained(graph, start, fewer):
            kept = fewer
    return kept


def _obtained(graph: ToolGraph, start: list[int], tools: list[int]) -> set[int]:
    """Chain forward with a few tools; passes repeat until nothing is new."""
    have = set(start)
    waiting = tools
    while waiting:
        blocked = []
        for tool in waiting:
            if have.issuperset(graph._ins[tool]):
                have.update(graph._outs[tool])
            else:
                blocked.append(tool)
        if len(blocked) == len(waiting):
            break
        waiting = blocked
    return have
