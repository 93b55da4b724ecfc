import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.errors import WorldError
from planbench_xl.world import Kind, Role, World, load_world, text_form
from planbench_xl.world.release import written_out
from planbench_xl.world.validate import validate_folder


def test_size(release: World) -> None:
    assert len(release.datatypes) == 56
    roles = Counter(tool.role for tool in release.tools)
    assert roles == {Role.EXECUTABLE: 185, Role.DISTRACTOR: 925, Role.BLOCK_ALTERNATIVE: 555}
    assert len(release.records) == 100
    assert len(release.tasks) == len(release.queries) == len(release.paths) == 327
    assert release.domain == "retail"


def test_five_distractors_and_three_alternatives_for_each_tool(release: World) -> None:
    kinds = Counter(tool.kind for tool in release.tools)
    assert kinds == {None: 185, **dict.fromkeys(Kind, 185)}
    assert {len(tools) for tools in release.distractors.values()} == {5}
    assert {len(tools) for tools in release.alternatives.values()} == {3}


def test_shortest_lengths(release: World) -> None:
    assert Counter(task.shortest_length for task in release.tasks) == {5: 145, 6: 106, 7: 59, 8: 15, 9: 2}


def test_paths_per_task(release: World) -> None:
    counts = [len(tool_sets) for tool_sets in release.tool_sets.values()]
    assert (min(counts), max(counts)) == (1, 77)


def test_single_outputs_and_up_to_five_inputs(release: World) -> None:
    assert {len(tool.outputs) for tool in release.tools} == {1}
    assert {len(tool.inputs) for tool in release.executable} == {1, 2, 3, 4, 5}
    assert Counter(len(tool.inputs) for tool in release.executable)[2] == 2


def test_arguments_and_outputs_are_what_the_agent_reads(release: World) -> None:
    tool = release.tool["get_user_name_from_user_reference_swift"]
    assert [(argument.name, argument.datatype) for argument in tool.arguments] == [("user_record_id", "user_id")]
    assert tool.outputs[0].datatype == "user_name"
    assert tool.outputs[0].label == "name on the account"


def test_some_imitations_have_no_value_of_their_own(release: World) -> None:
    empty = [tool for tool in release.tools if tool.role is not Role.EXECUTABLE and tool.return_value is None]
    assert {tool.kind for tool in empty} == {Kind.STALE, Kind.UNRELIABLE, Kind.NON_AUTHORITATIVE}


def test_queries_have_their_inputs_and_record(release: World) -> None:
    records = {record.record_id: record.values for record in release.records}
    for query in release.queries:
        values = records[query.record_id]
        assert query.inputs
        for datatype, value in query.inputs.items():
            assert value == values[datatype]
            assert text_form(value) in query.text or written_out(value) in query.text


def test_two_queries_lack_a_value_for_a_datatype_that_does_not_exist(release: World) -> None:
    short = [query.query_id for query in release.queries if len(query.inputs) < len(release.task[query.task_id].inputs)]
    assert short == ["retail_query_0274", "retail_query_0318"]


def test_time_stamps_are_written_out_to_the_minute() -> None:
    assert written_out("2026-04-13T03:59:00Z") == "2026-04-13 03:59 UTC"
    assert written_out("ord_7001") == "ord_7001"


@pytest.fixture
def copy(shared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shared / "release", tmp_path / "release", copy_function=shutil.copyfile))


def change(path: Path, edit: Any) -> None:
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("file", "edit", "entry", "field", "problem"),
    [
        ("noisy_tools.json", lambda c: c[3].update(noise_type="odd"), "tool '", "noise_type", "`odd` is not a kind"),
        ("datatypes.json", lambda c: c[1].update(colour=1), "", "[1]", "unknown field `colour`"),
        ("tasks.json", lambda c: c[7].update(steps="5"), "", "[7].steps", "expected `int`"),
        (
            "baseline_tools.json",
            lambda c: c[0].update(surface_argument_to_datatype={}),
            "tool 'get_user_name_from_user_reference_swift'",
            "surface_argument_to_datatype",
            "other arguments",
        ),
        (
            "queries.json",
            lambda c: c[0].update(correct_answer="nobody"),
            "query 'retail_query_0001'",
            "query_text",
            "no record has the values",
        ),
    ],
)
def test_broken_release_files(copy: Path, file: str, edit: Any, entry: str, field: str, problem: str) -> None:
    change(copy / file, edit)
    with pytest.raises(WorldError) as caught:
        load_world(copy)
    (fault,) = caught.value.faults
    assert fault.file == file
    assert fault.entry.startswith(entry)
    assert fault.field == field
    assert problem in fault.problem
    assert fault.remedy


def test_a_missing_release_file(copy: Path) -> None:
    (copy / "tasks.json").unlink()
    world, faults = validate_folder(copy)
    assert world is None
    assert [fault.file for fault in faults] == ["tasks.json"]


def test_faults_name_the_release_files_and_fields(copy: Path) -> None:
    change(copy / "tasks.json", lambda content: content[0].update(steps=9))
    change(copy / "noisy_tools.json", lambda content: content[0].update(baseline_tool_name="ghost"))
    change(copy / "database.json", lambda content: content["order_cases"]["case_0009"].update(base_price="ten"))
    _, faults = validate_folder(copy)
    places = {(fault.file, fault.entry, fault.field) for fault in faults}
    assert ("tasks.json", "task 'retail_task_0001'", "steps") in places
    source = "tool 'get_user_name_from_user_reference_swift_legacy'"
    assert ("noisy_tools.json", source, "baseline_tool_name") in places
    assert ("database.json", "record 'case_0009'", "base_price") in places


def test_the_faults_of_the_release(shared: Path) -> None:
    world, faults = validate_folder(shared / "release")
    assert world is not None
    assert Counter((fault.file, fault.field) for fault in faults) == {
        ("datatypes.json", "example"): 11,
        ("tasks.json", "input_datatypes[0]"): 2,
        ("queries.json", "input_datatypes"): 2,
    }
