"""The figures of a run: one small function per metric, each over the scores of its episodes.

Every figure is a sum over the episodes divided by another: a mean is a sum divided by the number of episodes that have
the value, a rate of the whole run divides what happened by how often it could have. So a metric is a function from an
episode's score to its two *terms*; whoever resamples episodes sums the same terms.

Figures are fractions or counts, never per cent, and None where the denominator is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from planbench_xl.metrics.episode import EpisodeScore

Scores = Sequence[EpisodeScore]

Terms = tuple[float, float]
"""What an episode adds to a figure's numerator and to its denominator."""

Metric = Callable[[EpisodeScore], Terms]


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure of a run.

    Attributes:
        value: A fraction or a mean; None where it is undefined.
        low: Lower end of its 95 % interval; None where none was worked out or none can be.
        high: Upper end.
        method: How the interval was made.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    method: Literal["bootstrap", "wilson"] | None = None


def accuracy(score: EpisodeScore) -> Terms:
    """Share of the episodes with a correct and grounded answer."""
    return score.success, 1


def egt_precision(score: EpisodeScore) -> Terms:
    """Mean share of the executed datatypes that are on a listed path, over the episodes that executed any."""
    return _mean(score.egt_precision)


def egt_recall(score: EpisodeScore) -> Terms:
    """Mean share of the listed paths' datatypes that were executed."""
    return _mean(score.egt_recall)


def egt_precision_exact(score: EpisodeScore) -> Terms:
    """Mean share of the executed datatypes that are on any path, listed or not."""
    return _mean(score.egt_precision_exact)


def egt_recall_exact(score: EpisodeScore) -> Terms:
    """Mean share of the datatypes on all paths that were executed."""
    return _mean(score.egt_recall_exact)


def turns(score: EpisodeScore) -> Terms:
    """Mean number of responses."""
    return score.turns, 1


def edt(score: EpisodeScore) -> Terms:
    """Mean number of explored datatypes, the inputs not counted."""
    return len(score.explored), 1


def search_to_call(score: EpisodeScore) -> Terms:
    """Retrieve turns per call turn, over the run."""
    return score.search_turns, score.call_turns


def itcr(score: EpisodeScore) -> Terms:
    """Share of the call turns that are invalid, over the run."""
    return score.invalid_calls, score.call_turns


def uirr(score: EpisodeScore) -> Terms:
    """Share of the call turns that are rejected for an untrusted input, over the run."""
    return score.untrusted_rejections, score.call_turns


def forward_to_backward(score: EpisodeScore) -> Terms:
    """Retrievals by inputs per retrieval by output, over the run; those by both count on neither side."""
    return score.by_input_searches, score.by_output_searches


def by_output_share(score: EpisodeScore) -> Terms:
    """Share of the retrievals by inputs alone or by output alone that go by output, over the run."""
    return score.by_output_searches, score.by_input_searches + score.by_output_searches


def distractors_per_call(score: EpisodeScore) -> Terms:
    """Share of the call turns that name a distractor, over the run."""
    return score.distractor_calls, score.call_turns


def distractors_per_episode(score: EpisodeScore) -> Terms:
    """Mean number of calls that name a distractor."""
    return score.distractor_calls, 1


def unreadable_per_turn(score: EpisodeScore) -> Terms:
    """Share of the responses that could not be read (label errors, broken JSON), over the run."""
    return score.unreadable_turns, score.turns


def parsing_failures(score: EpisodeScore) -> Terms:
    """Share of the failed episodes that failed by responses that could not be read."""
    return score.parsing_failure, score.reason is not None


def progress_per_call(score: EpisodeScore) -> Terms:
    """Share of the executed calls that give a new datatype which a listed path needs, over the run."""
    return score.progress_calls, score.executed_calls


def progress_per_call_exact(score: EpisodeScore) -> Terms:
    """Share of the executed calls that give a new datatype which any path needs, over the run."""
    known = score.progress_calls_exact
    return (0, 0) if known is None else (known, score.executed_calls)


METRICS: Mapping[str, Metric] = {
    "accuracy": accuracy,
    "egt_precision": egt_precision,
    "egt_recall": egt_recall,
    "turns": turns,
    "edt": edt,
    "search_to_call": search_to_call,
    "itcr": itcr,
    "uirr": uirr,
    "forward_to_backward": forward_to_backward,
    "by_output_share": by_output_share,
    "distractors_per_call": distractors_per_call,
    "distractors_per_episode": distractors_per_episode,
    "progress_per_call": progress_per_call,
    "unreadable_per_turn": unreadable_per_turn,
    "parsing_failures": parsing_failures,
}
"""Every metric by its key in the JSON output."""

EXACT_METRICS: Mapping[str, Metric] = {
    "egt_precision_exact": egt_precision_exact,
    "egt_recall_exact": egt_recall_exact,
    "progress_per_call_exact": progress_per_call_exact,
}
"""Metrics on the exact paths; they need scores made with `exact_paths`."""

UNBOUNDED = frozenset({"turns", "edt", "search_to_call", "forward_to_backward", "distractors_per_episode"})
"""Metrics that aren't fractions: they have no upper limit of 1."""


def metrics_of(scores: Scores) -> Mapping[str, Metric]:
    """Return the metrics that some scores allow: those on the exact paths only if the scores were made with them."""
    exact = any(score.exact_truth is not None for score in scores)
    return {**METRICS, **EXACT_METRICS} if exact else METRICS


def value_of(metric: Metric, scores: Scores) -> float | None:
    """Return the value of one metric over some episodes."""
    terms = [metric(score) for score in scores]
    denominator = sum(below for _, below in terms)
    return sum(above for above, _ in terms) / denominator if denominator else None


def figures_of(scores: Scores) -> dict[str, Figure]:
    """Return every figure of some episodes, without intervals."""
    return {name: Figure(value_of(metric, scores)) for name, metric in metrics_of(scores).items()}


def _mean(value: float | None) -> Terms:
    return (0, 0) if value is None else (value, 1)
