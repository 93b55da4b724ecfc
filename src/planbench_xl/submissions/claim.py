"""`submission.json`: what a submission says of itself. All of it can be worked out again from the episodes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from planbench_xl.episodes.record import Episode
from planbench_xl.metrics import RunScore, score_run
from planbench_xl.world import World

CLAIM = "submission.json"
RUN = "run.json"
EPISODES = "episodes.jsonl"
FORMAT = 1

JUDGES = ("contains", "exact")
"""Every submission claims its figures under both judges."""


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The figures of a run under one judge.

    Attributes:
        metrics: Over the episodes that came to an end of their own.
        metrics_errors_as_failures: Over all episodes; leaderboards rank by these.
        scored: Episodes that came to an end of their own.
        succeeded: Those with a correct and grounded answer.
        errors: Episodes that the infrastructure ended.
    """

    metrics: dict[str, float | None]
    metrics_errors_as_failures: dict[str, float | None]
    scored: int
    succeeded: int
    errors: int


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a submission says of itself.

    Attributes:
        format: Version of this layout.
        name: What a leaderboard calls it.
        package: Version of this package that made the archive.
        world: Name of the world.
        world_fingerprint: Fingerprint of its content.
        setting: Name of the setting.
        protocol: Name and version of the protocol.
        figures: Figures by judge.
        files: SHA-256 of the other files of the archive, in hexadecimal, by name.
    """

    format: int = FORMAT
    name: str
    package: str
    world: str
    world_fingerprint: str
    setting: str
    protocol: str
    figures: dict[str, Figures]
    files: dict[str, str]


def figures_by_judge(world: World, episodes: Sequence[Episode], expected: int) -> dict[str, Figures]:
    """Return the figures that a submission of these episodes claims.

    Raises:
        UsageError: An episode doesn't belong to the world, or occurs twice.
    """
    return {judge: _figures(score_run(world, episodes, judge, expected=expected)) for judge in JUDGES}


def _figures(score: RunScore) -> Figures:
    return Figures(
        metrics={name: figure.value for name, figure in score.metrics.items()},
        metrics_errors_as_failures={name: f.value for name, f in score.metrics_errors_as_failures.items()},
        scored=score.scored,
        succeeded=score.succeeded,
        errors=score.errors,
    )
