"""Starts of tasks against all sets of givens."""

from __future__ import annotations

from itertools import combinations
from random import Random

from planbench_xl.construct import Domain
from planbench_xl.construct.starts import Starts
from planbench_xl.paths import ToolGraph
from planbench_xl.world import World


def test_finds_what_trying_all_sets_finds(tiny: Domain, world: World) -> None:
    graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in world.executable)
    starts = Starts(tiny, graph, 50)
    given = sorted(name for name, field in tiny.fields.items() if field.given and name in graph.datatypes)
    found = [*starts.single(), *starts.several(Random(1))]
    assert len(set(found)) == len(found)
    useful = {inputs: starts.targets(inputs) for inputs in found}
    for size in (1, 2, 3):
        for inputs in combinations(given, size):
            assert useful.get(inputs, ()) == starts.targets(inputs)
