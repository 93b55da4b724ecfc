"""The mini world is clean, and the report says so."""

import msgspec

from planbench_xl.audit import AuditReport, Level, audit
from planbench_xl.audit.context import returned
from planbench_xl.world import World


def test_the_mini_world_is_clean(mini: World, mini_report: AuditReport) -> None:
    assert not mini_report.at_least(Level.WARNING)
    # Justified: facts about the world, one tool with three inputs, and what `contains` accepts by definition.
    assert {finding.id for finding in mini_report.findings} == {"spread", "only-by-output", "list-everything"}
    assert len(mini_report.passed) == len(set(mini_report.passed)) > 35
    assert mini_report.fingerprint == mini.fingerprint


def test_figures_per_task(mini: World, mini_report: AuditReport) -> None:
    assert [task.task_id for task in mini_report.tasks] == [task.task_id for task in mini.tasks]
    for task in mini_report.tasks:
        assert task.exact and task.shortest_exact
        assert task.listed == task.up_to_listed == task.executable == task.count
        assert task.shortest == task.stated


def test_two_audits_agree_and_can_be_written_as_json(mini: World, mini_report: AuditReport) -> None:
    again = audit(mini)
    assert msgspec.json.encode(again) == msgspec.json.encode(mini_report)
    assert msgspec.json.decode(msgspec.json.encode(again), type=AuditReport) == again


def test_progress_is_reported(mini: World) -> None:
    seen: list[tuple[str, int, int]] = []
    audit(mini, lambda what, done, total: seen.append((what, done, total)))
    assert {"paths", "gold answers", "plans, remaining paths"} <= {what for what, _, _ in seen}
    assert all(0 <= done <= total for _, done, total in seen)


def test_what_imitations_return(mini: World) -> None:
    for tool in mini.tools:
        if isinstance(tool.return_value, dict):
            assert len(returned(tool)) == len(tool.outputs) == len(tool.return_value)
            assert set(map(str, returned(tool).values())) == set(map(str, tool.return_value.values()))
