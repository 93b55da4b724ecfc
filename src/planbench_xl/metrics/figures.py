"""The figures of a run: one small function per metric, each over the scores of its episodes.

Every figure is a fraction or a count, never per cent, and None where its denominator is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from planbench_xl.metrics.episode import EpisodeScore

Scores = Sequence[EpisodeScore]


class Figure(msgspec.Struct, frozen=True):
    """One figure of a run.

    Attributes:
        value: A fraction or a mean; None where it is undefined.
    """

    value: float | None


def accuracy(scores: Scores) -> float | None:
    """Share of the episodes with a correct and grounded answer."""
    return _mean(score.success for score in scores)


def egt_precision(scores: Scores) -> float | None:
    """Mean share of the executed datatypes that are on a listed path, over the episodes that executed any."""
    return _mean(score.egt_precision for score in scores)


def egt_recall(scores: Scores) -> float | None:
    """Mean share of the listed paths' datatypes that were executed."""
    return _mean(score.egt_recall for score in scores)


def egt_precision_exact(scores: Scores) -> float | None:
    """Mean share of the executed datatypes that are on any path, listed or not."""
    return _mean(score.egt_precision_exact for score in scores)


def egt_recall_exact(scores: Scores) -> float | None:
    """Mean share of the datatypes on all paths that were executed."""
    return _mean(score.egt_recall_exact for score in scores)


def turns(scores: Scores) -> float | None:
    """Mean number of responses."""
    return _mean(score.turns for score in scores)


def edt(scores: Scores) -> float | None:
    """Mean number of explored datatypes, the inputs not counted."""
    return _mean(len(score.explored) for score in scores)


def search_to_call(scores: Scores) -> float | None:
    """Retrieve turns per call turn, over the run."""
    return _ratio(sum(score.search_turns for score in scores), _calls(scores))


def itcr(scores: Scores) -> float | None:
    """Share of the call turns that are invalid, over the run."""
    return _ratio(sum(score.invalid_calls for score in scores), _calls(scores))


def uirr(scores: Scores) -> float | None:
    """Share of the call turns that are rejected for an untrusted input, over the run."""
    return _ratio(sum(score.untrusted_rejections for score in scores), _calls(scores))


def forward_to_backward(scores: Scores) -> float | None:
    """Retrievals by inputs per retrieval by output, over the run; those by both count on neither side."""
    forward = sum(score.by_input_searches for score in scores)
    return _ratio(forward, sum(score.by_output_searches for score in scores))


def distractors_per_call(scores: Scores) -> float | None:
    """Share of the call turns that name a distractor, over the run."""
    return _ratio(sum(score.distractor_calls for score in scores), _calls(scores))


def distractors_per_episode(scores: Scores) -> float | None:
    """Mean number of calls that name a distractor."""
    return _mean(score.distractor_calls for score in scores)


def progress_per_call(scores: Scores) -> float | None:
    """Share of the executed calls that give a new datatype which a listed path needs, over the run."""
    return _ratio(sum(score.progress_calls for score in scores), sum(score.executed_calls for score in scores))


def progress_per_call_exact(scores: Scores) -> float | None:
    """Share of the executed calls that give a new datatype which any path needs, over the run."""
    known = [score for score in scores if score.progress_calls_exact is not None]
    progress = sum(score.progress_calls_exact or 0 for score in known)
    return _ratio(progress, sum(score.executed_calls for score in known))


METRICS: Mapping[str, Callable[[Scores], float | None]] = {
    "accuracy": accuracy,
    "egt_precision": egt_precision,
    "egt_recall": egt_recall,
    "turns": turns,
    "edt": edt,
    "search_to_call": search_to_call,
    "itcr": itcr,
    "uirr": uirr,
    "forward_to_backward": forward_to_backward,
    "distractors_per_call": distractors_per_call,
    "distractors_per_episode": distractors_per_episode,
    "progress_per_call": progress_per_call,
}
"""Every metric by its key in the JSON output."""

EXACT_METRICS: Mapping[str, Callable[[Scores], float | None]] = {
    "egt_precision_exact": egt_precision_exact,
    "egt_recall_exact": egt_recall_exact,
    "progress_per_call_exact": progress_per_call_exact,
}
"""Metrics on the exact paths; they need scores made with `exact_paths`."""


def figures_of(scores: Scores) -> dict[str, Figure]:
    """Return every figure of some episodes; those on the exact paths only if the scores were made with them."""
    exact = any(score.exact_truth is not None for score in scores)
    metrics = {**METRICS, **EXACT_METRICS} if exact else METRICS
    return {name: Figure(metric(scores)) for name, metric in metrics.items()}


def _calls(scores: Scores) -> int:
    return sum(score.call_turns for score in scores)


def _ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _ratio(sum(known), len(known))
