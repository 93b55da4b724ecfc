"""The same scores in the words and the layout of the release's own evaluator, to compare with its files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planbench_xl.episodes.record import Episode, Reason
from planbench_xl.episodes.release_output import RELEASE_REASONS
from planbench_xl.metrics import figures
from planbench_xl.metrics.episode import EpisodeScore
from planbench_xl.metrics.figures import value_of
from planbench_xl.world import World

REASON_WORDS = {reason: word for word, reason in RELEASE_REASONS.items()}
"""The release's name of each reason."""


def query_evaluation(world: World, episode: Episode, score: EpisodeScore) -> dict[str, Any]:
    """Return what the release's evaluator says of one episode.

    An answer that isn't grounded counts as not correct there, whatever its text; an episode without an answer has
    not reached its target.
    """
    answer = episode.final_answer
    answers = world.query[episode.query_id].answers
    detail = None
    if not score.success:
        detail = REASON_WORDS[Reason.WRONG_ANSWER if score.grounded else Reason.NOT_GROUNDED]
    rejected = score.untrusted_rejections
    calls = score.call_turns
    return {
        "query_id": episode.query_id,
        "task_id": episode.task_id,
        "answer_correct": score.success,
        "datatype_check_passed": score.grounded,
        "expected_answer": next(iter(answers.values())) if len(answers) == 1 else dict(answers),
        "final_answer": None if answer is None else answer.text,
        "evaluation_failure_reason_detail": detail,
        "runtime_status": "success" if episode.reason is None else "failed",
        "runtime_progress_status": None,
        "runtime_failure_reason_detail": None if episode.reason is None else REASON_WORDS[episode.reason],
        "runtime_error_message": None,
        "steps": score.turns,
        "turn_count": score.turns,
        "search_turns": score.search_turns,
        "call_turns": calls,
        "search_to_call_ratio": _ratio(score.search_turns, calls),
        "invalid_tool_call_count": score.invalid_calls,
        "invalid_tool_call_rate": _ratio(score.invalid_calls, calls),
        "untrusted_input_rejection_count": rejected,
        "untrusted_input_rejection_rate": _ratio(rejected, calls),
        "combined_invalid_tool_call_count": score.invalid_calls + rejected,
        "combined_invalid_tool_call_rate": _ratio(score.invalid_calls + rejected, calls),
        "noisy_tool_call_count": score.distractor_calls,
        "noisy_tool_call_rate": _ratio(score.distractor_calls, calls),
        "used_noisy_tool": score.distractor_calls > 0,
        "explored_datatype_count": len(score.explored),
        "explored_datatypes": list(score.explored),
        "executed_datatypes": list(score.executed),
        "ground_truth_datatypes": list(score.ground_truth),
        "executed_ground_truth_datatypes": list(score.executed_ground_truth),
        "executed_gt_datatype_precision": score.egt_precision,
        "executed_gt_datatype_recall": score.egt_recall,
    }


def run_evaluation(scores: Sequence[EpisodeScore]) -> dict[str, Any]:
    """Return the `metrics` of the release's evaluator over some episodes, errors among them counted as failures."""
    searches = sum(score.search_turns for score in scores)
    calls = sum(score.call_turns for score in scores)
    invalid = sum(score.invalid_calls for score in scores)
    rejected = sum(score.untrusted_rejections for score in scores)
    noisy = sum(score.distractor_calls for score in scores)
    lured = sum(score.distractor_calls > 0 for score in scores)
    return {
        "accuracy": value_of(figures.accuracy, scores),
        "correct_count": sum(score.success for score in scores),
        "turns": {
            "mean_turn_count": value_of(figures.turns, scores),
            "total_turn_count": sum(score.turns for score in scores),
        },
        "exploration": {
            "mean_explored_datatype_count": value_of(figures.edt, scores),
            "total_explored_datatype_count": sum(len(score.explored) for score in scores),
        },
        "explore_exploit_balance": {
            "total_search_turns": searches,
            "total_call_turns": calls,
            "search_to_call_ratio": value_of(figures.search_to_call, scores),
        },
        "executed_ground_truth_datatype_coverage": {
            "mean_precision": value_of(figures.egt_precision, scores),
            "mean_recall": value_of(figures.egt_recall, scores),
        },
        "invalid_tool_call": {
            "total_invalid_tool_calls": invalid,
            "total_tool_call_attempts": calls,
            "invalid_tool_call_rate": value_of(figures.itcr, scores),
        },
        "untrusted_input_rejection": {
            "total_untrusted_input_rejections": rejected,
            "total_tool_call_attempts": calls,
            "untrusted_input_rejection_rate": value_of(figures.uirr, scores),
        },
        "combined_invalid_tool_call": {
            "total_combined_invalid_tool_calls": invalid + rejected,
            "total_tool_call_attempts": calls,
            "combined_invalid_tool_call_rate": _ratio(invalid + rejected, calls),
        },
        "noisy_tool_call": {
            "queries_with_noisy_tool_calls": lured,
            "noisy_tool_query_rate": _ratio(lured, len(scores)),
            "total_noisy_tool_calls": noisy,
            "mean_noisy_tool_calls_per_query": value_of(figures.distractors_per_episode, scores),
            "mean_noisy_tool_calls_given_any": _ratio(noisy, lured),
            "noisy_tool_call_rate_among_tool_calls": value_of(figures.distractors_per_call, scores),
        },
    }


def _ratio(numerator: int, denominator: int) -> float | None:
    return numerator / denominator if denominator else None
