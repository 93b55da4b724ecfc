"""Entry point of Inspect AI: `inspect eval planbench_xl/retail --model … -T setting=one-path`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast, get_args

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig

from planbench_xl.errors import UsageError
from planbench_xl.harness.drive import Terms
from planbench_xl.harness.folder import LateFolder
from planbench_xl.harness.keeper import Keeper
from planbench_xl.harness.own_solver import load_solver
from planbench_xl.harness.play import Game
from planbench_xl.harness.request import ModelRequest, Plan, plan_request
from planbench_xl.harness.scoring import episode_score, figures
from planbench_xl.harness.tasks import make_task
from planbench_xl.protocols import ProtocolKind
from planbench_xl.runs.request import Request
from planbench_xl.runs.run import source_of

__all__ = ["episode_score", "figures", "hospital", "mini", "retail", "world"]


@task
def world(
    path: str,
    setting: str = "default",
    protocol: str = "text",
    queries: str | list[str] | None = None,
    sample: int | None = None,
    split: str | None = None,
    seed: int | None = None,
    max_turns: int | None = None,
    prompts: str | None = None,
    solver: str = "",
    out: str = "",
    episode_seconds: float = 3600.0,
) -> Task:
    """Play a world.

    Args:
        path: A packaged world's name, or a folder.
        setting: Name of the setting.
        protocol: How the model acts: `text` or `native`.
        queries: Only these queries; a list, or a text with commas.
        sample: Only a random sample of this size.
        split: Only the queries of this split.
        seed: Seed of the setting.
        max_turns: Turn limit of an episode.
        prompts: Folder of prompt templates.
        solver: Solver that plays in place of the plain conversation, as `module:factory`.
        out: Run folder that the episodes are stored in too, with journals, so that a killed evaluation can go on.
        episode_seconds: Seconds that end an episode, as an error.
    """
    names = ",".join(queries) if isinstance(queries, list) else queries
    if protocol not in get_args(ProtocolKind):
        raise UsageError(f"There is no protocol '{protocol}'. Protocols: {', '.join(get_args(ProtocolKind))}.")
    request = Request(
        world=path,
        protocol=cast(ProtocolKind, protocol),
        queries=names,
        sample=sample,
        split=split,
        seed=seed,
        max_turns=max_turns,
        prompts=prompts,
    )
    if solver and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    plan = plan_request(request, ModelRequest(model="", solver=solver), setting)
    return _task(plan, solver, out, episode_seconds)


@task
def retail(**options: Any) -> Task:
    """Play the packaged world `retail`; options as for `world`."""
    return world("retail", **options)


@task
def hospital(**options: Any) -> Task:
    """Play the packaged world `hospital`; options as for `world`."""
    return world("hospital", **options)


@task
def mini(**options: Any) -> Task:
    """Play the packaged world `mini`, for a first try; options as for `world`."""
    return world("mini", **options)


def _task(plan: Plan, solver: str, out: str, episode_seconds: float) -> Task:
    keeper = Keeper()
    folder = LateFolder(plan, out, solver) if out else None
    game = Game(
        plan.world,
        plan.setting,
        plan.protocol,
        (lambda state: keeper) if folder is None else folder.keeper,
        time_limit=episode_seconds,
        own_solver=load_solver(solver) if solver else None,
    )
    defaults = ModelRequest(model="")
    terms = Terms()
    config = GenerateConfig(
        temperature=defaults.temperature,
        max_tokens=defaults.max_tokens,
        timeout=terms.timeout,
        attempt_timeout=terms.attempt_timeout,
    )
    source = source_of(plan.world, plan.request.world)
    return make_task(game, source, [(query, 0) for query in plan.queries], config=config)
