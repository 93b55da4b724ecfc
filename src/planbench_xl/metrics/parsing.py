"""Failures of form: replies that could not be read, whatever the agent meant by them."""

from __future__ import annotations

from collections.abc import Sequence

from planbench_xl.episodes.record import Reason, Turn, TurnError

UNREADABLE = frozenset({TurnError.LABEL, TurnError.RETRIEVAL_JSON, TurnError.CALL_JSON})
"""Errors of replies without exactly one action, or with broken JSON or JSON of the wrong shape."""

_ENDS = {Reason.MAX_RETRIEVAL_ERRORS: "retrieve", Reason.MAX_CALL_ERRORS: "call"}


def unreadable_turns(turns: Sequence[Turn]) -> int:
    """Return the number of replies that could not be read."""
    return sum(turn.error in UNREADABLE for turn in turns if turn.error)


def is_parsing_failure(reason: Reason | None, turns: Sequence[Turn]) -> bool:
    """Say whether an episode failed because its replies could not be read.

    It ended by too many label errors, or by too many errors of retrieval or calls that were all of form: those since
    the last retrieval or call that was executed.
    """
    if reason not in _ENDS:
        return reason is Reason.MAX_LABEL_ERRORS
    same = [turn for turn in reversed(turns) if turn.action == _ENDS[reason]]
    errors = []
    for turn in same:
        if turn.error is None:
            break
        errors.append(turn.error)
    return bool(errors) and UNREADABLE.issuperset(errors)
