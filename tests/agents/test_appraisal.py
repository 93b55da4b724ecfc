from __future__ import annotations

import pytest

from planbench_xl.agents.appraisal import FLAWED, flaw_score, is_error, oddness
from planbench_xl.world import Value


@pytest.mark.parametrize(
    "description",
    [
        "Returns the phone number. This route was deprecated last spring.",
        "Reads a nightly copy, so numbers changed today are missing.",
        "Only works for trade customers.",
        "It is known to be off by one row.",
        "Gives a provisional figure until the books are closed.",
        "This lookup is unreliable.",
        "The value may lag behind.",
    ],
)
def test_disclosed_flaws_are_noticed(description: str) -> None:
    assert flaw_score(description) >= FLAWED


@pytest.mark.parametrize(
    "description",
    [
        "Given `order id`, this returns the bill written for it.",
        "Tells you whether the licence is still valid or no longer active.",
        "Returns the mark. Use it when you only have the exam and the result may be outdated.",
        "Given `deprecated part`, this returns its successor.",
    ],
)
def test_sound_descriptions_are_left_alone(description: str) -> None:
    assert flaw_score(description) < FLAWED


def test_a_word_of_the_topic_discloses_nothing() -> None:
    text = "Returns the preview of a film."
    assert flaw_score(text) >= FLAWED
    assert flaw_score(text, frozenset({"preview"})) < FLAWED


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
