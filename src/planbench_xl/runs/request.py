"""Turns what a user asks for into the arguments of a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl import DEFAULT_WORLD
from planbench_xl.engines import EngineName
from planbench_xl.environment import Setting
from planbench_xl.errors import UsageError
from planbench_xl.protocols import ProtocolKind
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.run import (
    ProgressCallback,
    RunResult,
    known_queries,
    run,
    sample_queries,
    shard_queries,
    split_queries,
)
from planbench_xl.runs.worlds import open_world
from planbench_xl.world import World

FOLDER = Path("runs")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a user can ask for. None leaves a choice at its default.

    Attributes:
        world: Name of a packaged world, or a folder.
        agent: Name of the agent.
        out: The run folder; by default `runs/<world>-<agent>-<setting>`.
        limit: Only the first queries.
        sample: Only a random sample of this size, drawn with the setting's seed as the release does.
        queries: Only these queries.
        split: Only the queries of this split; combines with `limit` and `sample`.
        shard: Only a part of the queries chosen by all that: `2/8` for the second of eight.
        seed: Seed of the setting.
        max_turns: Turn limit of the setting.
        planner: Block planner of the setting.
        overrides: Changes to other fields of the setting, as `field=value`.
        agent_seed: Seed of the agent.
        epochs: Number of repetitions.
        workers: Number of processes.
        engine: Where they are: on this machine, or on a Ray cluster.
        protocol: How a model reads and writes: tagged text, or function calls.
        tool_ids: Tools have handles by which they can be called (a field of the setting).
        prompts: Folder of prompt templates.
        retry_errors: Play episodes again that ended with an infrastructure error.
    """

    world: str = DEFAULT_WORLD
    agent: str = "explorer"
    out: str | None = None
    limit: int | None = None
    sample: int | None = None
    queries: str | None = None
    split: str | None = None
    shard: str | None = None
    seed: int | None = None
    max_turns: int | None = None
    planner: str | None = None
    overrides: tuple[str, ...] = ()
    agent_seed: int = 0
    epochs: int = 1
    workers: int = 1
    engine: EngineName = "local"
    protocol: ProtocolKind = "text"
    tool_ids: bool = False
    prompts: str | None = None
    retry_errors: bool = False

    def setting(self, preset: str, changes: Sequence[str] = ()) -> Setting:
        """Return a preset with the changes asked for, after some that belong to it.

        Raises:
            SettingError: The preset or a change is refused.
        """
        flags = {"seed": self.seed, "max_turns": self.max_turns, "blocking.planner": self.planner}
        own = [f"{field}={value}" for field, value in flags.items() if value is not None]
        own += ["tool_ids=true"] * self.tool_ids
        return load_setting(preset, [*changes, *own, *self.overrides])

    def chosen(self, world: World, seed: int) -> tuple[str, ...]:
        """Return the queries asked for.

        Raises:
            UsageError: One is unknown, or more than one way of choosing is used.
        """
        if sum(choice is not None for choice in (self.limit, self.sample, self.queries)) > 1:
            raise UsageError("--limit, --sample and --queries exclude each other. Give one of them.")
        if self.queries is not None:
            names = known_queries(world, [name.strip() for name in self.queries.split(",") if name.strip()])
        else:
            names = split_queries(world, self.split)
            names = names[: self.limit] if self.sample is None else sample_queries(names, self.sample, seed)
        return names if self.shard is None else shard_queries(names, self.shard)

    def folder(self, world: World, name: str) -> Path:
        """Return the run folder: the one asked for, or one named after world, agent and setting (or suite).

        Raises:
            UsageError: The name asked for is empty.
        """
        if self.out == "":
            raise UsageError("--out is empty. Name a folder.")
        if self.out is not None:
            return Path(self.out)
        part = "" if self.shard is None else f"-shard-{self.shard}"
        return FOLDER / re.sub(r"[^\w.+-]+", "_", f"{world.name}-{self.agent}-{name}{part}")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `run` that are passed on as they are."""
        names = ("agent", "epochs", "agent_seed", "workers", "engine", "protocol", "prompts", "retry_errors")
        return {name: getattr(self, name) for name in names}


def run_request(
    request: Request,
    preset: str = "default",
    progress: ProgressCallback | None = None,
    *,
    changes: Sequence[str] = (),
    world: World | None = None,
) -> RunResult:
    """Play what a user asks for in one setting.

    Args:
        request: What is asked for.
        preset: Name of the setting's preset.
        progress: Called as `run` calls it.
        changes: Changes that belong to the preset, as `field=value`.
        world: The world that the request names, if it is loaded already.

    Raises:
        PlanBenchError: As `run`, or a choice is refused before anything is written.
    """
    setting = request.setting(preset, changes)
    world = world or open_world(request.world)
    queries = request.chosen(world, setting.seed)
    out = request.folder(world, setting.name)
    source = request.world
    return run(world, out, source=source, setting=setting, queries=queries, progress=progress, **request.arguments())
