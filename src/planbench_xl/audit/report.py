"""What an audit says: findings, each with a count, an example, what it does to scores and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

Scalar = int | float | str | bool | None
Figures = dict[str, Scalar | dict[str, Scalar]]
"""Further numbers of a finding by name; a dictionary is a distribution."""


class Level(StrEnum):
    """How bad a finding is: `error` makes scores wrong, `warning` may, `info` is good to know."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for an error, more for less."""
        return list(Level).index(self)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One weakness of a world, or one fact about it.

    Attributes:
        id: Name of the check, stable over versions.
        title: What was found, in a line.
        level: How bad it is.
        count: How many things it concerns.
        total: Out of how many; None where that makes no sense.
        unit: What is counted.
        example: One case in words; empty if there is none.
        effect: What it does to scores.
        remedy: What to do about it.
        figures: Further numbers.
        entries: Identifiers of everything concerned, in file order.
    """

    id: str
    title: str
    level: Level
    count: int
    total: int | None
    unit: str
    example: str = ""
    effect: str
    remedy: str
    figures: Figures = {}
    entries: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """Count out of total; None without a total."""
        return self.count / self.total if self.total else None


class Check(msgspec.Struct, frozen=True):
    """What a check is about, whatever world it is run on. Fields as in `Finding`."""

    id: str
    title: str
    level: Level
    unit: str
    effect: str
    remedy: str

    def found(
        self,
        entries: Sequence[str],
        total: int | None = None,
        example: str = "",
        figures: Figures | None = None,
        count: int | None = None,
        level: Level | None = None,
    ) -> Finding:
        """Return the finding, with the number of entries as its count unless one is given."""
        return Finding(
            id=self.id,
            title=self.title,
            level=level or self.level,
            count=len(entries) if count is None else count,
            total=total,
            unit=self.unit,
            example=example,
            effect=self.effect,
            remedy=self.remedy,
            figures=figures or {},
            entries=tuple(entries),
        )


class TaskFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The catalogue of one task against all its minimal tool sets.

    Attributes:
        task_id: The task.
        listed: Number of different listed tool sets.
        listed_longest: Size of the largest listed one.
        up_to_listed: Number of minimal tool sets of at most that size.
        executable: As `up_to_listed`, of those whose tools all answer on the record of the task's query; the
            smallest number over its queries. None without a query.
        count: Number of minimal tool sets of any size.
        exact: `up_to_listed`, `executable` and `count` are exact; if not, they are lower bounds.
        stated: The stated L*.
        shortest: L*; None if the task can't be solved.
        shortest_exact: `shortest` is exact; if not, it is an upper bound.
    """

    task_id: str
    listed: int
    listed_longest: int
    up_to_listed: int
    executable: int | None
    count: int
    exact: bool
    stated: int
    shortest: int | None
    shortest_exact: bool


class AuditReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit found.

    Attributes:
        world: Name of the world.
        fingerprint: Its fingerprint.
        findings: Findings that concern at least one thing, and facts; the worst first.
        passed: Names of the checks that found nothing.
        tasks: The catalogue against the exact tool sets, per task.
    """

    world: str
    fingerprint: str
    findings: tuple[Finding, ...]
    passed: tuple[str, ...]
    tasks: tuple[TaskFigures, ...] = ()

    def finding(self, name: str) -> Finding | None:
        """Return the finding of a check; None if the check passed."""
        return next((finding for finding in self.findings if finding.id == name), None)

    def at_least(self, level: Level) -> tuple[Finding, ...]:
        """Return the findings of a level or a worse one."""
        return tuple(finding for finding in self.findings if finding.level.rank <= level.rank)


def assemble(world: str, fingerprint: str, found: Sequence[Finding], tasks: Sequence[TaskFigures] = ()) -> AuditReport:
    """Sort findings by level; those that concern nothing become names of passed checks."""
    kept = [finding for finding in found if finding.count]
    ordered = sorted(kept, key=lambda finding: finding.level.rank)
    names = {finding.id for finding in kept}
    return AuditReport(
        world=world,
        fingerprint=fingerprint,
        findings=tuple(ordered),
        passed=tuple(finding.id for finding in found if finding.id not in names),
        tasks=tuple(tasks),
    )
