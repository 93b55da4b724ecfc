"""What scoring needs to know of a world, worked out once per world."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from planbench_xl.errors import UsageError
from planbench_xl.metrics.needed import Edge, ListedPaths, OpenPaths, bits
from planbench_xl.paths import ToolGraph, useful
from planbench_xl.world import Role, Tool, Value, World

_KEY = "_metrics_facts"

TRUTH_SECONDS = 60.0
"""Time for finding the tools on all paths of a task."""

Paths = ListedPaths | OpenPaths
"""What progress is judged by."""


class Signature(msgspec.Struct, frozen=True):
    """A tool as scoring sees it.

    Attributes:
        inputs: Distinct input datatypes.
        outputs: Distinct output datatypes.
        role: What the tool really is.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    role: Role


class ExactTruth(msgspec.Struct, frozen=True):
    """The datatypes on all paths of a task.

    Attributes:
        datatypes: Input and output datatypes of every tool on a minimal tool set.
        exact: Whether these are all; if not, the search ran out of time, and there may be more.
    """

    datatypes: frozenset[str]
    exact: bool


class Facts:
    """Look-ups over one world, shared by the scoring of all its episodes.

    Attributes:
        signatures: Every tool as scoring sees it.
        edges: Inputs and outputs of every executable tool as masks; tools with the same ones share an entry.
        tools_of: Names of the tools with the same ones.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.signatures = {tool.name: _signature(tool) for tool in world.tools}
        self._truth: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        self._exact_truth: dict[tuple[str, frozenset[str], frozenset[str]], ExactTruth] = {}
        self._graph: ToolGraph | None = None
        # A distractor mostly leads where its source leads: tools with the same inputs and outputs share an edge.
        numbers: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {}
        self._edge = {
            name: numbers.setdefault((s.inputs, s.outputs), len(numbers)) for name, s in self.signatures.items()
        }
        self._edges = list(numbers)
        executable = [(name, s) for name, s in self.signatures.items() if s.role is Role.EXECUTABLE]
        named = (datatype for _, s in executable for datatype in (*s.inputs, *s.outputs))
        held = (datatype for task in world.tasks for datatype in (*task.inputs, *task.targets))
        self._datatypes_in_order = tuple(dict.fromkeys((*world.datatype, *named, *held)))
        self._bits = {datatype: 1 << place for place, datatype in enumerate(self._datatypes_in_order)}
        shared: dict[Edge, Edge] = {}
        pairs = ((name, (self.mask(s.inputs), self.mask(s.outputs))) for name, s in executable)
        self.edges: dict[str, Edge] = {name: shared.setdefault(edge, edge) for name, edge in pairs}
        self.tools_of: dict[Edge, set[str]] = {}
        for name, edge in self.edges.items():
            self.tools_of.setdefault(edge, set()).add(name)
        self._listed: dict[tuple[str, frozenset[str]], ListedPaths] = {}
        self._open: dict[tuple[str, frozenset[str]], OpenPaths] = {}

    def mask(self, datatypes: Iterable[str]) -> int:
        """Return some of the world's datatypes as a mask, a bit for each."""
        mask = 0
        for datatype in datatypes:
            mask |= self._bits[datatype]
        return mask

    def names(self, mask: int) -> tuple[str, ...]:
        """Return the datatypes of a mask, sorted."""
        return tuple(sorted(self._datatypes_in_order[bit.bit_length() - 1] for bit in bits(mask)))

    def paths(self, task_id: str, blocked: frozenset[str], *, exact: bool) -> Paths:
        """Return what progress in a task is judged by, with some tools blocked: all paths, or the listed ones."""
        if exact:
            return self.open_paths(task_id, blocked)
        key = (task_id, blocked)
        if key not in self._listed:
            self._listed[key] = ListedPaths(self.mask(self.listed_datatypes(task_id, blocked)))
        return self._listed[key]

    def open_paths(self, task_id: str, blocked: frozenset[str]) -> OpenPaths:
        """Return all paths of a task without some tools."""
        key = (task_id, blocked)
        if key not in self._open:
            task = self._world.task[task_id]
            edges = tuple(self.tools_of)
            if blocked:
                # What leads to the targets without some tools also does with them.
                held = {edge for edge in map(self.edges.get, blocked) if edge is not None}
                gone = {edge for edge in held if self.tools_of[edge] <= blocked}
                edges = tuple(edge for edge in self.open_paths(task_id, frozenset()).edges if edge not in gone)

            def ask_all(obtained: int) -> tuple[int, bool]:
                found = self.needed(task_id, frozenset(self.names(obtained)), blocked)
                return self.mask(found.datatypes), found.exact

            start, targets = self.mask(task.inputs), self.mask(task.targets)
            self._open[key] = OpenPaths(edges, start, targets, ask_all)
        return self._open[key]

    def ground_truth(self, task_id: str) -> frozenset[str]:
        """Return all input and output datatypes of the tools on a task's listed paths."""
        return self.listed_datatypes(task_id, frozenset())

    def listed_datatypes(self, task_id: str, blocked: frozenset[str]) -> frozenset[str]:
        """Return the same for those listed paths that avoid some tools."""
        truth = self._truth.get((task_id, blocked))
        if truth is None:
            paths = [path for path in self._world.tool_sets.get(task_id, ()) if blocked.isdisjoint(path)]
            truth = self._datatypes({name for path in paths for name in path})
            self._truth[task_id, blocked] = truth
        return truth

    def exact_truth(self, task_id: str) -> ExactTruth:
        """Return all input and output datatypes of the tools on any of a task's paths, whether listed or not."""
        return self.needed(task_id, frozenset(self._world.task[task_id].inputs), frozenset())

    def needed(self, task_id: str, obtained: frozenset[str], blocked: frozenset[str]) -> ExactTruth:
        """Return the datatypes of the tools on any path that leads on to a task's targets without some tools."""
        key = (task_id, obtained, blocked)
        if key not in self._exact_truth:
            if self._graph is None:
                tools = self._world.executable
                self._graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in tools)
            graph = self._graph.without(blocked) if blocked else self._graph
            found = useful(graph, obtained, self._world.task[task_id].targets, time_limit=TRUTH_SECONDS)
            self._exact_truth[key] = ExactTruth(self._datatypes(found.tools), found.exact)
        return self._exact_truth[key]

    def _datatypes(self, names: Iterable[str]) -> frozenset[str]:
        signatures = [self.signatures[name] for name in names]
        return frozenset(datatype for s in signatures for datatype in (*s.inputs, *s.outputs))

    def closure(self, start: Iterable[str], names: Iterable[str]) -> set[str]:
        """Return the datatypes that can be reached from some by using each tool when all its inputs are there.

        Takes time linear in the size of the tools: a tool waits for one missing input at a time.

        Args:
            start: Datatypes to start from.
            names: Names of the tools that may be used, of any role.

        Raises:
            UsageError: The world has no such tool.
        """
        reached = set(start)
        waiting: dict[str, list[int]] = {}
        edges = self._edges
        try:
            pending = list(set(map(self._edge.__getitem__, names)))
        except KeyError as error:
            raise _unknown_tool(self._world, error.args[0]) from None
        while pending:
            number = pending.pop()
            inputs, outputs = edges[number]
            for datatype in inputs:
                if datatype not in reached:
                    waiting.setdefault(datatype, []).append(number)
                    break
            else:
                for datatype in outputs:
                    if datatype not in reached:
                        reached.add(datatype)
                        pending += waiting.pop(datatype, ())
        return reached

    def returned(self, name: str, datatypes: Collection[str], value: Value) -> list[Value]:
        """Return what a tool's value says for some datatypes; a tool with several outputs returns an object."""
        outputs = self._world.tool[name].outputs
        by_name = value if len(outputs) > 1 and isinstance(value, Mapping) else {}
        return [by_name.get(output.name, value) for output in outputs if output.datatype in datatypes]

    def signature(self, name: str) -> Signature:
        """Return the signature of a tool.

        Raises:
            UsageError: The world has no such tool.
        """
        try:
            return self.signatures[name]
        except KeyError:
            raise _unknown_tool(self._world, name) from None


def facts_of(world: World) -> Facts:
    """Return the facts of a world."""
    # Kept where the world's own cached properties are, so that they live exactly as long as the world.
    facts = world.__dict__.get(_KEY)
    if facts is None:
        facts = world.__dict__[_KEY] = Facts(world)
    assert isinstance(facts, Facts)
    return facts


def _signature(tool: Tool) -> Signature:
    inputs = tuple(dict.fromkeys(tool.inputs))
    return Signature(inputs, tuple(dict.fromkeys(tool.output_datatypes)), tool.role)


def _unknown_tool(world: World, name: str) -> UsageError:
    return UsageError(
        f"The episode names the tool '{name}', which world '{world.name}' lacks; "
        "give the world it was played on with --world."
    )
