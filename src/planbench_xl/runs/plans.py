"""Block plans of a world in a setting: made, described and verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache, partial
from pathlib import Path

import msgspec

from planbench_xl.blocking import BlockPlan, Certificate, Planner, PlanStatus, check_plan
from planbench_xl.engines import EngineName, parts, spread
from planbench_xl.environment import Setting
from planbench_xl.errors import SettingError, StoreError, UsageError
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.worlds import open_world


def make_plans(
    world_name: str,
    setting: str,
    planner: str | None = None,
    seed: int | None = None,
    tasks: Sequence[str] = (),
    overrides: Sequence[str] = (),
    workers: int = 1,
    engine: EngineName = "local",
) -> list[BlockPlan]:
    """Return the plans of a world's tasks, in file order.

    Args:
        world_name: Packaged world or folder.
        setting: Name of a preset that blocks.
        planner: Planner to use instead of the setting's.
        seed: Seed to use instead of the setting's.
        tasks: Only these tasks; all if empty.
        overrides: Changes of fields, as `blocking.length=longest`.
        workers: Number of processes.
        engine: Where they are: on this machine, or on a Ray cluster.

    Raises:
        SettingError: The setting blocks nothing, or doesn't exist.
        UsageError: There is no such world or task.
    """
    changes = list(overrides)
    if planner is not None:
        changes.append(f"blocking.planner={planner}")
    if seed is not None:
        changes.append(f"seed={seed}")
    chosen = load_setting(setting, changes)
    if not chosen.blocking.enabled:
        raise SettingError(f"Setting '{setting}' blocks nothing. Use another, such as one-path.")
    world = open_world(world_name)
    for task_id in tasks:
        if task_id not in world.task:
            near = get_close_matches(task_id, world.task, 1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise UsageError(f"World '{world.name}' has no task '{task_id}'.{hint}")
    names = [task.task_id for task in world.tasks if not tasks or task.task_id in tasks]
    work = partial(_plans_of, world_name, chosen)
    return [plan for made in spread(work, parts(names, workers), workers=workers, engine=engine) for plan in made]


def _plans_of(world_name: str, setting: Setting, tasks: Sequence[str]) -> list[BlockPlan]:
    return [_planner(world_name, setting).plan(task_id) for task_id in tasks]


@lru_cache(maxsize=1)
def _planner(world_name: str, setting: Setting) -> Planner:
    """Return a planner, made once for all parts that a process works on."""
    return Planner(open_world(world_name), setting.blocking, setting.seed)


def describe_plan(plan: BlockPlan) -> str:
    """Return a plan as lines of text."""
    lines = [f"{plan.task_id}: {plan.status.value}, {plan.remaining} left" + (f" ({plan.reason})" * bool(plan.reason))]
    lines += [f"  blocked {name} by {', '.join(kinds)}" for name, kinds in plan.blocked.items()]
    if plan.kept_path:
        lines.append(f"  kept    {' → '.join(plan.kept_path)}")
    if plan.certificate is not None:
        lines.append(f"  claims  {_describe_claims(plan.certificate)}")
    return "\n".join(lines)


def _describe_claims(claims: Certificate) -> str:
    proved = {True: "proved", False: "not proved"}
    bound = "of any length" if claims.path_bound is None else f"of at most {claims.path_bound} tools"
    return (
        f"{claims.aim} {claims.wanted} missed by {claims.miss}, nearest {proved[claims.nearest]}, "
        f"fewest {proved[claims.fewest]}, L* {claims.shortest_before} → {claims.shortest_after}, paths {bound}"
    )


def summarise_plans(plans: Sequence[BlockPlan]) -> str:
    """Return a line on all plans: how many of each status, and how many tools they block."""
    counts = Counter(plan.status for plan in plans)
    sizes = [len(plan.blocked) for plan in plans]
    missed = sum(1 for plan in plans if plan.certificate and plan.certificate.miss)
    parts = [f"{counts[status]} {status.value.replace('_', ' ')}" for status in PlanStatus if counts[status]]
    mean = sum(sizes) / len(sizes) if sizes else 0.0
    tools = f"{mean:.2f} tools blocked on average, {max(sizes, default=0)} at most"
    return f"{len(plans)} tasks: {', '.join(parts)}; {tools}; {missed} miss their aim."


def check_plans(file: str, world_name: str) -> tuple[dict[str, list[str]], int]:
    """Verify the plans in a file.

    Returns:
        What is false, by task, and the number of plans.

    Raises:
        StoreError: The file doesn't hold plans.
    """
    try:
        plans = msgspec.json.decode(Path(file).read_bytes(), type=list[BlockPlan])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"{file}: {error}. Give a file written by `planbench-xl blocks --json`.") from error
    world = open_world(world_name)
    found = {plan.task_id: check_plan(world, plan) for plan in plans}
    return {task_id: problems for task_id, problems in found.items() if problems}, len(plans)
