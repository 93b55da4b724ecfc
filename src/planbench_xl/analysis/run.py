"""The analysis of a run: how often its episodes fail in which way, on the whole and by slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from planbench_xl.analysis.episode import PathSet, analyse_episodes
from planbench_xl.analysis.model import CallFacts, Category, Ending, EpisodeAnalysis, FollowUp
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.world import BLOCK_KINDS, World

LONG = 8
"""Tasks of this L* and above are one slice (paper: 5, 6, 7, at least 8)."""


class Share(msgspec.Struct, frozen=True):
    """How many of how many.

    Attributes:
        count: How many.
        of: Of how many.
        share: The fraction; None of none.
    """

    count: int
    of: int
    share: float | None


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What failed episodes could have called instead (paper: selection). Calls that were rejected aren't counted.

    Attributes:
        discovered: Calls without progress at which a tool was known whose call would have been progress.
        recent: Calls without progress whose tool came with the current or previous retrieval.
        useful_old: Calls without progress, with a useful tool known, whose newest sighting is more than two retrievals
            back.
        reappears: Such calls after earlier progress, for which a useful tool is shown again before the next progress.
    """

    discovered: Share
    recent: Share
    useful_old: Share
    reappears: Share


class Contaminations(msgspec.Struct, frozen=True, kw_only=True):
    """How far untrusted values spread.

    Attributes:
        values: Untrusted values that were used later; the same value from two calls counts twice.
        in_arguments: Those that became an argument of a later call.
        in_answers: Those that the final answer holds.
        episodes: Episodes, of all, with such a value.
    """

    values: int
    in_arguments: int
    in_answers: int
    episodes: Share


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """How a number is distributed over episodes.

    Attributes:
        known: Episodes that have it.
        of: Of so many.
        mean: Its mean; None if no episode has it.
        median: Its (lower) median.
        largest: Its largest value.
        counts: Number of episodes per value.
    """

    known: int
    of: int
    mean: float | None
    median: int | None
    largest: int | None
    counts: dict[int, int]


class RunAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """The analysis of a run.

    Attributes:
        paths: What progress is judged by.
        episodes: Episodes that came to an end of their own; all figures are over these.
        errors: Episodes that the infrastructure ended.
        failed: Failed ones.
        categories: Failed episodes per category, of all failed ones; format errors are apart in the paper too.
        selection: What could have been called instead, over the failed episodes.
        alternatives: Block alternatives called per kind, of all those called.
        follow_up: Per kind, what became of their values.
        endings: Failed episodes per ending, of those without format error.
        contaminations: How far untrusted values spread.
        regret: Turns beyond the shortest possible, over all episodes.
        first_wrong_turn: First turn that brought the answer no nearer, over all episodes.
        bounds: Episodes for which a search ran out of time, so that something is only a bound.
    """

    paths: PathSet
    episodes: int
    errors: int
    failed: int
    categories: dict[Category, Share]
    selection: Selection
    alternatives: dict[str, Share]
    follow_up: dict[str, dict[FollowUp, Share]]
    endings: dict[Ending, Share]
    contaminations: Contaminations
    regret: Distribution
    first_wrong_turn: Distribution
    bounds: int


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """The episodes that have something in common.

    Attributes:
        by: What: `shortest_length`, `inputs`, `flow`, `target`, `kinds` or `setting`.
        value: Its value.
        episodes: Number of episodes.
        accuracy: Share of them that succeed.
        categories: Failed ones per category.
    """

    by: str
    value: str
    episodes: int
    accuracy: float
    categories: dict[Category, int]


def analyse_run(
    world: World, episodes: Iterable[Episode], *, judge: str | None = None, paths: PathSet = "exact"
) -> RunAnalysis:
    """Analyse the episodes of a run; arguments and errors as `analyse_episode`."""
    return summarise(analyse_episodes(world, episodes, judge, paths=paths), paths)


