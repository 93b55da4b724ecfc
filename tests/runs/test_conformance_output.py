"""Output folders of the release: every kind of damage to a recorded one is noticed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.runs.conformance import check_file
from planbench_xl.runs.conformance.output import NOTES
from planbench_xl.world import World
from tests.runs.test_conformance import DAMAGES, INPUTS, altered, read


@pytest.fixture
def folder(shared: Path, tmp_path: Path) -> Path:
    target = tmp_path / "output_folder"
    shutil.copytree(shared / "golden" / "output_folder", target, copy_function=shutil.copyfile)
    for path in [target, *target.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return target


FREE = INPUTS | {"output_dir", "llm_raw_response", "feedback_to_model", "resume_attempts_used", "stop_reason"}
"""What a folder says that is an input, or free."""


@pytest.mark.parametrize("harm", DAMAGES)
@pytest.mark.parametrize("name", ["evaluation.json", "progress/index.json", "progress/queries/retail_query_0058.json"])
def test_every_damage_to_a_folder_is_noticed(name: str, harm: Any, folder: Path, release: World) -> None:
    path = folder / name
    data = read(path)
    data.pop("final_result", None)
    data, fields = harm(data, FREE)
    if name.startswith("progress/queries"):
        data["final_result"] = read(path)["final_result"]
    path.write_text(json.dumps(data))
    found = check_file(folder, release).differences
    assert {difference.field for difference in found} == fields
    assert {difference.file for difference in found} == ({str(path)} if fields else set())


@pytest.mark.parametrize("harm", DAMAGES)
def test_every_damage_to_a_row_is_noticed(harm: Any, folder: Path, release: World) -> None:
    """Here of rows whose responses are kept, so that all in their traces is compared."""
    for query_id in ("retail_query_0058", "retail_query_0072"):
        path = folder / "progress" / "queries" / f"{query_id}.json"
        data = read(path)
        row = data["final_result"]
        trace, expected = [], set()
        for number, step in enumerate(row.pop("trace"), 1):
            harmed, fields = harm(step, FREE)
            trace.append(harmed)
            if harm is altered:  # The wording of a note is free; that there is one isn't.
                fields -= {field for field in NOTES if isinstance(step.get(field), str)}
            expected |= {(f"{query_id}, step {number}", field) for field in fields}
        row, fields = harm(row, FREE)
        expected |= {(query_id, field) for field in fields}
        data["final_result"] = {**row, "trace": trace}
        intact = path.read_text()
        path.write_text(json.dumps(data))
        found = check_file(folder, release).differences
        path.write_text(intact)
        results = str(folder / "result.jsonl")
        assert {(d.place, d.field) for d in found if d.file == results} == expected


def test_damage_to_rows_without_responses_is_noticed(folder: Path, release: World) -> None:
    path = folder / "result.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["trace"][0]["matched_information"]["output_information"] = "x"
    rows[1]["trace"][1]["missing_input_datatypes"].append("x")
    rows[2]["trace"][-1]["target_datatype_reached"] = True
    rows[2]["trace"][0]["retrieval_result"]["tools"].reverse()
    rows[3]["final_state"]["has_final_answer"] = False
    rows[4]["trace"][1]["request"] = {"domain": "retail", "meta_tool": "by_output_info", "output_information": "x"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = {(d.place, d.field.partition("[")[0]) for d in check_file(folder, release).differences}
    assert {
        ("retail_query_0013, step 1", "matched_information.output_information"),
        ("retail_query_0014, step 2", "missing_input_datatypes.length"),
        ("retail_query_0016, step 6", "target_datatype_reached"),
        ("retail_query_0016, step 1", "retrieval_result.tools"),
        ("retail_query_0017", "final_state.has_final_answer"),
    } <= found
    assert any(place.startswith("retail_query_0045") for place, _ in found)


def test_a_trace_that_can_not_be_replayed_is_noticed(folder: Path, release: World) -> None:
    path = folder / "result.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for step in rows[0]["trace"]:
        step.pop("raw_output", None)
    rows[1]["trace"].append(rows[1]["trace"][-1])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    texts = [str(difference) for difference in check_file(folder, release).differences]
    assert any('expected "another step", got "no response to replay"' in text for text in texts)
    assert any('expected "another step", got "the end of the episode"' in text for text in texts)


def test_what_was_passed_over_is_a_difference(folder: Path, release: World) -> None:
    with (folder / "result.jsonl").open("a") as file:
        file.write('{"query_id"')
    texts = [str(difference) for difference in check_file(folder, release).differences]
    assert any('expected "a readable folder"' in text and "line 7: is no row" in text for text in texts)
