"""Suites: an agent in many settings, each in a sub-folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Protocol

import msgspec

from planbench_xl.errors import UsageError
from planbench_xl.runs.presets import presets
from planbench_xl.runs.request import Request, run_request
from planbench_xl.runs.run import Progress, ProgressCallback, RunResult
from planbench_xl.runs.worlds import open_world
from planbench_xl.world import World


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


class Play(Protocol):
    """Plays what is asked for in one setting: `run_request`, or its like for models."""

    def __call__(
        self,
        request: Request,
        preset: str,
        progress: ProgressCallback | None,
        /,
        *,
        changes: Sequence[str],
        world: World,
    ) -> RunResult:
        """Play it."""


def run_suite(
    name: str,
    request: Request,
    progress: Callable[[str, Progress], None] | None = None,
    play: Play = run_request,
) -> list[tuple[str, RunResult]]:
    """Play what a user asks for in every setting of a suite. What is there already is not played again.

    Args:
        name: Name of the suite.
        request: The choices that all its runs have in common; `out` is the folder of the suite.
        progress: Called with the name of the setting as `run` calls its callback.
        play: Plays one setting.

    Returns:
        Name of the setting and its run, in the order of the suite.

    Raises:
        PlanBenchError: As `run`; runs that have ended stay.
    """
    if name not in SUITES:
        near = get_close_matches(name, SUITES, 1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise UsageError(f"There is no suite '{name}'. {hint}Known: {', '.join(SUITES)}.")
    members = SUITES[name]()
    # All settings are made first: a change that is refused must not stop a suite half-way.
    for member in members:
        request.setting(member.preset, member.changes)
    world = open_world(request.world)
    folder = request.folder(world, name)
    # All settings play the same queries, whatever their own seeds.
    queries = ",".join(request.chosen(world, request.setting("default").seed))
    chosen = msgspec.structs.replace(request, queries=queries, limit=None, sample=None, split=None, shard=None)
    results = []
    for member in members:
        report = None if progress is None else _labelled(progress, member.name)
        own = msgspec.structs.replace(chosen, out=str(folder / member.name))
        results.append((member.name, play(own, member.preset, report, changes=member.changes, world=world)))
    return results


def _labelled(progress: Callable[[str, Progress], None], label: str) -> Callable[[Progress], None]:
    return lambda state: progress(label, state)
