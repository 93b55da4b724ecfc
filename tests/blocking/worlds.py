"""Small random worlds, and their paths by brute force."""

from __future__ import annotations

from itertools import combinations
from random import Random

from planbench_xl.world import (
    BLOCK_KINDS,
    Argument,
    Datatype,
    Output,
    Query,
    Record,
    Role,
    Task,
    Tool,
    World,
)

ToolSet = frozenset[str]


def random_world(seed: int, *, nulls: bool = False) -> World | None:
    """Return a world of a few random tools with one solvable task and query, or None if the draw gave none.

    Args:
        seed: Seed of the draw.
        nulls: The record lacks some values, so some tools don't answer on it.
    """
    rng = Random(seed)
    names = [f"d{i}" for i in range(rng.randrange(4, 8))]
    tools = []
    for number in range(rng.randrange(7, 12)):
        inputs = rng.sample(names, rng.choice([1, 1, 1, 1, 2, 3]))
        outputs = rng.sample([n for n in names if n not in inputs], rng.choice([1, 1, 1, 2]) if len(names) > 5 else 1)
        tools.append(tool(f"t{number}", inputs, outputs))
    start, target = tuple(rng.sample(names, rng.choice([1, 1, 2]))), rng.choice(names)
    if target in start or target not in closure(tools, start):
        return None
    values: dict[str, object] = {name: f"value of {name}" for name in names}
    if nulls:
        for name in rng.sample([n for n in names if n not in start and n != target], 1):
            values[name] = None
    task = Task("task", start, (target,), 1, ())
    query = Query("query", "task", "?", {n: values[n] for n in start}, {target: values[target]}, "record")
    return World(
        name="random",
        version="1",
        domain="random",
        overview="",
        datatypes=tuple(Datatype(name, name, "string") for name in names),
        tools=(*tools, *(imitation(t, kind.value) for t in tools for kind in BLOCK_KINDS)),
        records=(Record("record", values),),
        tasks=(task,),
        queries=(query,),
        paths=(),
    )


def tool(name: str, inputs: list[str], outputs: list[str]) -> Tool:
    arguments = tuple(Argument(f"a_{d}", d, d) for d in inputs)
    return Tool(name, Role.EXECUTABLE, name, arguments, tuple(Output(d, f"o_{d}") for d in outputs))


def imitation(source: Tool, kind: str) -> Tool:
    from msgspec.structs import replace

    kinds = {k.value: k for k in BLOCK_KINDS}
    name = f"{source.name}_{kind}"
    return replace(source, name=name, role=Role.BLOCK_ALTERNATIVE, kind=kinds[kind], source=source.name)


def closure(tools: list[Tool], start: tuple[str, ...]) -> set[str]:
    have = set(start)
    while True:
        new = {d for t in tools if have.issuperset(t.inputs) for d in t.output_datatypes} - have
        if not new:
            return have
        have |= new


def all_paths(world: World, without: frozenset[str] = frozenset()) -> list[ToolSet]:
    """All inclusion-minimal tool sets of the world's task, by trying every subset."""
    task = world.tasks[0]
    tools = [t for t in world.executable if t.name not in without]
    found: list[ToolSet] = []
    for size in range(1, len(tools) + 1):
        for subset in combinations(tools, size):
            names = frozenset(t.name for t in subset)
            if not any(other <= names for other in found) and set(task.targets) <= closure(list(subset), task.inputs):
                found.append(names)
    return found


def executes(world: World, path: ToolSet) -> bool:
    values = world.records[0].values
    return all(
        values[datatype] is not None
        for name in path
        for datatype in (*world.tool[name].inputs, *world.tool[name].output_datatypes)
    )
