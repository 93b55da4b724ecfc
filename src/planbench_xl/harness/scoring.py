"""Scores samples from the episodes in them, so that any log can be scored again without playing."""

from __future__ import annotations

from functools import lru_cache

import msgspec
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from planbench_xl.episodes.record import Episode, Status
from planbench_xl.errors import UsageError
from planbench_xl.harness.play import EPISODE
from planbench_xl.judging import JUDGES
from planbench_xl.metrics import EpisodeScore, figures_of, score_episode
from planbench_xl.world import World, load_world

WORLD = "planbench_xl_world"
"""Where a sample's metadata has the name or folder of its world."""

DETAILS = "planbench_xl"
"""Where a score's metadata has the score of the episode."""

NAN = float("nan")


@metric(scores="unreduced")
def figures() -> Metric:
    """Every figure of the main table and beside it, over the episodes of all epochs.

    Infrastructure errors are left out, as in `planbench-xl score`; `accuracy_errors_as_failures` counts them.
    """

    def compute(scores: list[SampleScore]) -> Value:
        episodes = [_details(score.score) for score in scores]
        played = [episode for episode in episodes if episode is not None]
        scored = [episode for episode in played if episode.status is not Status.ERROR]
        values = {name: NAN if f.value is None else f.value for name, f in figures_of(scored).items()}
        everything = figures_of(played)["accuracy"].value
        values["accuracy_errors_as_failures"] = NAN if everything is None else everything
        values["errors"] = len(played) - len(scored)
        values["coverage"] = len(scored) / len(scores) if scores else NAN
        return values

    return compute


def _details(score: Score) -> EpisodeScore | None:
    found = (score.metadata or {}).get(DETAILS)
    return None if found is None else msgspec.convert(found, EpisodeScore)


@scorer(metrics=[figures()])
def episode_score(judge: str | None = None, world: str | None = None) -> Scorer:
    """Score the episode in a sample.

    Args:
        judge: Name of the judge that judges the answers anew; None for the one used during the episode.
        world: Name or folder of the world, if it isn't where the sample says.
    """
    if judge is not None and judge not in JUDGES:
        raise UsageError(f"There is no judge '{judge}'. Judges: {', '.join(JUDGES)}.")

    async def score(state: TaskState, target: Target) -> Score:
        found = state.store.get(EPISODE)
        if found is None:
            return Score.unscored(reason="unfinished", explanation="The episode was not played to its end.")
        episode = msgspec.convert(found, Episode)
        result = score_episode(world_of(world or state.metadata[WORLD], episode.world), episode, judge)
        answer = episode.final_answer
        return Score(
            value=_values(result),
            answer=None if answer is None else answer.text,
            explanation=_explained(result),
            metadata={DETAILS: msgspec.to_builtins(result)},
        )

    return score


@lru_cache(maxsize=4)
def world_of(source: str, fingerprint: str) -> World:
    """Load the world of a sample, once.

    Raises:
        UsageError: What is there now is another world.
    """
    world = load_world(source)
    if world.fingerprint != fingerprint:
        raise UsageError(f"World '{source}' isn't the one that was played on. Give the right one with -S world=…")
    return world


def _values(result: EpisodeScore) -> dict[str, str | int | float | bool | None]:
    """Return what the viewer shows of an episode: a few values that say most."""
    precision = result.egt_precision
    return {
        # The infrastructure's errors say nothing of the model.
        "accuracy": NAN if result.status is Status.ERROR else int(result.success),
        "outcome": _outcome(result),
        "turns": result.turns,
        "egt_precision": NAN if precision is None else precision,
        "searches": result.search_turns,
        "calls": result.call_turns,
        "invalid_calls": result.invalid_calls,
        "untrusted_rejections": result.untrusted_rejections,
        "distractor_calls": result.distractor_calls,
    }


def _outcome(result: EpisodeScore) -> str:
    if result.status is Status.ERROR:
        return (result.cause or "error").partition(":")[0]
    return "success" if result.success else str(result.reason or "failure")


def _explained(result: EpisodeScore) -> str:
    if result.status is Status.ERROR:
        return f"The infrastructure ended the episode, which is no failure of the model: {result.cause}"
    answered = "accepted" if result.answer_correct else "not accepted, or not given"
    grounded = "rests" if result.grounded else "does not rest"
    text = f"{_outcome(result)}: the answer is {answered}, and {grounded} on trusted values."
    return text + (" The task has no block plan: it ran unblocked." if result.unresolved else "")
