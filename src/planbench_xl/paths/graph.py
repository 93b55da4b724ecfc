"""The typed tool graph: which tool needs and gives which datatypes, compiled to integers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planbench_xl.errors import PlanBenchError

ToolSpec = tuple[str, Iterable[str], Iterable[str]]
"""One tool: its name, its input datatypes and its output datatypes."""


class PathError(PlanBenchError):
    """A question that the path engine can't take: the message names the tool at fault."""


class ToolGraph:
    """A set of tools with typed inputs and outputs (paper section 3: ``In(tool)``, ``Out(tool)``).

    Cycles, several inputs, several outputs and tools without inputs are allowed. A graph never changes;
    `restrict` and `without` give smaller graphs over the same datatypes. Tools keep the order in which
    they were given, and every answer of the engine depends on that order alone, never on hash seeds.

    Args:
        tools: One ``(name, inputs, outputs)`` per tool.

    Raises:
        PathError: Two tools have the same name, or inputs or outputs are given as a bare string.
    """

    __slots__ = ("_consumers", "_datatype_ids", "_datatypes", "_free", "_ins", "_names", "_outs", "_tool_ids", "_waits")

    def __init__(self, tools: Iterable[ToolSpec]) -> None:
        names: list[str] = []
        ins: list[tuple[int, ...]] = []
        outs: list[tuple[int, ...]] = []
        ids: dict[str, int] = {}
        for name, inputs, outputs in tools:
            if isinstance(inputs, str) or isinstance(outputs, str):
                raise PathError(f"tool {name!r}: inputs and outputs must be collections of datatype names")
            names.append(name)
            # Sorted: sets have no stable order, and ids must not depend on the hash seed.
            ins.append(tuple(sorted(ids.setdefault(d, len(ids)) for d in sorted(set(inputs)))))
            outs.append(tuple(sorted(ids.setdefault(d, len(ids)) for d in sorted(set(outputs)))))
        self._compile(tuple(names), tuple(ins), tuple(outs), ids, tuple(ids))

    def _compile(
        self,
        names: tuple[str, ...],
        ins: tuple[tuple[int, ...], ...],
        outs: tuple[tuple[int, ...], ...],
        datatype_ids: dict[str, int],
        datatypes: tuple[str, ...],
    ) -> None:
        self._names = names
        self._ins = ins
        self._outs = outs
        self._datatype_ids = datatype_ids
        self._datatypes = datatypes
        self._tool_ids = {name: index for index, name in enumerate(names)}
        if len(self._tool_ids) != len(names):
            twice = next(name for index, name in enumerate(names) if self._tool_ids[name] != index)
            raise PathError(f"tool {twice!r} is given twice; tool names must be unique")
        consumers: list[list[int]] = [[] for _ in datatypes]
        for tool, needed in enumerate(ins):
            for datatype in needed:
                consumers[datatype].append(tool)
        self._consumers = consumers
        # What chaining starts with each time: copied, so that a short chain on a large graph costs little.
        self._waits = list(map(len, ins))
        self._free = [tool for tool, needed in enumerate(ins) if not needed]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tool names, in the order given."""
        return self._names

    @property
    def datatypes(self) -> tuple[str, ...]:
        """The datatype names, in order of first use (a restricted graph keeps those of its parent)."""
        return self._datatypes

    def inputs(self, tool: str) -> frozenset[str]:
        """Return the input datatypes of a tool; raises `PathError` for an unknown name."""
        return frozenset(self._datatypes[d] for d in self._ins[self._tool_id(tool)])

    def outputs(self, tool: str) -> frozenset[str]:
        """Return the output datatypes of a tool; raises `PathError` for an unknown name."""
        return frozenset(self._datatypes[d] for d in self._outs[self._tool_id(tool)])

    def restrict(self, names: Iterable[str]) -> ToolGraph:
        """Return the graph of these tools alone, for example those that answer on one record.

        Raises:
            PathError: A name is not a tool of this graph.
        """
        wanted = {self._tool_id(name) for name in names}
        return self._subgraph([tool for tool in range(len(self._names)) if tool in wanted])

    def without(self, names: Iterable[str]) -> ToolGraph:
        """Return the graph without these tools, for example without the blocked ones.

        Raises:
            PathError: A name is not a tool of this graph.
        """
        gone = {self._tool_id(name) for name in names}
        return self._subgraph([tool for tool in range(len(self._names)) if tool not in gone])

    def _subgraph(self, kept: list[int]) -> ToolGraph:
        graph = ToolGraph.__new__(ToolGraph)
        graph._compile(
            tuple(self._names[tool] for tool in kept),
            tuple(self._ins[tool] for tool in kept),
            tuple(self._outs[tool] for tool in kept),
            self._datatype_ids,
            self._datatypes,
        )
        return graph

    def _tool_id(self, name: str) -> int:
        try:
            return self._tool_ids[name]
        except KeyError:
            raise PathError(f"unknown tool {name!r}: it is not in this graph") from None

    def _known(self, datatypes: Iterable[str]) -> list[int]:
        """Return the ids of those datatypes that some tool uses, sorted; others can't matter."""
        return sorted({self._datatype_ids[d] for d in datatypes if d in self._datatype_ids})

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._tool_ids

    def __repr__(self) -> str:
        return f"ToolGraph({len(self._names)} tools, {len(self._datatypes)} datatypes)"
