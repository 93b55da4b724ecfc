from __future__ import annotations

import pytest

from planbench_xl.agents.appraisal import FLAWED, flaw_score, hint_score


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


@pytest.mark.parametrize(
    "description",
    [
        "Returns the bin. Served from an old backup; later corrections are missing.",
        "Gives the weight, for members of the night shift only.",
        "Returns the gate number as it was first entered.",
        "End of life.",
        "Its answers can't be trusted since the import went wrong.",
    ],
)
def test_flaws_in_other_words(description: str) -> None:
    assert flaw_score(description) >= FLAWED


def test_a_purpose_discloses_nothing() -> None:
    assert flaw_score("Returns the lamp of a room. Call it when two lamps may be broken.") < FLAWED
    assert flaw_score("If the lamp could be mended, this returns the electrician.") < FLAWED


def test_hints_tell_which_of_two_sounds_worse() -> None:
    plain = hint_score("Returns the order for the mender.")
    assert plain == 0
    assert hint_score("Reports the order that was first opened; later ones it doesn't follow.") > plain
