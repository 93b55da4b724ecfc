"""The rule that tells surrenders from values, on answers labelled by hand."""

from __future__ import annotations

import re

import pytest

from planbench_xl.analysis.surrender import surrenders
from tests.analysis.answers import SECOND, TUNING
from tests.analysis.held_out_answers import HELD_OUT, THIRD
from tests.conftest import REPOSITORY

Labelled = tuple[tuple[str, bool], ...]

TUNED = (*TUNING, *SECOND, *THIRD)
"""All answers that the rule was made with."""


def counts(answers: Labelled) -> tuple[int, int, int]:
    """Return surrenders found, answers called so, and surrenders."""
    hits = sum(surrenders(text) for text, label in answers if label)
    return hits, sum(surrenders(text) for text, _ in answers), sum(label for _, label in answers)


def test_the_set_is_large_and_has_no_repeats() -> None:
    texts = [text for text, _ in (*TUNED, *HELD_OUT)]
    assert len(texts) >= 400 and len(HELD_OUT) >= 80 and len(set(texts)) == len(texts)
    assert 0.3 < sum(label for _, label in (*TUNED, *HELD_OUT)) / len(texts) < 0.7


@pytest.mark.parametrize(("name", "answers"), [("tuning", TUNED), ("held out", HELD_OUT)])
def test_the_documented_figures_are_the_measured_ones(name: str, answers: Labelled) -> None:
    pytest.importorskip("numpy")
    from planbench_xl.statistics.bootstrap import wilson

    text = (REPOSITORY / "docs" / "reading-a-failure.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {name} \| (\d+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    assert row, "docs/reading-a-failure.md lost its table of the surrender rule"
    hits, called, real = counts(answers)
    shown = [str(len(answers))]
    for total in (called, real):
        low, high = wilson(hits / total, total)
        shown.append(f"{hits / total:.2f} [{low:.2f}, {high:.2f}] ({hits} of {total})")
    assert list(row.groups()) == shown


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("", True),
        ("N/A", True),
        ("I was unable to determine it.", True),
        ("Answer: I could not find it.", True),
        ("Order status: unable to deliver", False),
        ('The note says "could not find recipient".', False),
        ("I could not verify it, but my best guess is 42.", False),
        ("42", False),
        ("Please provide the order number.", True),
        ("I couldn't confirm that anywhere.", True),
        ("I couldn't confirm 42 anywhere.", False),
        ("My search came to an end here.", True),
        ("The driver was Capt. Rowe; the time could not be found.", False),
        ('{"answer": null}', True),
        ('{"code": "", "status": "failed"}', True),
        ('{"code": "42", "note": "could not be checked"}', False),
        ('```json\n{"answer": "Unable to determine"}\n```', True),
        ("Ich konnte es nicht herausfinden.", True),
    ],
)
def test_each_part_of_the_rule(text: str, label: bool) -> None:
    assert surrenders(text) is label


@pytest.mark.parametrize(
    "text", ['{"a":' + "[" * 3_000, '{"a":' + "[" * 1_500 + "]" * 1_500 + "}", "\ud800", '{"a": 1}x']
)
def test_what_only_looks_like_json_is_text(text: str) -> None:
    assert surrenders(text) is False


def test_a_hostile_answer_takes_no_time() -> None:
    for part in ("could not ", "no a b c ", "but ", "a:", '"', "- ", "x" * 50, "is ", ". ", "\n>", "be yet ", '{"a":'):
        surrenders(part * (200_000 // len(part)))
