"""Replays recorded episodes, block plans, phrases and counts of minimal tool sets."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from planbench_xl import __version__
from planbench_xl.blocking import plan_reference
from planbench_xl.environment import Environment
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.metrics import score_episode
from planbench_xl.metrics.release import query_evaluation, run_evaluation
from planbench_xl.paths import ToolGraph, summarise
from planbench_xl.retrieval import PhraseMatcher
from planbench_xl.runs.conformance import layout
from planbench_xl.runs.conformance.compare import Difference, Place
from planbench_xl.runs.release_config import from_release_config
from planbench_xl.world import World

Object = dict[str, Any]

COUNTED = 20_000
"""Beyond this many minimal tool sets, their recorded number and the longest of them are null."""


def recorded(environment: Environment) -> Episode:
    """Return the episode that an environment has just played."""
    state = environment.state
    return Episode(
        query_id=state.query.query_id,
        task_id=state.task.task_id,
        world=environment.world.fingerprint,
        setting=environment.setting.name,
        protocol="reference",
        judge=environment.setting.judge,
        package=__version__,
        status=environment.status or Status.ERROR,
        reason=environment.reason,
        turns=tuple(environment.turns),
    )


def check_episodes(world: World, place: Place, data: Object) -> Iterator[Difference]:
    """Replay the episodes of a setting, and compare every step, end state, evaluation and figure.

    `label` and `config` say what to play, and `raw` what the agent said; all else is compared.
    """
    environment = Environment(world, from_release_config(data["config"], "recorded"))
    scores = []
    for expected in data["episodes"]:
        inside = place.inside(expected["query_id"])
        yield from _replay(environment, inside, expected["steps"])
        episode = recorded(environment)
        score = score_episode(world, episode)
        scores.append(score)
        got = {
            "query_id": episode.query_id,
            "status": "completed" if environment.status else "running",
            "result": layout.result(environment),
            "final_state": layout.final_state(environment),
            "evaluation": query_evaluation(world, episode, score),
        }
        yield from inside.compare(without(expected, "steps"), got)
    whole = {
        "label": data.get("label"),
        "config": data["config"],
        "metrics": run_evaluation(scores),
        "query_count": len(scores),
        "evaluated_count": len(scores),
    }
    yield from place.compare(without(data, "episodes"), whole)
    order = [expected["query_id"] for expected in data["episodes"]]
    yield from place.compare(order, sample(world, data["config"]), "query_id")


def _replay(environment: Environment, place: Place, steps: list[Object]) -> Iterator[Difference]:
    environment.reset(place.within)
    for number, expected in enumerate(steps, 1):
        inside = place.inside(f"step {number}")
        if environment.status is not None:
            yield inside.difference("", "another step", f"the end of the episode: {environment.reason or 'success'}")
            return
        environment.step(expected["raw"])
        yield from inside.compare(expected, layout.step(environment.world, environment.state, environment.turns[-1]))


def sample(world: World, config: Object) -> list[str]:
    """Return the queries that a configuration draws, in the order of the data."""
    queries = [query.query_id for query in world.queries]
    drawn = config.get("query_sample") or {}
    if not drawn.get("size"):
        return queries
    indices = Random(drawn["seed"]).sample(range(len(queries)), drawn["size"])
    return [queries[i] for i in sorted(indices)]


def check_plans(world: World, place: Place, data: Object) -> Iterator[Difference]:
    """Plan every task of every configuration anew, and compare."""
    for name, entry in data.items():
        inside = place.inside(name)
        setting = from_release_config({"blocker": {"enable_block": True, **entry["config"]}}, "recorded")
        got: Object = {}
        expected: Object = {}
        for task_id, plan in entry["plans"].items():
            made = plan_reference(task_id, world.tool_sets.get(task_id, ()), setting.blocking, setting.seed)
            got[task_id] = layout.plan(made.blocked, resolved=made.resolved, remaining=made.remaining)
            expected[task_id] = {**plan, "blocked": [[tool, kinds] for tool, kinds in plan["blocked"].items()]}
        yield from inside.compare(without(entry, "plans"), {"config": entry["config"]})
        yield from inside.compare(expected, got, "plans")
        yield from inside.compare(sorted(expected), sorted(world.tool_sets), "tasks")


def check_phrases(world: World, place: Place, data: Object) -> Iterator[Difference]:
    """Match every phrase anew, and compare."""
    matcher = PhraseMatcher(world.datatypes)
    yield from place.compare(data, {phrase: matcher.match(phrase) for phrase in data})


def check_tool_sets(world: World, place: Place, data: Object) -> Iterator[Difference]:
    """Count the minimal tool sets of every task anew, and compare."""
    graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in world.executable)
    got: Object = {}
    for task_id in data:
        task = world.task[task_id]
        found = summarise(graph, task.inputs, task.targets)
        counted = found.count.value <= COUNTED
        got[task_id] = {
            "count": found.count.value if counted else None,
            "count_up_to_9_tools": found.count.up_to(9),
            "shortest": found.shortest.size,
            "longest": found.longest.size if counted else None,
        }
    yield from place.compare(data, got)


def without(data: Object, *keys: str) -> Object:
    """Return an object without some keys."""
    return {key: value for key, value in data.items() if key not in keys}
