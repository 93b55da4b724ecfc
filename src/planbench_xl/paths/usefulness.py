"""Which tools and datatypes lie on some minimal tool set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planbench_xl.paths.counting import greedy_mask, table_of
from planbench_xl.paths.deadline import Deadline
from planbench_xl.paths.graph import ToolGraph
from planbench_xl.paths.listing import MinimalToolSets
from planbench_xl.paths.problem import Pending, Problem
from planbench_xl.paths.witness import quick_set_through

SURVEY_SHARE = 0.5
"""Part of a time limit that goes into looking at all sets at once."""

FIRST_STATES = 200_000
"""Size of the table that is tried before tools are looked at one by one."""

FIRST_SETS = 20_000
"""Sets that are listed, where a table can't be made, before tools are looked at one by one."""

FIRST_STEPS = 100
"""Steps for each tool before any tool gets more."""


@dataclass(frozen=True)
class Useful:
    """The answer of `useful`.

    Attributes:
        tools: Tools that are in some minimal set, each one proved.
        datatypes: Datatypes that some minimal set needs: its targets and the inputs of its tools. A side
            output that no tool of the set takes is not needed.
        exact: Whether these are all of them.
        undecided: Tools that may or may not be in a minimal set; empty if exact.
    """

    tools: frozenset[str]
    datatypes: frozenset[str]
    exact: bool
    undecided: frozenset[str]


def useful(
    graph: ToolGraph,
    start: Iterable[str],
    targets: Iterable[str],
    time_limit: float | None = None,
) -> Useful:
    """Find the union of the tools, and of the datatypes needed, over all minimal tool sets.

    A table of the remainders of the search answers at once for all tools. Where it grows too large, or
    tools have several outputs and too many sets to list, a set through each tool is searched for. That
    is NP-hard in general: without a time limit the search runs until it is exact.

    Args:
        graph: The tools.
        start: The datatypes given.
        targets: The datatypes wanted.
        time_limit: Seconds after which the answer is what has been proved so far.
    """
    wanted = frozenset(targets)
    return useful_of(Problem(graph, start, wanted), wanted, Deadline(time_limit))


def useful_of(problem: Problem, wanted: frozenset[str], deadline: Deadline) -> Useful:
    """Do the work of `useful` on a pruned task."""
    if not problem.solvable:
        return Useful(frozenset(), frozenset(), True, frozenset())
    if not problem.goals:
        return Useful(frozenset(), wanted, True, frozenset())
    found, complete = _survey(problem, deadline.part(SURVEY_SHARE))
    if complete:
        return answer(problem, wanted, found)
    return tool_by_tool(problem, wanted, found, deadline)


def _survey(problem: Problem, deadline: Deadline) -> tuple[int, bool]:
    """Try to see all minimal sets at once; return the tools met and whether that was all."""
    table = table_of(problem, None, deadline, FIRST_STATES)
    if table is not None:
        return table.members(), table.complete
    sets = MinimalToolSets(problem, None, FIRST_SETS, deadline)
    found = 0
    for chosen in sets.masks():
        found |= chosen
    return found, sets.complete


def answer(problem: Problem, targets: frozenset[str], found: int, undecided: int = 0) -> Useful:
    """Put masks of tools into words."""
    graph = problem.graph
    tools = problem.tool_names(found)
    needed = targets.union(*(graph.inputs(tool) for tool in tools))
    return Useful(tools, needed, undecided == 0, problem.tool_names(undecided))


def tool_by_tool(problem: Problem, targets: frozenset[str], found: int, deadline: Deadline) -> Useful:
    """Search a set through each tool that hasn't been found on one; the task must be solvable and open."""
    found |= greedy_mask(problem)
    undecided = [tool for tool in range(problem.tool_count) if not found >> tool & 1]
    for deep in (False, True):
        for tool in undecided:
            if not found >> tool & 1 and not deadline.passed():
                found |= quick_set_through(problem, tool, deep)
    # A hard tool must not keep the easy ones waiting: each gets a few steps first.
    for steps in (FIRST_STEPS, None):
        later = []
        for tool in undecided:
            if found >> tool & 1:
                continue
            witness = None if deadline.passed() else set_through(problem, tool, deadline, steps)
            if witness is None:
                later.append(tool)
            found |= witness or 0
        undecided = later
    left = sum(1 << tool for tool in undecided) & ~found
    return answer(problem, targets, found, left)


def set_through(problem: Problem, tool: int, deadline: Deadline, most: int | None) -> int | None:
    """Search depth first for a minimal set with this tool.

    Returns:
        The set as a mask; 0 if there is none; None if the time is up or `most` steps were not enough.
    """
    bit = 1 << tool
    needs, distance = problem.distances(tool)
    seen: set[tuple[int, int, Pending]] = set()
    stack: list[tuple[int, int, Pending]] = [(0, 0, problem.first)]
    steps = 0
    while stack:
        steps += 1
        if deadline.passed() or (most is not None and steps > most):
            return None
        chosen, decided, pending = stack.pop()
        has = bool(chosen & bit)
        if not pending:
            if has and (not problem.several or problem.is_minimal(chosen)):
                return chosen
            continue
        if _hopeless(problem, pending, None if has else needs):
            continue
        met, left, _ = problem.remainder(decided, pending)
        # With several outputs, what is chosen decides whether the set will be minimal.
        key = (chosen, decided, pending) if problem.several else (int(has), met, left)
        if key in seen:
            continue
        seen.add(key)
        after, ways = problem.expand(chosen, decided, pending)
        ranked = []
        for tools, then in ways:
            one = bit if tools & bit else tools & -tools
            if has or one & bit:
                rank = problem.bound(0, then)
            else:
                rank = min((distance[d] for d, _ in then), default=problem.size)
            ranked.append((rank, one, then))
        ranked.sort(key=lambda way: -way[0])
        stack.extend((chosen | one, after, then) for _, one, then in ranked)
    return 0


def _hopeless(problem: Problem, pending: Pending, needs: int | None) -> bool:
    """Return whether a pending datatype can't be derived, or a tool with these needs can't come in.

    What depends on a pending datatype can't help to derive it, nor a tool that is used for it.
    """
    welcome = needs is None
    for datatype, above in pending:
        bit = 1 << datatype
        if not problem.reach_avoiding(above) & bit:
            return True
        if not welcome and needs is not None:
            welcome = not needs & ~problem.reach_avoiding(above | bit)
    return not welcome
