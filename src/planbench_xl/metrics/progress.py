"""Progress calls: trusted calls that give a new datatype which at least one valid path needs (paper: failure analysis).

What a path needs is judged in two ways. By the *listed* paths, as the paper does: the datatypes of the listed paths
that avoid the blocked tools. *Exactly*: the datatypes on any path that still leads from what has been obtained so far
to the targets, without the blocked tools, whether listed or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from planbench_xl.episodes.record import Episode
from planbench_xl.metrics.facts import Facts, facts_of
from planbench_xl.world import Role, World

Needed = Callable[[frozenset[str]], Collection[str]]
"""From the datatypes obtained so far to those that a path needs."""


def progress_calls(world: World, episode: Episode, *, exact_paths: bool = False) -> tuple[bool | None, ...]:
    """Say for each turn whether it is a progress call; None for turns that executed no call.

    Args:
        world: The world it was played on.
        episode: What was recorded.
        exact_paths: Judge by all paths from what has been obtained, not by the listed ones.
    """
    facts = facts_of(world)
    task = world.task[episode.task_id]
    blocked = frozenset(episode.blocked)
    needed = (_by_all_paths if exact_paths else _by_listed_paths)(facts, episode.task_id, blocked)
    obtained = set(task.inputs)
    found: list[bool | None] = []
    for turn in episode.turns:
        if turn.action != "call" or turn.error is not None or turn.request is None:
            found.append(None)
            continue
        signature = facts.signature(turn.request["name"])
        trusted = signature.role is Role.EXECUTABLE and turn.success and not turn.broken
        new = set(signature.outputs) - obtained if trusted else set()
        found.append(bool(new) and not new.isdisjoint(needed(frozenset(obtained))))
        obtained |= new
    return tuple(found)


def _by_listed_paths(facts: Facts, task_id: str, blocked: frozenset[str]) -> Needed:
    listed = facts.listed_datatypes(task_id, blocked)
    return lambda obtained: listed


def _by_all_paths(facts: Facts, task_id: str, blocked: frozenset[str]) -> Needed:
    return lambda obtained: facts.needed(task_id, obtained, blocked).datatypes
