"""Output folders of the published release, read as runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.episodes.record import Reason, Status, TurnError
from planbench_xl.episodes.release_output import ReleaseOutput, is_release_output, read_release_output
from planbench_xl.errors import StoreError
from planbench_xl.metrics import score_run
from planbench_xl.runs.conformance.output import release_evaluation, score_output
from planbench_xl.world import World

FIRST, CALLS, ANSWER = "retail_query_0013", "retail_query_0014", "retail_query_0048"
STARTED = "retail_query_0053"


@pytest.fixture
def folder(shared: Path, tmp_path: Path) -> Path:
    """Return a copy of the recorded folder that may be damaged."""
    copy = tmp_path / "output_folder"
    shutil.copytree(shared / "golden" / "output_folder", copy, copy_function=shutil.copyfile)
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return copy


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Change a JSON file in place."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def edit_row(folder: Path, query_id: str, change: Callable[[Any], object]) -> None:
    """Change a row of `result.jsonl` in place."""
    path = folder / "result.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["query_id"] == query_id:
            change(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def unfinish(folder: Path, query_id: str = STARTED) -> None:
    """Make a query one that the release never finished."""

    def change(state: dict[str, Any]) -> None:
        del state["final_result"]
        state["status"] = "running"
        state["turns"] = state["turns"][:5]

    edit(folder / "progress" / "queries" / f"{query_id}.json", change)


def by_query(output: ReleaseOutput, query_id: str):
    return next(episode for episode in output.episodes if episode.query_id == query_id)


def test_what_the_folder_holds(folder: Path, release: World) -> None:
    output = read_release_output(folder, release)
    assert is_release_output(folder) and not is_release_output(folder / "progress")
    assert (len(output.episodes), output.expected, output.problems, output.unfinished) == (10, 24, (), frozenset())
    assert output.config["run_id"] == "retail_gpt54_blocker"
    assert {(e.setting, e.judge, e.world) for e in output.episodes} == {
        ("retail_gpt54_blocker", "contains", release.fingerprint)
    }
    assert by_query(output, ANSWER).status is Status.SUCCESS
    assert by_query(output, CALLS).reason is Reason.MAX_CALL_ERRORS
    first = by_query(output, FIRST)
    assert (first.status, first.reason, len(first.turns)) == (Status.FAILURE, Reason.NOT_GROUNDED, 15)
    assert first.turns[0].matched.output == "shipment_id" and len(first.turns[0].tools) == 6
    assert by_query(output, STARTED).turns[0].raw.startswith("<retrieve_tools>")
    assert {t.error for t in by_query(output, CALLS).turns} == {None, TurnError.MISSING_INPUT}


def test_it_scores_as_its_evaluation_says(folder: Path, release: World) -> None:
    recorded = json.loads((folder / "evaluation.json").read_text())
    got = release_evaluation(release, folder, read_release_output(folder, release))
    for query, other in zip(recorded["per_query"], got["per_query"], strict=True):
        assert query == other
    for group, theirs in recorded["metrics"].items():
        assert got["metrics"][group] == pytest.approx(theirs, rel=1e-12, abs=1e-12)
    del got["metrics"], recorded["metrics"]
    assert got == recorded


def test_recorded_outcomes_are_those_worked_out_anew(folder: Path, release: World) -> None:
    score, problems = score_output(folder, release)
    assert (score.disagreements, problems) == ((), ())
    assert (score.scored, score.expected, score.complete, score.unresolved) == (10, 24, False, 0)


def test_a_torn_line_and_a_doubled_row(folder: Path, release: World) -> None:
    path = folder / "result.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, b"[]\n", lines[0], lines[1][:500]]))
    output = read_release_output(folder, release)
    assert len(output.episodes) == 10
    assert [problem.partition(": ")[2] for problem in output.problems] == [
        "is no row, passed over",
        f"a second row for query '{FIRST}', which replaces the first",
        "is no row, passed over",
    ]
    assert "result.jsonl, line 9" in output.problems[2]


def test_an_unreadable_progress_file_is_reported(folder: Path, release: World) -> None:
    (folder / "progress" / "queries" / f"{STARTED}.json").write_text('{"query_id": "retail')
    output = read_release_output(folder, release)
    assert len(output.episodes) == 9
    assert len(output.problems) == 1 and f"{STARTED}.json" in output.problems[0]


def test_without_progress_or_without_results(folder: Path, release: World) -> None:
    results = (folder / "result.jsonl").read_bytes()
    (folder / "result.jsonl").unlink()
    assert len(read_release_output(folder, release).episodes) == 4
    (folder / "result.jsonl").write_bytes(results)
    shutil.rmtree(folder / "progress")
    assert is_release_output(folder)
    assert len(read_release_output(folder, release).episodes) == 6


def test_unfinished_queries_are_errors(folder: Path, release: World) -> None:
    unfinish(folder)
    output = read_release_output(folder, release)
    episode = by_query(output, STARTED)
    assert (episode.status, episode.cause, len(episode.turns)) == (Status.ERROR, "unfinished", 5)
    assert {turn.error for turn in episode.turns} == {None}
    score = score_run(release, output.episodes, expected=output.expected)
    assert (score.scored, score.errors, score.error_causes) == (9, 1, {"unfinished": 1})
    assert score.metrics["accuracy"].value == 2 / 9
    assert score.metrics_errors_as_failures["accuracy"].value == 2 / 10
    theirs = release_evaluation(release, folder, output)
    assert (theirs["query_count"], theirs["evaluated_count"], theirs["unevaluated_count"]) == (10, 9, 1)
    assert theirs["metrics"]["accuracy"] == 2 / 9


def test_a_query_that_was_listed_but_not_started_is_no_episode(folder: Path, release: World) -> None:
    edit(folder / "progress" / "queries" / f"{STARTED}.json", lambda state: (state.clear(), state.update(turns=[])))
    assert len(read_release_output(folder, release).episodes) == 9


@pytest.mark.parametrize("change", [{"stop_reason": "provider_error"}, {"failure_reason_detail": "provider_error"}])
def test_other_stop_reasons_are_errors(folder: Path, release: World, change: dict[str, str]) -> None:
    edit_row(folder, CALLS, lambda row: row.update(change))
    output = read_release_output(folder, release)
    episode = by_query(output, CALLS)
    assert (episode.status, episode.reason, episode.cause) == (Status.ERROR, None, "provider_error")
    score = score_run(release, output.episodes)
    assert (score.scored, score.errors) == (9, 1)
    assert score.metrics["accuracy"].value == 3 / 9
    # The release's evaluator counts the row as a failure.
    theirs = release_evaluation(release, folder, output)
    assert (theirs["evaluated_count"], theirs["metrics"]["accuracy"]) == (10, 3 / 10)
    assert theirs["per_query"][1]["runtime_status"] == "failed"


def test_errors_of_calls_that_the_release_does_not_name(folder: Path, release: World) -> None:
    def change(row: dict[str, Any]) -> None:
        seen = row["trace"][0]["retrieval_result"]["tools"][0]["name"]
        unseen = release.tools[-1].name
        row["trace"] = [
            row["trace"][0],
            {"action": "call_tool", "parse_ok": True, "request": {"name": seen, "arguments": {"x": 1}}},
            {"action": "call_tool", "parse_ok": True, "request": {"name": unseen, "arguments": {}}},
            {"action": "call_tool", "parse_ok": True, "request": {"name": "invented", "arguments": {}}},
            {"action": "call_tool", "parse_ok": False, "raw_output": "<tool_call>{</tool_call>"},
            {"action": "retrieve_tools", "parse_ok": False, "raw_output": "<retrieve_tools>{</retrieve_tools>"},
            {"action": "retrieve_tools", "parse_ok": True, "request": {"meta_tool": "search"}},
            {"action": "others", "raw_output": "hm"},
            {"action": "dance"},
        ]

    edit_row(folder, CALLS, change)
    output = read_release_output(folder, release)
    turns = by_query(output, CALLS).turns
    assert [turn.error for turn in turns] == [
        None,
        TurnError.WRONG_ARGUMENTS,
        TurnError.UNDISCOVERED,
        TurnError.UNDISCOVERED,
        TurnError.CALL_JSON,
        TurnError.RETRIEVAL_JSON,
        TurnError.RETRIEVAL_SEMANTIC,
        TurnError.LABEL,
    ]
    assert (turns[4].raw, turns[-1].raw) == ("<tool_call>{</tool_call>", "hm")
    assert output.problems == (f"{folder}, query '{CALLS}', step 9: unknown action 'dance', passed over",)


def test_continued_and_spoiled_answers(folder: Path, release: World) -> None:
    def change(row: dict[str, Any]) -> None:
        target = release.task[release.query[ANSWER].task_id].targets[0]
        *trace, answer = row["trace"]
        result = {"output_provenance": "untrusted", "output_datatype": target, "output_value": "card", "success": True}
        call = next(step for step in trace if "tool_result" in step)
        first = {**answer, "incorrect_final_answer_feedback_sent": True, "answer": "no"}
        row["trace"] = [*trace, {**call, "tool_result": result}, first, {**answer, "datatype_check_passed": False}]

    edit_row(folder, ANSWER, change)
    turns = by_query(read_release_output(folder, release), ANSWER).turns
    assert turns[-2].answer.continued and not turns[-1].answer.continued
    assert turns[-1].answer.untrusted == ("card",) and not turns[-1].answer.grounded


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: row.update(query_id="nope"), "world 'retail-release' has no query 'nope'. Give the right one"),
        (lambda row: row["trace"][0]["retrieval_result"]["tools"][0].update(name="gone"), "has no tool 'gone'"),
        (lambda row: row["trace"][0]["retrieval_result"].pop("tools"), "trace can't be read"),
        (lambda row: row.update(trace=[7]), "trace can't be read"),
        (lambda row: row.update(status="odd"), "unknown status 'odd'"),
    ],
)
def test_what_can_not_be_read_is_refused(folder: Path, release: World, change, message: str) -> None:
    edit_row(folder, CALLS, change)
    with pytest.raises(StoreError, match=message):
        read_release_output(folder, release)


@pytest.mark.parametrize("text", [None, "{", "[]"])
def test_without_metadata_it_is_refused(folder: Path, release: World, text: str | None) -> None:
    (folder / "metadata.json").unlink()
    if text is not None:
        (folder / "metadata.json").write_text(text)
    with pytest.raises(StoreError, match=r"metadata\.json"):
        read_release_output(folder, release)


def test_unresolved_plans_are_found_by_planning_anew(folder: Path, release: World) -> None:
    def aim_at_three(metadata: dict[str, Any]) -> None:
        metadata["config"]["blocker"] |= {"selection_mode": "exact_blocked_paths", "block_n_per_task": 3}

    edit(folder / "metadata.json", aim_at_three)
    assert score_output(folder, release)[0].unresolved > 0
    edit(folder / "metadata.json", lambda metadata: metadata["config"].update(novelty=1))
    score, problems = score_output(folder, release)
    assert score.unresolved == 0 and "which tasks ran unblocked isn't known" in problems[0]
