"""The score of a run: its figures, with and without the episodes that the infrastructure spoiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from planbench_xl.episodes.record import Episode, Status
from planbench_xl.errors import UsageError
from planbench_xl.metrics.episode import EpisodeScore, score_episode
from planbench_xl.metrics.figures import Figure, figures_of
from planbench_xl.world import World


class PassRate(msgspec.Struct, frozen=True, kw_only=True):
    """What repetitions of the queries show.

    Attributes:
        k: Number of tries.
        any: pass@k, the chance that at least one of k tries succeeds.
        all: pass^k, the chance that all of k tries succeed.
        queries: Queries that were scored at least k times: those it rests on.
    """

    k: int
    any: Figure
    all: Figure
    queries: int


class RunScore(msgspec.Struct, frozen=True, kw_only=True):
    """The score of a run.

    Attributes:
        world: Name of the world.
        fingerprint: Its fingerprint.
        setting: Name of the setting; several names are joined by commas.
        protocol: Name and version of the protocol, likewise.
        judge: Name of the judge that the figures are under.
        metrics: Figures over the scored episodes: infrastructure errors are left out.
        metrics_errors_as_failures: The same figures over all episodes, errors counted as failures.
        scored: Episodes that came to an end of their own.
        succeeded: Those with a correct and grounded answer.
        errors: Episodes that the infrastructure ended.
        expected: Episodes that the run should have; None if unknown.
        coverage: Share of the expected episodes that are scored; None if unknown.
        complete: Every expected episode is scored. Only a complete run's figures are final.
        failure_reasons: Number of failed episodes per reason, the most frequent first.
        error_causes: Number of infrastructure errors per cause, likewise.
        unresolved: Episodes that should have been blocked but had no block plan, and ran unblocked.
        disagreements: Episodes whose outcome isn't the recorded one, although the judge is (`query#epoch`).
        truth_bounds: Queries for which the search for all paths ran out of time: the exact figures are bounds there.
        queries: Queries that have a scored episode.
        passes: pass@k and pass^k, if queries were repeated and the statistics were asked for.
    """

    world: str
    fingerprint: str
    setting: str
    protocol: str
    judge: str
    metrics: dict[str, Figure]
    metrics_errors_as_failures: dict[str, Figure]
    scored: int
    succeeded: int
    errors: int
    expected: int | None
    coverage: float | None
    complete: bool
    failure_reasons: dict[str, int]
    error_causes: dict[str, int]
    unresolved: int
    disagreements: tuple[str, ...]
    truth_bounds: int = 0
    queries: int = 0
    passes: tuple[PassRate, ...] = ()


def score_episodes(
    world: World, episodes: Iterable[Episode], judge: str | None = None, *, exact_paths: bool = False
) -> list[EpisodeScore]:
    """Score every episode.

    Raises:
        UsageError: An episode doesn't belong to the world, or there are two with the same query and epoch.
    """
    scores = [score_episode(world, episode, judge, exact_paths=exact_paths) for episode in episodes]
    keys = Counter((score.query_id, score.epoch) for score in scores)
    if len(keys) < len(scores):
        (query_id, epoch), count = keys.most_common(1)[0]
        raise UsageError(f"There are {count} episodes of query '{query_id}', epoch {epoch}; keep one of them.")
    return scores


def score_run(
    world: World,
    episodes: Iterable[Episode],
    judge: str | None = None,
    *,
    expected: int | None = None,
    exact_paths: bool = False,
) -> RunScore:
    """Score a run.

    Args:
        world: The world it was played on.
        episodes: Its episodes, each query and epoch once.
        judge: Name of the judge that judges all answers anew; None for the one used during the run.
        expected: Number of episodes that the run should have (queries × epochs); None if unknown.
        exact_paths: Add the figures on all paths of the tasks, listed or not (`egt_precision_exact`, …).

    Raises:
        UsageError: An episode doesn't belong to the world, one occurs twice, or there is no such judge.
    """
    episodes = list(episodes)
    scores = score_episodes(world, episodes, judge, exact_paths=exact_paths)
    return summarise(world, episodes, scores, judge, expected=expected)


def summarise(
    world: World,
    episodes: Sequence[Episode],
    scores: Sequence[EpisodeScore],
    judge: str | None = None,
    *,
    expected: int | None = None,
) -> RunScore:
    """Return the score of a run whose episodes have been scored; arguments as in `score_run`."""
    scored = [score for score in scores if score.status is not Status.ERROR]
    coverage = len(scored) / expected if expected else None
    figures = figures_of(scored)
    return RunScore(
        world=world.name,
        fingerprint=world.fingerprint,
        setting=_names(episode.setting for episode in episodes),
        protocol=_names(episode.protocol for episode in episodes),
        judge=judge or _names(episode.judge for episode in episodes),
        metrics=figures,
        metrics_errors_as_failures=figures if len(scored) == len(scores) else figures_of(scores),
        scored=len(scored),
        succeeded=sum(score.success for score in scored),
        errors=len(scores) - len(scored),
        expected=expected,
        coverage=coverage,
        complete=len(scored) == len(scores) if expected is None else len(scored) >= expected,
        failure_reasons=_counts(score.reason.value for score in scored if score.reason),
        error_causes=_counts(score.cause or "unknown" for score in scores if score.status is Status.ERROR),
        unresolved=sum(score.unresolved for score in scores),
        disagreements=disagreements(scores),
        truth_bounds=len({score.query_id for score in scores if not score.exact_truth_complete}),
        queries=len({score.query_id for score in scored}),
    )


def disagreements(scores: Sequence[EpisodeScore]) -> tuple[str, ...]:
    """Return the episodes whose outcome isn't the recorded one, as `query#epoch`."""
    return tuple(f"{score.query_id}#{score.epoch}" for score in scores if score.agrees is False)


def _names(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
