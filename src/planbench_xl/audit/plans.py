"""What the reference planner makes of a world's list of paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from planbench_xl.audit.context import Context
from planbench_xl.audit.report import Check, Figures, Finding, Level, Scalar
from planbench_xl.blocking import BlockingConfig, BlockPlan, plan_reference
from planbench_xl.paths import count_minimal, shortest

UNRESOLVED = Check(
    "unresolved-plans",
    "Tasks for which the reference planner finds no plan in some setting",
    Level.WARNING,
    "tasks",
    "They run unblocked, and count among the blocked ones.",
    "Add paths or alternatives to the task, or use the exact planner; never compare settings without the number.",
)
OFF_AIM = Check(
    "one-path-plans-off-aim",
    "Tasks for which the reference planner, asked to leave one path, doesn't leave one of those listed",
    Level.WARNING,
    "tasks",
    "They are easier than the setting says.",
    "Use the exact planner.",
)
LEFT = Check(
    "one-path-plans-leave-more",
    "Tasks for which a plan that leaves one listed path leaves others that are not listed",
    Level.ERROR,
    "tasks",
    "The setting says that one path is left, but an agent may find another, often a shorter one.",
    "List every minimal tool set, or use the exact planner.",
)

AIMS = ("remaining_paths", "disabled_ratio", "blocked_paths")
"""What the reference planner can aim at."""

Settings = Mapping[str, tuple[BlockingConfig, int]]
"""Blocking and seed of each named setting."""


def paper_settings() -> Settings:
    """Return the presets that block."""
    # Here, so that an audit with settings of its own needn't load those.
    from planbench_xl.runs.presets import presets

    settings = {name: preset.setting for name, preset in presets().items()}
    return {name: (setting.blocking, setting.seed) for name, setting in settings.items() if setting.blocking.enabled}


def check_plans(context: Context, settings: Settings) -> Iterator[Finding]:
    """Plan every task in every setting, once for those that differ only in what can't make a plan fail."""
    # Whatever planner a setting names: what the list of paths is good for shows under the reference planner.
    reference = {name: pair for name, pair in settings.items() if pair[0].aim in AIMS}
    groups: dict[BlockingConfig, list[str]] = {}
    for name, (config, _) in reference.items():
        groups.setdefault(_core(config), []).append(name)
    plans: dict[str, dict[str, BlockPlan]] = {}
    for config, names in groups.items():
        seed = reference[names[0]][1]
        plans[names[0]] = _plan(context, config, seed)
    yield _unresolved(context, {", ".join(groups[config]): plans[groups[config][0]] for config in groups})
    one = next((names[0] for config, names in groups.items() if _leaves_one(config)), None)
    if one is not None:
        yield from _leftovers(context, plans[one], one)


def _core(config: BlockingConfig) -> BlockingConfig:
    """Return a configuration without what only chooses among plans."""
    plain = BlockingConfig()
    return msgspec.structs.replace(
        config,
        planner="reference",
        length=plain.length,
        fewest_tools=plain.fewest_tools,
        alternatives=plain.alternatives,
        kinds=plain.kinds,
        kinds_drawn=plain.kinds_drawn,
    )


def _leaves_one(config: BlockingConfig) -> bool:
    return config.aim == "remaining_paths" and config.remaining_paths == 1


def _plan(context: Context, config: BlockingConfig, seed: int) -> dict[str, BlockPlan]:
    paths = context.world.tool_sets
    what = f"plans, {config.aim.replace('_', ' ')}"
    tasks = context.track(what, context.world.tasks)
    return {task.task_id: plan_reference(task.task_id, paths.get(task.task_id, ()), config, seed) for task in tasks}


def _unresolved(context: Context, plans: Mapping[str, Mapping[str, BlockPlan]]) -> Finding:
    failed = {name: [task for task, plan in found.items() if not plan.resolved] for name, found in plans.items()}
    concerned = {task for tasks in failed.values() for task in tasks}
    entries = [task.task_id for task in context.world.tasks if task.task_id in concerned]
    example = ""
    if entries:
        where = next(name for name, tasks in failed.items() if entries[0] in tasks)
        example = f"{entries[0]} in {where}: {len(context.world.tool_sets.get(entries[0], ()))} listed paths."
    figures: Figures = {"unresolved_by_setting": {name: len(tasks) for name, tasks in failed.items()}}
    return UNRESOLVED.found(entries, len(context.world.tasks), example, figures)


def _leftovers(context: Context, plans: Mapping[str, BlockPlan], setting: str) -> Iterator[Finding]:
    world = context.world
    resolved = {name: plan for name, plan in plans.items() if plan.resolved}
    off = [name for name, plan in plans.items() if not plan.resolved or plan.remaining != 1]
    listed: dict[str, Scalar] = dict(
        Counter(f"{plan.remaining} left" if plan.resolved else "unresolved" for plan in plans.values())
    )
    example = f"{off[0]}: {plans[off[0]].remaining} listed paths are left." if off else ""
    yield OFF_AIM.found(off, len(plans), example, {"setting": setting, "tasks_by_listed_paths_left": listed})
    left: dict[str, str] = {}
    counts: dict[str, int] = {}
    exact = True
    shorter = 0
    for name, plan in context.track("paths left by plans", resolved.items()):
        task = world.task[name]
        graph = context.graph.without(set(plan.blocked) & set(context.graph.tools))
        count = count_minimal(graph, task.inputs, task.targets, time_limit=context.time_limit)
        exact &= count.exact
        kept = [path for path in world.tool_sets.get(name, ()) if plan.blocked.keys().isdisjoint(path)]
        # Only the plans that did what was asked by the list are promises that can be broken.
        if plan.remaining == 1 and count.value > 1:
            least = shortest(graph, task.inputs, task.targets, time_limit=context.time_limit).size
            shorter += least is not None and least < len(kept[0])
            counts[name] = count.value
            blocked = ", ".join(plan.blocked) or "nothing"
            left[name] = (
                f"{name}: {count.value:,} paths are left with {blocked} blocked; the shortest has {least} tools, "
            )
            left[name] += f"the listed one {len(kept[0])}."
    one = sum(plan.remaining == 1 for plan in resolved.values())
    figures: Figures = {
        "setting": setting,
        "tasks_with_exactly_one_path_left": one - len(left),
        "paths_left_at_most": max(counts.values(), default=0),
        "median_of_those": sorted(counts.values())[len(counts) // 2] if counts else 0,
        "of_these_with_a_shorter_path_left": shorter,
        "exact": exact,
    }
    worst = max(counts, key=lambda name: counts[name], default="")
    yield LEFT.found(list(left), one, left.get(worst, ""), figures)
