"""Failures beyond the paper: executable tools that break down in the middle of an episode.

They hit tools that were discovered long before as well as those that retrieval returns afterwards, which blocking (it
works at retrieval time) can't. Which tools are hit is drawn per task from the setting's seed, so it is the same for
every agent. One solution path is kept within reach: `plan_failures` proves a bound on the turns that it takes.

Kinds:
    flaky: a tool fails openly for its first `failures` calls, then works.
    outage: after turn `after_turn` a tool fails openly, or silently with a wrong value. The kept path is spared.
    schema_drift: after turn `after_turn` one argument of a tool has another name; the error says which.
    rate_limit: after every `calls` calls a tool refuses for `wait` turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import Literal

import msgspec

from planbench_xl.world import Kind, Task, Tool, Value, World

FailureKind = Literal["none", "flaky", "outage", "schema_drift", "rate_limit"]

OUT_OF_SERVICE = "error: this service does not respond at the moment."
LIMITED = "error: too many calls. Try again in {turns} turns."


class FailureConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Failures as part of a setting.

    Attributes:
        kind: What goes wrong; `none` by default.
        share: Share of the executable tools that it hits, 0 to 1.
        failures: Calls that fail before a flaky tool works.
        after_turn: Last turn before an outage or a change of schema.
        silent: An outage returns a wrong value instead of an error (that of the tool's implicit alternative).
        calls: Calls that a rate limit allows in a row, at least 1.
        wait: Turns for which it refuses then.
    """

    kind: FailureKind = "none"
    share: float = 0.5
    failures: int = 2
    after_turn: int = 8
    silent: bool = False
    calls: int = 1
    wait: int = 3


class FailurePlan(msgspec.Struct, frozen=True):
    """Which tools of a task fail, and the path that stays within reach.

    Attributes:
        task_id: The task.
        resolved: The kept path fits the turn budget; if not, nothing fails.
        affected: Names of the tools that fail, sorted.
        kept_path: Tools of the path that leads to the targets all the same.
        turn_bound: Turns that walking the kept path takes at most: a retrieval and a call per tool, what the failures
            add, and the answer.
    """

    task_id: str
    resolved: bool
    affected: tuple[str, ...]
    kept_path: tuple[str, ...]
    turn_bound: int


def plan_failures(
    world: World, task: Task, paths: Sequence[Sequence[str]], config: FailureConfig, seed: int, max_turns: int
) -> FailurePlan:
    """Draw the tools of a task that fail.

    Args:
        world: The world.
        task: The task.
        paths: Solution paths that remain after blocking, each as its tool set.
        config: The failures.
        seed: Seed of the setting.
        max_turns: The turn budget.
    """
    kept = min((tuple(path) for path in paths), key=lambda path: (len(path), path), default=())
    if not kept:
        return FailurePlan(task.task_id, False, (), (), 0)
    affected = {tool.name for tool in world.executable if _drawn(seed, task.task_id, tool.name) < config.share}
    if config.kind == "outage":
        affected -= set(kept)
    hit = len(affected & set(kept))
    extra = {"flaky": config.failures, "schema_drift": 1}.get(config.kind, 0)
    bound = 2 * len(kept) + 1 + extra * hit
    if bound > max_turns:
        return FailurePlan(task.task_id, False, (), kept, bound)
    return FailurePlan(task.task_id, True, tuple(sorted(affected)), kept, bound)


def _drawn(seed: int, *names: str) -> float:
    """Return a number in [0, 1) that depends on seed and names only."""
    digest = blake2b("||".join((str(seed), *names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


class Breakdown(msgspec.Struct, frozen=True):
    """What a failing tool returns instead of its result.

    Attributes:
        value: The value returned.
        success: It looks as if the call had worked.
    """

    value: Value
    success: bool


class Failures:
    """The failures of one episode, as it goes on."""

    def __init__(self, world: World, config: FailureConfig, plan: FailurePlan, seed: int) -> None:
        self._world = world
        self._config = config
        self._plan = plan
        self._seed = seed
        self._affected = frozenset(plan.affected)
        self._calls: dict[str, int] = {}
        self._refused_until: dict[str, int] = {}
        self._drifted: dict[str, tuple[Tool, str, str]] = {}

    def current(self, tool: Tool, turn: int) -> Tool:
        """Return a tool with the schema that it has at a turn."""
        drift = self.drift(tool, turn)
        return tool if drift is None else drift[0]

    def drift(self, tool: Tool, turn: int) -> tuple[Tool, str, str] | None:
        """Return the tool with its renamed argument, the old name and the new one; None before the change."""
        if self._config.kind != "schema_drift" or turn <= self._config.after_turn or tool.name not in self._affected:
            return None
        if tool.name not in self._drifted:
            self._drifted[tool.name] = self._rename(tool)
        return self._drifted[tool.name]

    def _rename(self, tool: Tool) -> tuple[Tool, str, str]:
        rng = Random(f"{self._seed}||{self._plan.task_id}||{tool.name}")
        argument = tool.arguments[rng.randrange(len(tool.arguments))]
        taken = {other.name for other in tool.arguments}
        name = _free_name(self._world.datatype[argument.datatype].aliases, taken, rng) or f"{argument.name}_value"
        renamed = msgspec.structs.replace(argument, name=name)
        arguments = tuple(renamed if other is argument else other for other in tool.arguments)
        return msgspec.structs.replace(tool, arguments=arguments), argument.name, name

    def breakdown(self, tool: Tool, turn: int) -> Breakdown | None:
        """Count a call of an executable tool; return what it gives instead of its result if it fails."""
        if tool.name not in self._affected:
            return None
        config = self._config
        calls = self._calls[tool.name] = self._calls.get(tool.name, 0) + 1
        if config.kind == "flaky" and calls <= config.failures:
            return Breakdown(OUT_OF_SERVICE, False)
        if config.kind == "outage" and turn > config.after_turn:
            return self._outage(tool)
        if config.kind == "rate_limit":
            return self._rate_limit(tool, turn)
        return None

    def _outage(self, tool: Tool) -> Breakdown:
        if not self._config.silent:
            return Breakdown(OUT_OF_SERVICE, False)
        for other in self._world.alternatives.get(tool.name, ()):
            if other.kind is Kind.IMPLICIT:
                return Breakdown(other.return_value, True)
        return Breakdown(OUT_OF_SERVICE, False)

    def _rate_limit(self, tool: Tool, turn: int) -> Breakdown | None:
        until = self._refused_until.get(tool.name, 0)
        if turn <= until:
            self._calls[tool.name] -= 1
            return Breakdown(LIMITED.format(turns=until - turn + 1), False)
        if self._calls[tool.name] % self._config.calls == 0:
            self._refused_until[tool.name] = turn + self._config.wait
        return None


def _free_name(aliases: Iterable[str], taken: set[str], rng: Random) -> str:
    """Return an alias as an argument name that is not taken, or an empty string."""
    names = sorted({alias.replace(" ", "_") for alias in aliases} - taken)
    names = [name for name in names if name.isidentifier()]
    return names[rng.randrange(len(names))] if names else ""
