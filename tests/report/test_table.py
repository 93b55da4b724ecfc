"""The main table."""

from __future__ import annotations

import io
import json
import re

import msgspec
import pytest
from rich.console import Console

from planbench_xl.metrics import METRICS, Figure, PassRate, RunScore
from planbench_xl.report import as_dict, main_table, show

FIGURES = {
    "accuracy": Figure(0.6308),
    "egt_precision": Figure(0.65567),
    "egt_recall": Figure(0.5),
    "turns": Figure(31.41),
    "edt": Figure(25.34),
    "search_to_call": Figure(2.8),
    "itcr": Figure(0.0827),
    "uirr": Figure(0.0329),
    "forward_to_backward": Figure(None),
    "by_output_share": Figure(None),
    "distractors_per_call": Figure(0.25),
    "distractors_per_episode": Figure(1.5),
    "progress_per_call": Figure(0.5),
    "unreadable_per_turn": Figure(0.02),
    "parsing_failures": Figure(0.25),
}


def made(**changes) -> RunScore:
    score = RunScore(
        world="mini",
        fingerprint="0123456789abcdef",
        setting="default",
        protocol="text/1",
        judge="contains",
        metrics=FIGURES,
        metrics_errors_as_failures=FIGURES,
        scored=24,
        succeeded=15,
        errors=0,
        expected=24,
        coverage=1.0,
        complete=True,
        failure_reasons={"wrong_answer": 5, "exceeded_max_turns": 4},
        error_causes={},
        unresolved=0,
        disagreements=(),
    )
    return msgspec.structs.replace(score, **changes)


def printed(*rows, width=80, terminal=False) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=terminal).print(main_table(rows))
    return stream.getvalue()


def test_all_metrics_have_a_figure() -> None:
    assert set(FIGURES) == set(METRICS)


def test_the_table_of_one_run() -> None:
    assert printed(("explorer", made())) == (
        "Run            Acc %  EGT-P %  Turns    EDT   S/C  ITCR %  UIRR %  F/B\n"
        "explorer       63.08    65.57  31.41  25.34  2.80    8.27    3.29    –\n"
        "24 of 24 episodes scored (100.0%), 15 succeeded.\n"
        "Failures: 5 wrong answer, 4 exceeded max turns.\n"
        "Distractors: 25.00 % of the calls, 1.50 per episode. EGT recall: 50.00 %.\n"
        "Progress: 50.00 % of the executed calls. Unreadable replies: 2.00 % of the\n"
        "turns, the end of 25.00 % of the failed episodes.\n"
        "World mini (0123456789ab), setting default, protocol text/1, judge contains.\n"
    )


def test_several_runs_have_their_small_print_apart() -> None:
    text = printed(("a", made()), ("b", made(setting="one-path")))
    assert text.count("\n") == 3 + 2 * 8
    assert "\n\na\n  24 of 24" in text and "\n\nb\n  24 of 24" in text
    assert "  World mini (0123456789ab), setting one-path," in text


def test_of_many_runs_only_what_is_wrong_is_said() -> None:
    good = [(f"run {number}", made()) for number in range(4)]
    text = printed(*good)
    assert text.count("\n") == 1 + 4 + 2
    last = "4 runs, all of them complete. World mini (0123456789ab), protocol text/1, judge contains."
    assert " ".join(text.split()).endswith(last)
    text = printed(*good, ("odd one", made(complete=False, coverage=0.5, judge="exact")))
    flat = " ".join(text.split())
    assert "5 runs, 4 of them complete." in flat and "judge contains, exact" in flat
    assert "\n\nodd one\n  * INCOMPLETE" in text
    assert "\n\nrun" not in text


def test_a_run_that_is_not_complete_is_marked() -> None:
    failures = {**FIGURES, "accuracy": Figure(0.5)}
    text = printed(
        (
            "a",
            made(
                scored=20,
                errors=3,
                complete=False,
                coverage=20 / 24,
                error_causes={"timeout": 2, "context_overflow": 1},
                metrics_errors_as_failures=failures,
            ),
        )
    )
    flat = " ".join(text.split())
    assert " 63.08* " in text
    assert "* INCOMPLETE: only 20 of 24 episodes scored (83.3%), 15 succeeded." in flat
    assert (
        "Infrastructure errors: 3 (2 timeout, 1 context overflow), left out of the figures above; "
        "with them as failures, accuracy is 50.00 %." in flat
    )


def test_other_warnings() -> None:
    flat = " ".join(printed(("a", made(unresolved=1, disagreements=("q1#0", "q2#0", "q3#0", "q4#1")))).split())
    assert "No plan: 1 episode ran without what the setting does." in flat
    assert "Recorded otherwise: 4 outcomes (q1#0, q2#0, q3#0, …); the figures are worked out from the turns." in flat


def test_intervals_in_the_table_or_below_it() -> None:
    figures = {**FIGURES, "accuracy": Figure(0.6308, 0.5782, 0.6818, "bootstrap"), "turns": Figure(31.41, 29.0, 34.0)}
    row = ("a", made(metrics=figures, queries=24))
    wide, narrow = printed(row, width=120), printed(row, width=70)
    assert wide.splitlines()[2].split() == ["57.8–68.2", "29.0–34.0"] and "over 24 queries" not in wide
    assert "57.8–68.2" not in narrow.splitlines()[2]
    assert "95 % intervals over 24 queries: Acc % 57.8–68.2, Turns 29.0–34.0." in " ".join(narrow.split())


def test_repeated_tries() -> None:
    rate = PassRate(k=2, any=Figure(0.75), all=Figure(0.5), queries=1)
    assert "pass@2 75.00 %, pass^2 50.00 % (1 query)." in printed(("a", made(passes=(rate,))))


def test_unknown_coverage() -> None:
    assert "\n24 episodes scored, 15 succeeded.\n" in printed(("a", made(expected=None, coverage=None)))


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("width", [20, 30, 40, 60, 70, 79, 80, 100, 200])
@pytest.mark.parametrize("label", ["a", "a label that is much longer than its column", "[red]markup[/red]", "é" * 50])
def test_no_figure_is_cut_at_any_width(width: int, terminal: bool, label: str) -> None:
    figures = {**FIGURES, "accuracy": Figure(1.0), "edt": Figure(123456.789)}
    text = printed((label, made(metrics=figures, complete=False)), ("b", made()), width=width, terminal=terminal)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for figure in ("100.00*", "65.57", "31.41", "2.80", "8.27", "3.29", "–"):
        assert figure in plain, (width, figure)
    assert "…" not in plain
    assert all(len(line) <= width for line in plain.splitlines()) or width < 30
    if "[" in label:
        assert "[red]" in plain
    if not terminal:
        assert plain == text


def test_json_has_every_figure_as_an_object() -> None:
    data = json.loads(msgspec.json.encode(as_dict("a", made())))
    assert data["run"] == "a"
    assert data["metrics"]["accuracy"] == {"value": 0.6308}
    assert data["metrics"]["forward_to_backward"] == {"value": None}
    assert data["failure_reasons"] == {"wrong_answer": 5, "exceeded_max_turns": 4}
    assert (data["scored"], data["expected"], data["coverage"], data["complete"]) == (24, 24, 1.0, True)


@pytest.mark.parametrize(("value", "percent", "text"), [(None, True, "–"), (0.5, True, "50.00"), (2, False, "2.00")])
def test_show(value, percent, text) -> None:
    assert show(Figure(value), percent=percent) == text
