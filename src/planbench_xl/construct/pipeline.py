"""From a domain file and a seed to a world: the stages in their order, each with an artefact that can be read.

Every stage is a function of the domain, the recipe and what earlier stages gave. Its artefact is a JSON file that says
which recipe it belongs to; a build that was interrupted goes on after the last stage whose artefact fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from planbench_xl.construct.asking import write_rejections
from planbench_xl.construct.branches import widen
from planbench_xl.construct.domain import Domain
from planbench_xl.construct.errors import DomainError
from planbench_xl.construct.falsehoods import Falsehoods
from planbench_xl.construct.filtering import ModelFilter
from planbench_xl.construct.grammar import grammar
from planbench_xl.construct.lookups import Lookup, Lookups, choose_lookups
from planbench_xl.construct.model_writer import ModelWriter
from planbench_xl.construct.queries import make_queries
from planbench_xl.construct.recipe import Recipe
from planbench_xl.construct.records import make_records
from planbench_xl.construct.tasks import make_tasks
from planbench_xl.construct.tools import block_alternatives, distractors, executable_tools
from planbench_xl.construct.words import Names
from planbench_xl.construct.writing import TemplateWriter, Writer
from planbench_xl.engines import EngineName
from planbench_xl.errors import Fault
from planbench_xl.world import Query, Record, Task, TaskPaths, Tool, World
from planbench_xl.world.storage import write_atomically
from planbench_xl.world.validate import validate

STAGES = ("records", "lookups", "tools", "tasks", "queries")

Report = Callable[[str, int, int], None]
"""Told how far the work is: the stage, steps done, steps in all."""

T = TypeVar("T")


class ToolSet(msgspec.Struct, frozen=True):
    """What stages 2 to 4 give."""

    executable: tuple[Tool, ...]
    distractors: tuple[Tool, ...]
    alternatives: tuple[Tool, ...]


class TaskSet(msgspec.Struct, frozen=True):
    """What stage 5 gives."""

    tasks: tuple[Task, ...]
    paths: tuple[TaskPaths, ...]


class Artefact(msgspec.Struct, frozen=True):
    """The head of an artefact's file."""

    recipe: str
    content: msgspec.Raw


class Stages:
    """Runs stages and keeps what they give in a folder, if there is one."""

    def __init__(self, recipe: Recipe, folder: Path | None, report: Report | None) -> None:
        self._digest = recipe.digest
        self._folder = folder
        self._report = report

    def run(self, name: str, kind: type[T], make: Callable[[], T], *, anew: bool = False) -> T:
        """Return what a stage gave before under the same recipe, or run it.

        A stage that asks a model runs `anew` each time: the model's replies are remembered elsewhere, and what came of
        them is to be told.
        """
        self.progress(name, 0, 1)
        found = None if anew else self._read(name, kind)
        if found is None:
            found = make()
            self._write(name, found)
        self.progress(name, 1, 1)
        return found

    def progress(self, name: str, done: int, total: int) -> None:
        """Report progress."""
        if self._report:
            self._report(name, done, total)

    def progress_of(self, name: str) -> Callable[[int, int], None]:
        """Return what reports the progress within a stage."""
        return lambda done, total: self.progress(name, done, total)

    def _path(self, name: str) -> Path | None:
        return self._folder / f"{STAGES.index(name) + 1}-{name}.json" if self._folder else None

    def _read(self, name: str, kind: type[T]) -> T | None:
        path = self._path(name)
        if path is None or not path.exists():
            return None
        try:
            artefact = msgspec.json.decode(path.read_bytes(), type=Artefact)
            if artefact.recipe == self._digest:
                return msgspec.json.decode(artefact.content, type=kind)
        except msgspec.DecodeError:
            pass  # Half written, or of another version: made anew.
        return None

    def _write(self, name: str, content: object) -> None:
        path = self._path(name)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        encoded = msgspec.json.encode(Artefact(self._digest, msgspec.Raw(msgspec.json.encode(content))))
        write_atomically(path, msgspec.json.format(encoded, indent=1))


