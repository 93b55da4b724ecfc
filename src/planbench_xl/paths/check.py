"""A small checker that shares no code with the search: it works on names and follows the definitions."""

from __future__ import annotations

from collections.abc import Iterable

from planbench_xl.paths.graph import ToolGraph


def is_solution(graph: ToolGraph, start: Iterable[str], targets: Iterable[str], tool_set: Iterable[str]) -> bool:
    """Return whether forward chaining with these tools alone reaches every target.

    Raises:
        PathError: `tool_set` names a tool that is not in the graph.
    """
    have = set(start)
    waiting = {tool: graph.inputs(tool) for tool in tool_set}
    while True:
        callable_now = [tool for tool, needs in waiting.items() if needs <= have]
        if not callable_now:
            return have.issuperset(targets)
        for tool in callable_now:
            have |= graph.outputs(tool)
            del waiting[tool]


def is_minimal_solution(
    graph: ToolGraph, start: Iterable[str], targets: Iterable[str], tool_set: Iterable[str]
) -> bool:
    """Return whether a tool set is a solution and no strict subset of it is one.

    More tools never reach less, so leaving out one tool at a time is enough.

    Raises:
        PathError: `tool_set` names a tool that is not in the graph.
    """
    tools, given, wanted = frozenset(tool_set), frozenset(start), frozenset(targets)
    if not is_solution(graph, given, wanted, tools):
        return False
    return not any(is_solution(graph, given, wanted, tools - {tool}) for tool in tools)
