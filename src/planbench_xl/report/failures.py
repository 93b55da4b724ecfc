"""Shares of the failure analysis, as terms per episode like the metrics, so that they get intervals in the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from planbench_xl.analysis.model import CallFacts, Category, Ending, EpisodeAnalysis, FollowUp
from planbench_xl.episodes.record import Status
from planbench_xl.metrics import Figure
from planbench_xl.metrics.figures import Terms
from planbench_xl.world import BLOCK_KINDS, Kind

Term = Callable[[EpisodeAnalysis], Terms]


class Failures(msgspec.Struct, frozen=True, kw_only=True):
    """Why the episodes of a run failed.

    Attributes:
        shares: Every share, by its key in `FAILURE_TERMS`, with its interval.
        counts: What each share is a share of: its denominator.
    """

    shares: dict[str, Figure]
    counts: dict[str, int]


def category_key(category: Category) -> str:
    """Return the key of a category's share of the failed episodes."""
    return f"category.{category.value}"


def ending_key(ending: Ending) -> str:
    """Return the key of an ending's share of the failures without a format error."""
    return f"ending.{ending.value}"


def invoked_key(kind: Kind) -> str:
    """Return the key of a kind's share of the block alternatives invoked."""
    return f"invoked.{kind.value}"


def follow_up_key(kind: Kind, follow_up: FollowUp) -> str:
    """Return the key of a follow-up's share of the alternatives of a kind that were invoked."""
    return f"follow_up.{kind.value}.{follow_up.value}"


def off_progress(analysis: EpisodeAnalysis) -> list[CallFacts]:
    """Return the executed calls of a failed episode that were no progress calls."""
    if analysis.status is not Status.FAILURE:
        return []
    return [call for call in analysis.calls if call.executed and not call.progress]


def _category(category: Category) -> Term:
    return lambda analysis: (analysis.category is category, analysis.category is not None)


def _ending(ending: Ending) -> Term:
    return lambda analysis: (analysis.ending is ending, analysis.ending is not None)


def _invoked(kind: Kind) -> Term:
    return lambda analysis: (sum(one.kind is kind for one in analysis.imitations), len(analysis.imitations))


def _follow_up(kind: Kind, follow_up: FollowUp) -> Term:
    def term(analysis: EpisodeAnalysis) -> Terms:
        found = [one for one in analysis.imitations if one.kind is kind]
        return sum(one.follow_up is follow_up for one in found), len(found)

    return term


def useful(analysis: EpisodeAnalysis) -> Terms:
    """Share of the non-progress calls before which a tool was known that would have been a progress call."""
    calls = off_progress(analysis)
    return sum(bool(call.useful) for call in calls), len(calls)


def recent(analysis: EpisodeAnalysis) -> Terms:
    """Share of the non-progress calls whose tool came with the current or the previous retrieval."""
    calls = off_progress(analysis)
    return sum(call.recent for call in calls), len(calls)


def useful_old(analysis: EpisodeAnalysis) -> Terms:
    """Share of the non-progress calls with a useful tool known whose newest sighting is over two retrievals back."""
    found = [call.useful_old for call in off_progress(analysis) if call.useful_old is not None]
    return sum(found), len(found)


def reappears(analysis: EpisodeAnalysis) -> Terms:
    """Share of the drifts after which a useful tool comes with a later retrieval."""
    found = [call.reappears for call in off_progress(analysis) if call.reappears is not None]
    return sum(found), len(found)


def imitations_per_episode(analysis: EpisodeAnalysis) -> Terms:
    """Mean number of block alternatives invoked."""
    return len(analysis.imitations), 1


def regret(analysis: EpisodeAnalysis) -> Terms:
    """Mean number of turns beyond the shortest possible, over the episodes for which it can be said."""
    return (0, 0) if analysis.regret is None else (analysis.regret, 1)


FAILURE_TERMS: Mapping[str, Term] = {
    **{category_key(category): _category(category) for category in Category},
    **{ending_key(ending): _ending(ending) for ending in Ending},
    "useful": useful,
    "recent": recent,
    "useful_old": useful_old,
    "reappears": reappears,
    **{invoked_key(kind): _invoked(kind) for kind in BLOCK_KINDS},
    **{follow_up_key(kind, follow_up): _follow_up(kind, follow_up) for kind in BLOCK_KINDS for follow_up in FollowUp},
    "imitations_per_episode": imitations_per_episode,
    "regret": regret,
}
"""Every figure of the failure analysis by its key."""

UNBOUNDED = frozenset({"imitations_per_episode", "regret"})


def failures_of(analyses: Sequence[EpisodeAnalysis]) -> Failures:
    """Return the figures of the failure analysis, with intervals; infrastructure errors are left out."""
    from planbench_xl.statistics.bootstrap import figures_of_sums, query_sums

    known = [analysis for analysis in analyses if analysis.status is not Status.ERROR]
    above, below = query_sums(known, FAILURE_TERMS)
    names = list(FAILURE_TERMS)
    return Failures(
        shares=figures_of_sums(above, below, [name not in UNBOUNDED for name in names], names),
        counts={name: int(total) for name, total in zip(names, below.sum(axis=0), strict=True)},
    )
