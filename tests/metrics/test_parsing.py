"""Which failures are failures of form."""

import pytest

from planbench_xl.episodes.record import ActionKind, Reason, Turn, TurnError
from planbench_xl.metrics.parsing import is_parsing_failure, unreadable_turns


def turns(*errors: str) -> list[Turn]:
    """Return turns with errors; `ok:call` and `ok:retrieve` are executed ones."""
    found = []
    for error in errors:
        if error.startswith("ok:"):
            found.append(Turn(action="call" if error == "ok:call" else "retrieve"))
            continue
        kind: ActionKind = "retrieve" if error.startswith("retrieval") else "call"
        found.append(Turn(action="invalid" if error == "label" else kind, error=TurnError(error)))
    return found


@pytest.mark.parametrize(
    ("reason", "errors", "expected"),
    [
        (Reason.MAX_LABEL_ERRORS, ["label"] * 3, True),
        (Reason.MAX_CALL_ERRORS, ["call_json"] * 3, True),
        (Reason.MAX_CALL_ERRORS, ["missing_input", "ok:call", "call_json", "label", "ok:retrieve", "call_json"], True),
        (Reason.MAX_CALL_ERRORS, ["call_json", "undiscovered", "call_json"], False),
        (Reason.MAX_CALL_ERRORS, ["untrusted_input"] * 3, False),
        (Reason.MAX_RETRIEVAL_ERRORS, ["call_json", "retrieval_json", "retrieval_json", "retrieval_json"], True),
        (Reason.MAX_RETRIEVAL_ERRORS, ["retrieval_json", "retrieval_semantic", "retrieval_json"], False),
        (Reason.MAX_TURNS, ["label", "call_json"], False),
        (Reason.WRONG_ANSWER, ["label", "label"], False),
        (None, [], False),
    ],
)
def test_failures_of_form(reason: Reason | None, errors: list[str], expected: bool) -> None:
    assert is_parsing_failure(reason, turns(*errors)) is expected


def test_unreadable_turns() -> None:
    errors = ["label", "call_json", "retrieval_json", "retrieval_semantic", "undiscovered", "ok:call"]
    assert unreadable_turns(turns(*errors)) == 3
