"""Tries a draft: what world its file gives as it is, and with which knobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from planbench_xl.construct.errors import DomainError
from planbench_xl.construct.pipeline import build_world
from planbench_xl.construct.reading import load_domain
from planbench_xl.construct.recipe import Knobs, Recipe

FEW = 20
"""With fewer tasks of the usual lengths, shorter ones are proposed."""

SHORT = Knobs(queries=100, lengths={"2": 20, "3": 30, "4": 30, "5": 20})
"""For a catalogue that allows few long chains."""

HELP = (
    "Longer chains need more things that lead to each other: answers that show identifiers of other things "
    "(`order_id`), objects within objects, and in the draft further `leads_to`, keys and fields with `given`"
)


class Trial(msgspec.Struct, frozen=True):
    """What a draft gives, with seed 1.

    Attributes:
        options: Options of `build` that it needs beside its defaults, as they are written.
        tools: Number of executable tools.
        tasks: Number of tasks per L*.
        problem: Why it gives no world, or no long tasks; empty if it gives a world with the default options.
        remedy: What would help.
    """

    options: str
    tools: int
    tasks: dict[int, int]
    problem: str = ""
    remedy: str = ""


def try_draft(path: Path, report: Callable[[str, int, int], None] | None = None) -> Trial:
    """Build a world of a draft in memory: of the usual lengths, or of shorter ones if it gives none of these."""
    domain, digest = load_domain(path)
    problem = ""
    for knobs in (Knobs(), SHORT):
        try:
            world = build_world(domain, Recipe(domain.name, digest, 1, "template", knobs), report=report)
        except DomainError as error:
            problem = problem or str(error)
            continue
        lengths = Counter(task.shortest_length for task in world.tasks)
        if len(world.tasks) < FEW and not problem:
            problem = f"it gives only {len(world.tasks)} tasks with an L* of 5 or more"
            continue
        tasks = {length: lengths[length] for length in sorted(lengths)}
        return Trial(_options(knobs), len(world.executable), tasks, problem, HELP if problem else "")
    return Trial("", 0, {}, problem, HELP)


def _options(knobs: Knobs) -> str:
    if not knobs.lengths:
        return ""
    lengths = ",".join(f"{length}={count}" for length, count in knobs.lengths.items())
    return f"--queries {knobs.queries} --lengths {lengths}"
