from __future__ import annotations

import pytest

from planbench_xl.agents.values import is_error, is_time_like, misfit, oddness, shape, waiting_time, year
from planbench_xl.world import Value


@pytest.mark.parametrize("value", ["error: This endpoint is currently unavailable.", "Not found", "Request timed out"])
def test_errors(value: str) -> None:
    assert is_error(value)
    assert oddness(value, frozenset()) == 1


@pytest.mark.parametrize(
    ("value", "topic"),
    [
        ("########", "parcel id"),
        ("", "name"),
        (None, "name"),
        ("N/A", "kind"),
        (-3, "quantity"),
        ("2026-13-40", "delivery time"),
        ("someone@@example,com", "email"),
        ("~~!!@@##", "payment id"),
        ("one two three four", "grade"),
        ("7", "status"),
        ("many", "quantity"),
    ],
)
def test_impossible_values(value: Value, topic: str) -> None:
    assert oddness(value, frozenset(topic.split())) > 0


@pytest.mark.parametrize(
    ("value", "topic"),
    [
        ("ord_7001", "order id"),
        (12.5, "price"),
        ("2026-04-16T22:34:00Z", "time"),
        ("2026-04-16 22:34 UTC", "creation date"),
        ("a.b@example.org", "email"),
        ("12 Main St, Springfield, IL", "address"),
        ("+1-404-555-1013", "phone"),
        ("paid", "status"),
        (True, "flag"),
    ],
)
def test_plausible_values(value: Value, topic: str) -> None:
    assert oddness(value, frozenset(topic.split())) == 0


@pytest.mark.parametrize(
    "value",
    [
        {"error": "closed"},
        {"error": {"code": "E1", "detail": "HTTP 409"}},
        {"errors": ["no"], "result": None},
        {"code": 12, "message": "gone"},
        {"status": "failed", "at": "noon"},
        "HTTP 503 Service Unavailable.",
        "ServiceError: lock could not be obtained",
        "No answer: this needs a supervisor.",
        ["Exception: worker died"],
    ],
)
def test_errors_in_any_form(value: Value) -> None:
    assert is_error(value)


@pytest.mark.parametrize("value", ["rejected", "not started", 12, None, {"place": "North", "time": "noon"}, "ord_1"])
def test_values_that_are_no_errors(value: Value) -> None:
    assert not is_error(value)


def test_waiting_time() -> None:
    assert waiting_time("error: too many calls. Try again in 3 turns.") == 3
    assert waiting_time({"error": "Please wait, 2 more calls first"}) == 2
    assert waiting_time("error: busy") == 0


def test_the_look_of_a_value_has_to_fit_its_names() -> None:
    assert shape("2026-04-16T22:34:00Z") == "time"
    assert shape(12.5) == "number"
    assert shape("A-1") == "code"
    assert shape("late") == "words"
    assert misfit("2026-04-16T22:34:00Z", ["bill number", "bill"]) > 0
    assert misfit("A-1", ["sending time", "sent at"]) > 0
    assert misfit("2026-04-16T22:34:00Z", ["sending time", "departure"]) == 0
    assert misfit("anything", []) == 0


def test_placeholders_are_no_values() -> None:
    assert oddness("same as above", frozenset({"name"})) == 1
    assert oddness("PCK.000000", frozenset({"slip"})) == 1


def test_moments() -> None:
    assert is_time_like("created_at")
    assert not is_time_like("chart at the bed")
    assert year("2026-04-16") == 2026
    assert year(2026) is None
