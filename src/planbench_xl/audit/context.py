"""What all checks share: the world, its graph and look-ups, and things that are worked out once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TypeVar

from planbench_xl.paths import PathSummary, ToolGraph, summarise
from planbench_xl.retrieval import PhraseMatcher
from planbench_xl.world import Query, Record, Task, Tool, Value, World, text_form
from planbench_xl.world.lookups import Lookups

T = TypeVar("T")

Report = Callable[[str, int, int], None]
"""Told how far the work is: what is being done, steps done, steps in all."""

Progress = Report | None


def graph_of(world: World) -> ToolGraph:
    """Return the executable tools of a world as a graph."""
    return ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in world.executable)


class Context:
    """A world under audit.

    Attributes:
        world: The world.
        graph: Its executable tools.
        lookups: What they answer on its records.
        time_limit: Seconds for the paths of one task.
        minimal: Which listed tool sets are minimal, by task and set, as far as that was asked.
    """

    def __init__(self, world: World, progress: Progress = None, time_limit: float | None = None) -> None:
        self.world = world
        self.graph = graph_of(world)
        self.lookups = Lookups(world)
        self.time_limit = time_limit
        self.minimal: dict[tuple[str, frozenset[str]], bool] = {}
        self._progress = progress

    def track(self, what: str, items: Iterable[T]) -> Iterator[T]:
        """Yield items and report progress after each."""
        everything = list(items)
        for done, item in enumerate(everything):
            if self._progress:
                self._progress(what, done, len(everything))
            yield item
        if self._progress:
            self._progress(what, len(everything), len(everything))

    @cached_property
    def summaries(self) -> Mapping[str, PathSummary]:
        """Figures of each task's minimal tool sets, worked out once per pair of inputs and targets."""
        known: dict[tuple[frozenset[str], frozenset[str]], PathSummary] = {}
        found = {}
        for task in self.track("paths", self.world.tasks):
            key = (frozenset(task.inputs), frozenset(task.targets))
            if key not in known:
                known[key] = summarise(self.graph, task.inputs, task.targets, time_limit=self.time_limit)
            found[task.task_id] = known[key]
        return found

    @cached_property
    def useful_tools(self) -> frozenset[str]:
        """Tools that are proved to lie on a minimal tool set of some task."""
        return frozenset().union(*(summary.useful.tools for summary in self.summaries.values()))

    @cached_property
    def undecided_tools(self) -> frozenset[str]:
        """Tools of which the time limit left open whether they lie on one."""
        return frozenset().union(*(summary.useful.undecided for summary in self.summaries.values()))

    @cached_property
    def matcher(self) -> PhraseMatcher:
        """The reference matcher of phrases and datatypes."""
        return PhraseMatcher(self.world.datatypes)

    @cached_property
    def record(self) -> Mapping[str, Record]:
        """Record by identifier."""
        return {record.record_id: record for record in self.world.records}

    @cached_property
    def answering(self) -> Mapping[str, frozenset[str]]:
        """Tools that answer on each record."""
        return {name: frozenset(self.lookups.answering(record)) for name, record in self.record.items()}

    @cached_property
    def values(self) -> Mapping[str, Counter[str]]:
        """Per datatype, how many records hold each value, by text form."""
        counts: dict[str, Counter[str]] = {datatype.name: Counter() for datatype in self.world.datatypes}
        for record in self.world.records:
            for name, value in record.values.items():
                if value is not None and name in counts:
                    counts[name][text_form(value)] += 1
        return counts

    @cached_property
    def holders(self) -> Mapping[tuple[str, str | float], list[str]]:
        """Records that hold a value, by datatype and value as `same_key` gives them."""
        found: dict[tuple[str, str | float], list[str]] = {}
        for record in self.world.records:
            for name, value in record.values.items():
                if value is not None:
                    found.setdefault(self.same_key(name, value), []).append(record.record_id)
        return found

    def same_key(self, name: str, value: Value) -> tuple[str, str | float]:
        """Return what two values of a datatype share exactly if they are the same: numbers however they are written."""
        text = text_form(value)
        datatype = self.world.datatype.get(name)
        if datatype is not None and datatype.value_type == "number" and not isinstance(value, bool):
            with suppress(ValueError):
                return name, float(text)
        return name, text

    @cached_property
    def queries_of(self) -> Mapping[str, list[Query]]:
        """Queries by task."""
        found: dict[str, list[Query]] = {task.task_id: [] for task in self.world.tasks}
        for query in self.world.queries:
            found.setdefault(query.task_id, []).append(query)
        return found

    @cached_property
    def judged(self) -> list[Query]:
        """Queries that every judge can take: those whose targets are declared."""
        return [query for query in self.world.queries if self.world.datatype.keys() >= query.answers.keys()]

    def answers(self) -> Iterator[tuple[Query, str, Value]]:
        """Yield every query with each target and its gold answer."""
        for query in self.world.queries:
            for name, value in query.answers.items():
                yield query, name, value

    def holds(self, query: Query, datatype: str) -> Value:
        """Return the value of a datatype on the record of a query; None if there is none."""
        record = self.record.get(query.record_id)
        return None if record is None else record.values.get(datatype)


def describe(task: Task) -> str:
    """Return what a task asks, in datatypes."""
    return f"{' + '.join(task.inputs)} → {' + '.join(task.targets)}"


def returned(tool: Tool) -> dict[str, Value]:
    """Return what an imitation returns, by output datatype: its description where it has no value."""
    value = tool.description if tool.return_value is None else tool.return_value
    by_name = value if len(tool.outputs) > 1 and isinstance(value, dict) else {}
    return {output.datatype: by_name.get(output.name, value) for output in tool.outputs}


def shorten(text: str, length: int = 160) -> str:
    """Return a text cut to a length."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