def summarise(analyses: Sequence[EpisodeAnalysis], paths: PathSet = "exact") -> RunAnalysis:
    """Sum up analyses of episodes, all made with the same `paths`."""
    ended = [analysis for analysis in analyses if analysis.status is not Status.ERROR]
    failed = [analysis for analysis in ended if analysis.status is Status.FAILURE]
    well_formed = [analysis for analysis in failed if analysis.category is not Category.FORMAT_ERROR]
    called = [imitation for analysis in ended for imitation in analysis.imitations]
    return RunAnalysis(
        paths=paths,
        episodes=len(ended),
        errors=len(analyses) - len(ended),
        failed=len(failed),
        categories={c: _share(sum(a.category is c for a in failed), len(failed)) for c in Category},
        selection=selection([call for analysis in failed for call in analysis.calls]),
        alternatives={k.value: _share(sum(i.kind is k for i in called), len(called)) for k in BLOCK_KINDS},
        follow_up={k.value: _follow_up([i.follow_up for i in called if i.kind is k]) for k in BLOCK_KINDS},
        endings={e: _share(sum(a.ending is e for a in well_formed), len(well_formed)) for e in Ending},
        contaminations=_contaminations(ended),
        regret=_distribution([analysis.regret for analysis in ended]),
        first_wrong_turn=_distribution([analysis.first_wrong_turn for analysis in ended]),
        bounds=sum(not analysis.exact for analysis in ended),
    )


def selection(calls: Sequence[CallFacts]) -> Selection:
    """Sum up the executed calls without progress among some."""
    missed = [call for call in calls if call.executed and not call.progress]
    known = [call for call in missed if call.useful]
    drifted = [call for call in known if call.reappears is not None]
    return Selection(
        discovered=_share(len(known), len(missed)),
        recent=_share(sum(call.recent for call in missed), len(missed)),
        useful_old=_share(sum(call.useful_old is True for call in known), len(known)),
        reappears=_share(sum(call.reappears is True for call in drifted), len(drifted)),
    )


def _follow_up(found: Sequence[FollowUp]) -> dict[FollowUp, Share]:
    return {kind: _share(found.count(kind), len(found)) for kind in FollowUp}


def _contaminations(analyses: Sequence[EpisodeAnalysis]) -> Contaminations:
    found = [contamination for analysis in analyses for contamination in analysis.contaminations]
    return Contaminations(
        values=len(found),
        in_arguments=sum(bool(contamination.arguments) for contamination in found),
        in_answers=sum(contamination.answer for contamination in found),
        episodes=_share(sum(bool(analysis.contaminations) for analysis in analyses), len(analyses)),
    )


def _share(count: int, of: int) -> Share:
    return Share(count, of, count / of if of else None)


def _distribution(values: Sequence[int | None]) -> Distribution:
    known = sorted(value for value in values if value is not None)
    return Distribution(
        known=len(known),
        of=len(values),
        mean=sum(known) / len(known) if known else None,
        median=known[(len(known) - 1) // 2] if known else None,
        largest=known[-1] if known else None,
        counts=dict(sorted(Counter(known).items())),
    )


SLICES: Mapping[str, Callable[[EpisodeAnalysis], tuple[str, ...]]] = {
    "shortest_length": lambda a: (f">= {LONG}" if a.shortest_length >= LONG else str(a.shortest_length),),
    "inputs": lambda a: (str(a.inputs),),
    "flow": lambda a: (a.flow or "none",),
    "target": lambda a: a.targets,
    "kinds": lambda a: ("+".join(kind.value for kind in a.kinds) or "none",),
    "setting": lambda a: (a.setting,),
}
"""What runs are sliced by: from an episode to the slices that it belongs to (one for each target)."""


def slices(analyses: Iterable[EpisodeAnalysis]) -> tuple[Slice, ...]:
    """Return every slice of some episodes, sorted; episodes that the infrastructure ended are left out."""
    groups: dict[tuple[str, str], list[EpisodeAnalysis]] = {}
    for analysis in analyses:
        if analysis.status is not Status.ERROR:
            for by, values in SLICES.items():
                for value in values(analysis):
                    groups.setdefault((by, value), []).append(analysis)
    order = list(SLICES)
    # A bare `>= 8` would come before `5`.
    keys = sorted(groups, key=lambda key: (order.index(key[0]), key[1].startswith(">"), key[1]))
    return tuple(_slice(*key, groups[key]) for key in keys)


def _slice(by: str, value: str, group: Sequence[EpisodeAnalysis]) -> Slice:
    return Slice(
        by=by,
        value=value,
        episodes=len(group),
        accuracy=sum(analysis.status is Status.SUCCESS for analysis in group) / len(group),
        categories={c: sum(analysis.category is c for analysis in group) for c in Category},
    )