def build_world(
    domain: Domain,
    recipe: Recipe,
    *,
    stages: Path | None = None,
    report: Report | None = None,
    writer: Callable[[Domain], Writer] = TemplateWriter,
    model_filter: ModelFilter | None = None,
    model_writer: ModelWriter | None = None,
    workers: int = 1,
    engine: EngineName = "local",
) -> World:
    """Build a world; the same one with any number of workers on any engine.

    Args:
        domain: The parsed domain file.
        recipe: Seed and knobs.
        stages: Folder for the artefacts of the stages; an interrupted build goes on from there.
        report: Told how far the work is.
        writer: Makes the writer of all texts.
        model_filter: Drops look-ups that make no sense.
        model_writer: Writes the texts anew.
        workers: Number of processes that look for tasks: most of the time goes there.
        engine: Where they are: on this machine, or on a Ray cluster.

    Raises:
        DomainError: The domain doesn't give such a world, or the world has faults.
        UsageError: The engine's extra is missing, or there is no cluster.
        CompletionError: A model can't be asked, or failed.
    """
    runner = Stages(recipe, stages, report)
    knobs, seed = recipe.knobs, recipe.seed
    domain = widen(domain, knobs.branches)
    records = runner.run("records", tuple[Record, ...], lambda: make_records(domain, knobs.records, seed))
    lookups = runner.run(
        "lookups", Lookups, lambda: _lookups(domain, recipe, records, model_filter, runner), anew=bool(model_filter)
    )
    author = writer(domain)
    tools = runner.run(
        "tools",
        ToolSet,
        lambda: _rewritten(
            domain, make_tools(domain, records, lookups, author, seed), lookups, records, model_writer, runner
        ),
        anew=bool(model_writer),
    )

    def find() -> TaskSet:
        told = runner.progress_of("tasks")
        made = make_tasks(domain, tools.executable, records, knobs.tasks(), seed, told, workers=workers, engine=engine)
        return TaskSet(*made)

    tasks = runner.run("tasks", TaskSet, find)
    if not tasks.tasks:
        raise _no_tasks(model_filter)

    def ask() -> tuple[Query, ...]:
        found = make_queries(domain, tools.executable, records, tasks.tasks, knobs.queries, author, seed, knobs.dev)
        if model_writer is None:
            return found
        return model_writer.queries(
            domain, found, tasks.tasks, tools.executable, records, runner.progress_of("queries")
        )

    queries = runner.run("queries", tuple[Query, ...], ask, anew=bool(model_writer))
    if stages and (model_filter or model_writer):
        write_rejections(stages, [part.asker for part in (model_filter, model_writer) if part])
    return _checked(assemble(domain, records, tools, tasks, queries), recipe)


def _checked(world: World, recipe: Recipe) -> World:
    """Return a world with its recipe.

    Raises:
        DomainError: It has faults.
    """
    world = msgspec.structs.replace(world, recipe=msgspec.to_builtins(recipe, order="sorted"))
    faults = validate(world)
    if faults:
        raise DomainError(faults)
    return world


def _lookups(
    domain: Domain, recipe: Recipe, records: tuple[Record, ...], model_filter: ModelFilter | None, runner: Stages
) -> Lookups:
    """Choose look-ups, with the objections of a filter if there is one."""

    def objections(good: Sequence[Lookup]) -> Mapping[Lookup, str]:
        return model_filter.objections(domain, good, records, runner.progress_of("lookups")) if model_filter else {}

    return choose_lookups(domain, records, recipe.knobs.tools, recipe.seed, objections)


def _rewritten(
    domain: Domain,
    tools: ToolSet,
    lookups: Lookups,
    records: tuple[Record, ...],
    model_writer: ModelWriter | None,
    runner: Stages,
) -> ToolSet:
    """Let a model write the texts of tools anew, if there is one."""
    if model_writer is None:
        return tools
    imitations = (*tools.distractors, *tools.alternatives)
    found = model_writer.tools(
        domain, lookups.chosen, tools.executable, imitations, records, runner.progress_of("tools")
    )
    parts = (tools.executable, tools.distractors, tools.alternatives)
    return ToolSet(*(tuple(found[tool.name] for tool in part) for part in parts))


def make_tools(domain: Domain, records: tuple[Record, ...], lookups: Lookups, writer: Writer, seed: int) -> ToolSet:
    """Make the tools of all roles."""
    names = Names(domain, grammar().variants)
    falsehoods = Falsehoods(domain, records)
    executable = executable_tools(domain, lookups.chosen, names, writer, seed)
    sources = list(zip(lookups.chosen, executable, strict=True))
    return ToolSet(
        executable,
        distractors(domain, sources, names, writer, falsehoods, seed),
        block_alternatives(domain, sources, names, writer, falsehoods, seed),
    )


def assemble(
    domain: Domain, records: tuple[Record, ...], tools: ToolSet, tasks: TaskSet, queries: tuple[Query, ...]
) -> World:
    """Put the parts of a world together."""
    falsehoods = Falsehoods(domain, records)
    datatypes = tuple(domain.datatype(field, falsehoods.example(name)) for name, field in domain.fields.items())
    return World(
        name=domain.name,
        version=domain.version,
        domain=domain.domain,
        overview=" ".join(domain.overview.split()),
        datatypes=datatypes,
        tools=(*tools.executable, *tools.distractors, *tools.alternatives),
        records=records,
        tasks=tasks.tasks,
        queries=queries,
        paths=tasks.paths,
    )


def _no_tasks(model_filter: ModelFilter | None) -> DomainError:
    remedy = "Relate more entities, or ask for shorter tasks"
    if model_filter and model_filter.dropped:
        remedy += (
            f"; the filter dropped {model_filter.dropped} of {model_filter.asker.tally.asked} look-ups (`rejected` in "
            "2-lookups.json says why), and another model may keep more"
        )
    return _fault("gives no task of the lengths asked for", remedy)


def _fault(problem: str, remedy: str) -> DomainError:
    return DomainError([Fault("domain file", "", "", problem, remedy)])
