"""The analysis of one episode; definitions in plain words in `docs/reading-a-failure.md`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Literal

from planbench_xl.analysis.fewest import Horizon, horizon_of
from planbench_xl.analysis.model import CallFacts, Category, Ending, EpisodeAnalysis
from planbench_xl.analysis.selection import calls_of
from planbench_xl.analysis.sightings import shows_all
from planbench_xl.analysis.surrender import surrenders
from planbench_xl.analysis.values import contaminations, imitations, spreads
from planbench_xl.episodes.record import Episode, Reason, Status
from planbench_xl.metrics.episode import EpisodeScore, answer_correct, is_grounded, outcome, task_of
from planbench_xl.metrics.facts import facts_of
from planbench_xl.metrics.progress import Step, steps
from planbench_xl.world import Kind, Task, World

PathSet = Literal["exact", "reference"]
"""What progress is judged by: all paths that remain, or the listed ones as in the paper."""

FORMAT_REASONS = frozenset({Reason.MAX_LABEL_ERRORS, Reason.MAX_RETRIEVAL_ERRORS, Reason.MAX_CALL_ERRORS})

REPEATED = 2
"""Retrievals that make a repeated one."""


def analyse_episode(
    world: World,
    episode: Episode,
    *,
    judge: str | None = None,
    paths: PathSet = "exact",
    score: EpisodeScore | None = None,
) -> EpisodeAnalysis:
    """Analyse one episode.

    Args:
        world: The world it was played on.
        episode: What was recorded.
        judge: Name of the judge that judges the answer anew; None for the one used during the episode.
        paths: Judge progress by all paths that remain, or by the listed ones (`reference`).
        score: Its score under this judge, if it has been scored: that spares judging it again.

    Raises:
        UsageError: The episode was played on another world, or there is no such judge.
    """
    name = judge or episode.judge
    task = task_of(world, episode, name)
    facts = facts_of(world)
    blocked = frozenset(episode.blocked)
    if score is None:
        reason = outcome(episode, answer_correct(world, episode, name), is_grounded(facts, task, episode))
    else:
        reason = score.reason
    status = Status.ERROR if episode.status is Status.ERROR else Status.FAILURE if reason else Status.SUCCESS
    walked = steps(facts, task, episode.turns)
    judged_by = facts.paths(episode.task_id, blocked, exact=paths == "exact")
    inventory = shows_all(episode.turns)
    calls = calls_of(world, facts, episode, walked, judged_by, inventory=inventory)
    found = spreads(world, facts, episode)
    horizon = horizon_of(world, episode.task_id, blocked)
    return EpisodeAnalysis(
        query_id=episode.query_id,
        epoch=episode.epoch,
        task_id=episode.task_id,
        setting=episode.setting,
        kinds=_kinds(episode),
        status=status,
        reason=reason,
        category=category_of(reason, calls) if reason else None,
        ending=ending_of(episode, reason) if reason else None,
        calls=calls,
        imitations=imitations(world, facts, episode, walked, found),
        contaminations=contaminations(found),
        turns=len(episode.turns),
        regret=None if status is Status.ERROR else regret(horizon, episode, inventory=inventory),
        first_wrong_turn=first_wrong_turn(
            horizon, episode, walked, success=status is Status.SUCCESS, inventory=inventory
        ),
        shortest_length=task.shortest_length,
        inputs=len(task.inputs),
        targets=task.targets,
        flow=_flow(world, task),
        exact=judged_by.exact and horizon.exact,
    )


def analyse_episodes(
    world: World,
    episodes: Iterable[Episode],
    judge: str | None = None,
    *,
    paths: PathSet = "exact",
    scores: Sequence[EpisodeScore] | None = None,
) -> list[EpisodeAnalysis]:
    """Analyse episodes; arguments and errors as `analyse_episode`."""
    pairs = zip(episodes, repeat(None) if scores is None else scores, strict=scores is not None)
    return [analyse_episode(world, one, judge=judge, paths=paths, score=score) for one, score in pairs]


def category_of(reason: Reason, calls: Sequence[CallFacts]) -> Category:
    """Return why an episode failed; calls that were rejected count for nothing here.

    Drift is the first executed call without progress after progress.
    """
    if reason in FORMAT_REASONS:
        return Category.FORMAT_ERROR
    progress = [call.progress for call in calls if call.executed]
    if True not in progress:
        return Category.NO_TRACTION
    since = progress[progress.index(True) :]
    if False not in since:
        return Category.STOPPED_SHORT
    again = True in since[since.index(False) :]
    return Category.WEAK_RECOVERY if again else Category.IRRECOVERABLE_DRIFT


def ending_of(episode: Episode, reason: Reason) -> Ending | None:
    """Return how a failed episode ended; None for a format error, and if it ran out of turns without much retrieval."""
    if reason in FORMAT_REASONS:
        return None
    answer = episode.final_answer
    if answer is not None:
        return Ending.SURRENDER if surrenders(answer.text) else Ending.WRONG_TOOL_VALUE
    retrievals = sum(turn.action == "retrieve" for turn in episode.turns)
    return Ending.SEARCH_EXHAUSTION if retrievals >= REPEATED else None


def regret(horizon: Horizon, episode: Episode, *, inventory: bool) -> int | None:
    """Return the turns beyond the fewest with which the same retrievals lead to the answer.

    The fewest: some of the retrievals made, calls of tools that they showed, and the answer. None if these tools don't
    reach the targets, or if the episode gave up before so many turns.
    """
    if inventory:
        rest = horizon.rest(horizon.start, horizon.everything)
    else:
        rest = horizon.fewest(horizon.shown(turn.tools) for turn in episode.turns if turn.tools)
    return None if rest is None or len(episode.turns) < rest else len(episode.turns) - rest


def first_wrong_turn(
    horizon: Horizon, episode: Episode, walked: Sequence[Step], *, success: bool, inventory: bool
) -> int | None:
    """Return the first turn (from 1) that brings the answer no nearer; None if each does, or none can.

    Nearer means that the fewest turns to the answer become fewer: a call per tool, a retrieval for each tool that isn't
    discovered yet, and the answer. An answer brings it nearer only if it succeeds.
    """
    seen = horizon.everything if inventory else 0
    rest = horizon.rest(horizon.start, seen)
    if rest is None:
        return None
    for number, (turn, step) in enumerate(zip(episode.turns, walked, strict=True), 1):
        if turn.answer is not None:
            if success and turn is episode.turns[-1]:
                return None
            return number
        before = seen
        seen |= horizon.shown(turn.tools or ())
        if seen == before and not step.new:
            return number
        then = horizon.rest(step.before | (step.new or 0), seen)
        if then is None or then >= rest:
            return number
        rest = then
    return None


def _kinds(episode: Episode) -> tuple[Kind, ...]:
    held = {kind for kinds in episode.blocked.values() for kind in kinds}
    return tuple(kind for kind in Kind if kind in held)


def _flow(world: World, task: Task) -> str:
    datatype = world.datatype.get(task.targets[0])
    return "" if datatype is None else datatype.category
