"""The rule that tells surrenders from values, on answers labelled by hand."""

from __future__ import annotations

import re

import pytest

from planbench_xl.analysis.surrender import surrenders
from tests.analysis.answers import HELD_OUT, TUNING
from tests.conftest import REPOSITORY

Labelled = tuple[tuple[str, bool], ...]


def precision_and_recall(answers: Labelled) -> tuple[float, float]:
    hits = sum(surrenders(text) for text, label in answers if label)
    claimed = sum(surrenders(text) for text, _ in answers)
    return hits / claimed, hits / sum(label for _, label in answers)


def test_the_set_is_large_and_has_no_repeats() -> None:
    texts = [text for text, _ in (*TUNING, *HELD_OUT)]
    assert len(texts) >= 120 and len(set(texts)) == len(texts)
    assert 0.3 < sum(label for _, label in (*TUNING, *HELD_OUT)) / len(texts) < 0.7


@pytest.mark.parametrize(("name", "answers"), [("tuning", TUNING), ("held out", HELD_OUT)])
def test_the_documented_figures_are_the_measured_ones(name: str, answers: Labelled) -> None:
    text = (REPOSITORY / "docs" / "reading-a-failure.md").read_text(encoding="utf-8")
    row = re.search(rf"\| {name} \| (\d+) \| ([\d.]+) \| ([\d.]+) \|", text)
    assert row, "docs/reading-a-failure.md lost its table of the surrender rule"
    precision, recall = precision_and_recall(answers)
    assert (int(row[1]), row[2], row[3]) == (len(answers), f"{precision:.2f}", f"{recall:.2f}")


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
    ],
)
def test_each_part_of_the_rule(text: str, label: bool) -> None:
    assert surrenders(text) is label


def test_a_hostile_answer_takes_no_time() -> None:
    for part in ("could not ", "no a b c ", "but ", "a:", '"', "- ", "x" * 50, "is ", ". ", "\n>"):
        surrenders(part * (200_000 // len(part)))
