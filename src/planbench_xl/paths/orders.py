"""The orders in which the tools of a set can be called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planbench_xl.paths.graph import ToolGraph
from planbench_xl.paths.reach import tool_ids


class _Set:
    """A tool set as masks: what each tool needs and gives, and what is there at the start."""

    def __init__(self, graph: ToolGraph, start: Iterable[str], tool_set: Iterable[str]) -> None:
        tools = sorted(tool_ids(graph, tool_set))
        given = set(graph._known(start))
        place: dict[int, int] = {}

        def mask(datatypes: Iterable[int]) -> int:
            total = 0
            for datatype in datatypes:
                if datatype not in given:
                    total |= 1 << place.setdefault(datatype, len(place))
            return total

        self.names = [graph._names[tool] for tool in tools]
        self.needs = [mask(graph._ins[tool]) for tool in tools]
        self.gives = [mask(graph._outs[tool]) for tool in tools]
        self.all = (1 << len(tools)) - 1

    def next(self, called: int, have: int) -> Iterator[tuple[int, int, int]]:
        """Give (tool, tools called then, datatypes there then) for every legal next call."""
        for tool, needs in enumerate(self.needs):
            if not called >> tool & 1 and not needs & ~have and self.gives[tool] & ~have:
                yield tool, called | 1 << tool, have | self.gives[tool]


def legal_orders(graph: ToolGraph, start: Iterable[str], tool_set: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """List the legal orders of a tool set lazily (paper section 3: the ground-truth paths of one set).

    An order is legal if every tool has its inputs when it is called and gives something new. All tools are
    called, each once; if they can't be, there is no order. The empty set has one order, the empty one.

    Args:
        graph: The tools.
        start: The datatypes given.
        tool_set: Names of tools.

    Returns:
        An iterator of tuples of tool names.

    Raises:
        PathError: `tool_set` names a tool that is not in the graph.
    """
    return _orders(_Set(graph, start, tool_set))


def _orders(tools: _Set) -> Iterator[tuple[str, ...]]:
    dead: set[int] = set()  # tools called from which the rest can't all be called
    calls: list[int] = []
    fruitful = [False]
    masks = [0]
    stack = [tools.next(0, 0)]
    if not tools.all:
        yield ()
        return
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            mask = masks.pop()
            if not fruitful.pop():
                dead.add(mask)
            elif fruitful:
                fruitful[-1] = True
            if calls:
                calls.pop()
            continue
        tool, called, have = step
        if called == tools.all:
            fruitful[-1] = True
            yield tuple(tools.names[index] for index in [*calls, tool])
        elif called not in dead:
            calls.append(tool)
            masks.append(called)
            fruitful.append(False)
            stack.append(tools.next(called, have))


def count_orders(graph: ToolGraph, start: Iterable[str], tool_set: Iterable[str]) -> int:
    """Count the legal orders of a tool set, exactly and without listing them.

    Orders that have called the same tools so far are counted together. Time and memory grow with the
    number of sets of tools that can come first: few where tools form chains, up to ``2 ** n`` at worst.

    Args:
        graph: The tools.
        start: The datatypes given.
        tool_set: Names of tools.

    Raises:
        PathError: `tool_set` names a tool that is not in the graph.
    """
    tools = _Set(graph, start, tool_set)
    layer: dict[int, tuple[int, int]] = {0: (0, 1)}
    for _ in tools.names:
        following: dict[int, tuple[int, int]] = {}
        for called, (have, ways) in layer.items():
            for _, then, there in tools.next(called, have):
                known = following.get(then)
                following[then] = (there, ways + (known[1] if known else 0))
        layer = following
    return sum(ways for _, ways in layer.values())
