from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, combinations
from random import Random

import pytest

from planbench_xl.blocking import BlockingConfig, ExactPlanner, check_plan
from planbench_xl.construct import Domain
from planbench_xl.construct.possible import TaskKnobs, find_tasks
from planbench_xl.construct.tasks import choose_tasks
from planbench_xl.engines import Crew
from planbench_xl.paths import ToolGraph, count_minimal, reachable, shortest
from planbench_xl.world import World
from tests.construct.conftest import KNOBS


def graph_of(world: World) -> ToolGraph:
    return ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in world.executable)


def test_every_input_is_needed(world: World) -> None:
    graph = graph_of(world)
    assert any(len(task.inputs) > 1 for task in world.tasks)
    for task in world.tasks:
        parts = chain.from_iterable(combinations(task.inputs, size) for size in range(len(task.inputs)))
        assert not any(set(task.targets) <= reachable(graph, part) for part in parts)
        assert set(task.targets) <= reachable(graph, task.inputs)


def test_all_paths_are_listed(world: World) -> None:
    graph = graph_of(world)
    for task in world.tasks:
        count = count_minimal(graph, task.inputs, task.targets)
        assert count.exact
        assert count.value == len(world.tool_sets[task.task_id])
        assert 2 <= count.value <= KNOBS.most_paths
        assert shortest(graph, task.inputs, task.targets).size == task.shortest_length >= 3


def test_every_task_can_be_blocked_down_to_one_path(world: World) -> None:
    planner = ExactPlanner(world)
    config = BlockingConfig(enabled=True)
    for task in world.tasks:
        plan = planner.plan(task.task_id, config, 42)
        assert plan.remaining == 1
        assert plan.certificate is not None
        assert plan.certificate.miss == 0
        assert not check_plan(world, plan)


def test_no_task_is_given_twice(world: World) -> None:
    pairs = [(frozenset(task.inputs), frozenset(task.targets)) for task in world.tasks]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize("wanted", [1, 2, 40])
def test_workers_find_the_same_tasks_and_draw_no_more(wanted: int, tiny: Domain, world: World) -> None:
    knobs = TaskKnobs(lengths={3: wanted}, fewest_paths=1)
    here, there = Random(1), Random(1)
    pool = list(find_tasks(tiny, graph_of(world), knobs, here))
    crew = Crew(3, partial(ThreadPoolExecutor, 3))
    assert list(find_tasks(tiny, graph_of(world), knobs, there, crew=crew)) == pool
    crew.dismiss()
    assert here.getstate() == there.getstate()
    assert any(len(found.targets) > 1 for found in pool)


def test_what_a_length_lacks_goes_to_others(tiny: Domain, world: World) -> None:
    knobs = TaskKnobs(lengths={3: 2, 4: 2, 40: 3}, longest=50)
    pool = list(find_tasks(tiny, graph_of(world), knobs, Random(1)))
    supply = dict.fromkeys(tiny.fields, 100)
    assert len(choose_tasks(tiny, pool, knobs, supply, Random(1))) == 7
