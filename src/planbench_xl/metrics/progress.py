"""Progress calls: trusted calls that give a new datatype which at least one valid path needs (paper: failure analysis).

What a path needs is judged in two ways. By the *listed* paths, as the paper does: the datatypes of the listed paths
that avoid the blocked tools. *Exactly*: the datatypes on any path that still leads from what has been obtained so far
to the targets, without the blocked tools, whether listed or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planbench_xl.episodes.record import Episode, Turn
from planbench_xl.metrics.facts import Facts, Paths, facts_of
from planbench_xl.world import Role, Task, World


class Step(NamedTuple):
    """What a turn did to the datatypes obtained, as masks (see `Facts.mask`).

    Attributes:
        before: Datatypes obtained before it.
        new: What it newly gave; None if it executed no call.
    """

    before: int
    new: int | None


def progress_calls(world: World, episode: Episode, *, exact_paths: bool = False) -> tuple[bool | None, ...]:
    """Say for each turn whether it is a progress call; None for turns that executed no call.

    Args:
        world: The world it was played on.
        episode: What was recorded.
        exact_paths: Judge by all paths from what has been obtained, not by the listed ones.
    """
    facts = facts_of(world)
    paths = facts.paths(episode.task_id, frozenset(episode.blocked), exact=exact_paths)
    found = steps(facts, world.task[episode.task_id], episode.turns)
    return tuple(None if step.new is None else is_progress(paths, step) for step in found)


def is_progress(paths: Paths, step: Step) -> bool:
    """Say whether a turn gave a new datatype that a path needs."""
    return step.new is not None and paths.needs(step.before, step.new)


def steps(facts: Facts, task: Task, turns: Sequence[Turn]) -> list[Step]:
    """Return what each turn did to the datatypes obtained."""
    obtained = facts.mask(task.inputs)
    idle = Step(obtained, None)
    found = []
    for turn in turns:
        if turn.action != "call" or turn.error is not None or turn.request is None:
            found.append(idle)
            continue
        name = turn.request["name"]
        trusted = facts.signature(name).role is Role.EXECUTABLE and turn.success and not turn.broken
        new = facts.edges[name][1] & ~obtained if trusted else 0
        found.append(Step(obtained, new))
        if new:
            obtained |= new
            idle = Step(obtained, None)
    return found
