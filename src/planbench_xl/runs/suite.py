"""Suites: an agent in many settings, each in a sub-folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches

import msgspec

from planbench_xl.errors import UsageError
from planbench_xl.runs.presets import presets
from planbench_xl.runs.request import Request
from planbench_xl.runs.run import Progress, RunResult, run
from planbench_xl.runs.worlds import open_world


class Member(msgspec.Struct, frozen=True):
    """One setting of a suite: a preset, perhaps with changes under a name of their own."""

    name: str
    preset: str
    changes: tuple[str, ...] = ()


def _of_preset(name: str) -> Member:
    return Member(name, name)


def _of_seed(seed: int) -> Member:
    name = f"one-path-seed-{seed}"
    return Member(name, "one-path", (f"name={name}", f"seed={seed}"))


def _paper() -> tuple[Member, ...]:
    """Return the presets that follow the paper, and its three other seeds under its main block setting.

    All-tools is left out: a world's whole inventory is more than many models can read.
    """
    settings = {name: preset.setting for name, preset in presets().items()}
    names = [
        name
        for name, setting in settings.items()
        if setting.failures.kind == "none" and setting.retrieval.retriever == "reference" and not setting.all_tools
    ]
    return (*map(_of_preset, names), *map(_of_seed, (1000, 2000, 3000)))


def _failures() -> tuple[Member, ...]:
    """Return the default setting and those with failures beyond the paper."""
    names = (name for name, preset in presets().items() if preset.setting.failures.kind != "none")
    return tuple(map(_of_preset, ("default", *names)))


SUITES: Mapping[str, Callable[[], tuple[Member, ...]]] = {"paper": _paper, "failures": _failures}
"""Every suite by name."""


def run_suite(
    name: str, request: Request, progress: Callable[[str, Progress], None] | None = None
) -> list[tuple[str, RunResult]]:
    """Play what a user asks for in every setting of a suite. What is there already is not played again.

    Args:
        name: Name of the suite.
        request: The choices that all its runs have in common; `out` is the folder of the suite.
        progress: Called with the name of the setting as `run` calls its callback.

    Returns:
        Name of the setting and its run, in the order of the suite.

    Raises:
        PlanBenchError: As `run`; runs that have ended stay.
    """
    if name not in SUITES:
        near = get_close_matches(name, SUITES, 1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise UsageError(f"There is no suite '{name}'. {hint}Known: {', '.join(SUITES)}.")
    # All settings are made first: a change that is refused must not stop a suite half-way.
    settings = [(member.name, request.setting(member.preset, member.changes)) for member in SUITES[name]()]
    world = open_world(request.world)
    folder = request.folder(world, name)
    # All settings play the same queries, whatever their own seeds.
    queries = request.chosen(world, request.setting("default").seed)
    results = []
    for label, setting in settings:
        report = None if progress is None else _labelled(progress, label)
        result = run(
            world,
            folder / label,
            setting=setting,
            queries=queries,
            source=request.world,
            progress=report,
            **request.arguments(),
        )
        results.append((label, result))
    return results


def _labelled(progress: Callable[[str, Progress], None], label: str) -> Callable[[Progress], None]:
    return lambda state: progress(label, state)
