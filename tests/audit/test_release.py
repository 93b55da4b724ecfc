"""The figures of the release. Known weaknesses: the benchmark's documents, and a second implementation in `paths`."""

import gzip
import json
from pathlib import Path

import pytest

from planbench_xl.audit import AuditReport, Finding, Level
from planbench_xl.world import World

pytestmark = pytest.mark.slow


def find(report: AuditReport, name: str) -> Finding:
    found = report.finding(name)
    assert found is not None
    return found


def test_the_catalogue(release_report: AuditReport) -> None:
    found = find(release_report, "catalogue-incomplete")
    assert (found.total, found.count, found.figures["complete_tasks"]) == (327, 255, 72)
    every_sixth = release_report.tasks[::6]
    assert sum(task.listed for task in every_sixth) == 734
    assert sum(task.up_to_listed for task in every_sixth) == 28_615
    assert sum(task.executable or 0 for task in every_sixth) == 28_615
    assert all(task.exact and task.shortest_exact for task in release_report.tasks)
    assert (found.figures["listed_paths"], found.figures["paths_up_to_the_listed_lengths"]) == (4_313, 87_179)
    assert {"listed-path-invalid", "listed-path-not-executable"} <= set(release_report.passed)


def test_per_task_against_the_golden_counts(release_report: AuditReport, shared: Path) -> None:
    golden = json.loads((shared / "golden" / "minimal_tool_sets.json").read_text())
    for task in release_report.tasks:
        facts = golden.get(task.task_id)
        if facts is not None:
            assert task.shortest == facts["shortest"]
            assert facts["count"] in (None, task.count)


def test_shorter_solutions(release_report: AuditReport) -> None:
    found = find(release_report, "wrong-shortest-length")
    assert found.count == found.figures["tasks_with_a_shorter_solution"] == 15


def test_tools_of_three_inputs(release_report: AuditReport) -> None:
    figures = find(release_report, "tools-on-no-listed-path").figures
    listed = figures["listed_tools_by_number_of_inputs"]
    assert isinstance(listed, dict) and not {"3", "4", "5"} & set(listed)
    assert find(release_report, "only-by-output").count == 47


def test_inputs(release_report: AuditReport) -> None:
    found = find(release_report, "unneeded-inputs")
    assert (found.count, found.total) == (202, 227)


def test_answers(release_report: AuditReport) -> None:
    few = find(release_report, "few-distinct-answers")
    assert (few.figures["distinct_answers"], few.figures["answers"]) == (82, 327)
    most = find(release_report, "majority-answer")
    assert most.share is not None and round(most.share, 2) == 0.37
    everything = find(release_report, "list-everything")
    assert everything.figures == {"accepted_by_contains": 327, "accepted_by_exact": 0}


def test_plans(release_report: AuditReport, shared: Path) -> None:
    left = find(release_report, "one-path-plans-leave-more")
    assert left.level is Level.ERROR and left.count > 100
    unresolved = find(release_report, "unresolved-plans")
    with gzip.open(shared / "golden" / "block_plans.json.gz", "rt") as stream:
        recorded = json.load(stream)["remaining_ratio_0.8"]["plans"]
    assert set(unresolved.entries) == {name for name, plan in recorded.items() if plan["status"] == "unresolved"}
    settings = unresolved.figures["unresolved_by_setting"]
    assert isinstance(settings, dict) and sum(1 for count in settings.values() if count) == 1


def test_spread(release_report: AuditReport) -> None:
    figures = find(release_report, "spread").figures
    assert figures["by_stated_shortest_length"] == {"5": 145, "6": 106, "7": 59, "8": 15, "9": 2}
    assert figures["by_number_of_inputs"] == {"1": 100, "2": 227}


def test_imitations_tell_the_truth(release: World, release_report: AuditReport) -> None:
    found = find(release_report, "imitation-true-somewhere")
    assert 0 < found.count < len(release.tools)
    assert find(release_report, "gold-contains-untrusted").level is Level.ERROR
