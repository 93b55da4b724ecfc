"""The tasks, and what they tell."""

from __future__ import annotations

import pytest
import verifiers.v1 as vf
from planbench_xl_verifiers import PlanBenchTaskset
from planbench_xl_verifiers.taskset import PlanBenchConfig

from planbench_xl.errors import UsageError
from planbench_xl.world import load_world


def test_training_queries_by_default() -> None:
    taskset = vf.load_taskset(PlanBenchConfig(id="planbench-xl-verifiers"))
    assert isinstance(taskset, PlanBenchTaskset)
    world = load_world("retail")
    names = [task.data.query_id for task in taskset]
    assert names == [query.query_id for query in world.queries if query.split == "dev"]


def test_tasks_tell_what_a_model_may_read() -> None:
    taskset = PlanBenchTaskset(PlanBenchConfig(world="mini", split="all"))
    for task, query in zip(taskset, taskset.world.queries, strict=True):
        assert query.text in task.data.prompt
        told = task.data.model_dump_json(exclude={"prompt"})
        assert not any(str(answer) in told for answer in query.answers.values())


def test_a_world_without_splits() -> None:
    with pytest.raises(UsageError, match="no split 'dev'"):
        PlanBenchTaskset(PlanBenchConfig(world="mini"))
