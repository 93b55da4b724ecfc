import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.errors import WorldError
from planbench_xl.world import Record, World, load_world, save_world
from planbench_xl.world.checks.tasks import Chaining, closure, steps_of
from planbench_xl.world.checks.values import fits, same
from planbench_xl.world.lookups import Lookups
from planbench_xl.world.storage import FILES
from planbench_xl.world.validate import stamp, validate, validate_folder

from .conftest import Folder, put

BARCODE = "get_item_barcode_from_transfer_docket"
CARD = "get_borrower_card_from_reservation_number"
REPORT = "get_condition_report_from_lending_record"
FINISH = "get_completion_time_from_mending_job_go"
EXPLICIT = "get_reader_card_number_from_hold_ticket_pro"


@pytest.mark.parametrize("part", list(FILES))
def test_a_name_used_twice(folder: Folder, part: str) -> None:
    entries = folder.lines(part)
    folder.write(part, [*entries, entries[0]])
    _, faults = validate_folder(folder.path)
    (found,) = [fault for fault in faults if "is used by entries" in fault.problem]
    assert found.file == f"{part}.jsonl"
    assert found.problem == f"is used by entries 1 and {len(entries) + 1}"


@pytest.mark.parametrize("part", list(FILES))
def test_an_empty_name_is_told_by_its_place(folder: Folder, part: str) -> None:
    entries = folder.lines(part)
    field = next(key for key in ("task_id", "query_id", "record_id", "name") if key in entries[1])
    field = "query_id" if part == "queries" else field
    entries[1][field] = ""
    folder.write(part, entries)
    _, faults = validate_folder(folder.path)
    assert (f"{part}.jsonl", "entry 2", field) in [(fault.file, fault.entry, fault.field) for fault in faults]


def test_a_task_without_paths_and_paths_without_a_task(folder: Folder) -> None:
    folder.edit("paths", "library_task_03", put("task_id", value="library_task_33"))
    _, faults = validate_folder(folder.path)
    places = [(fault.file, fault.entry, fault.field) for fault in faults[1:]]
    assert places == [
        ("tasks.jsonl", "task 'library_task_03'", ""),
        ("paths.jsonl", "task 'library_task_33'", "task_id"),
    ]


def test_a_listed_tool_without_an_alternative(folder: Folder) -> None:
    folder.write("tools", [tool for tool in folder.lines("tools") if tool["name"] != EXPLICIT])
    _, faults = validate_folder(folder.path)
    assert [fault.entry for fault in faults[1:]] == [f"tool '{CARD}'"]
    assert "no block alternative of kind explicit" in faults[1].problem


def test_a_world_without_imitations_is_valid(mini: World) -> None:
    assert validate(msgspec.structs.replace(mini, tools=mini.executable)) == []


def test_an_unsolvable_task(folder: Folder) -> None:
    folder.write("tools", [tool for tool in folder.lines("tools") if tool["name"] != BARCODE])
    folder.edit("tasks", "library_task_06", put("solution", value=[]))
    _, faults = validate_folder(folder.path)
    found = [fault for fault in faults if "can't be reached" in fault.problem]
    assert [(fault.file, fault.entry, fault.field) for fault in found] == [
        ("tasks.jsonl", "task 'library_task_06'", "targets")
    ]
    assert not any(fault.field.startswith("answers") for fault in faults), "one cause, one report"


def test_an_ambiguous_lookup_and_the_answer_it_takes_away(folder: Folder) -> None:
    folder.edit("records", "case_ferns", put("values", "bindery_job_id", value="WS-5604"))
    _, faults = validate_folder(folder.path)
    (found,) = [fault for fault in faults if "several values of" in fault.problem and FINISH in fault.entry]
    assert (found.file, found.field) == ("tools.jsonl", "outputs")
    assert "repair_ready_at for bindery_job_id=WS-5604" in found.problem
    (lost,) = [fault for fault in faults if "no chain of look-ups" in fault.problem and "ready_at" in fault.field]
    assert (lost.entry, lost.field) == ("query 'library_query_04'", "answers.repair_ready_at")


def test_different_values_by_different_routes(mini: World) -> None:
    """Each lookup has one answer, but two chains end in different values."""
    nothing = dict.fromkeys(mini.datatype)
    loan, job = "L26-118127", "WS-5604"
    records = [
        Record(record.record_id, {**record.values, "repair_ready_at": None}) if "twin" in record.record_id else record
        for record in mini.records
    ]
    records.append(Record("right", {**nothing, "bindery_job_id": job, "repair_ready_at": "2026-03-30T16:20:00Z"}))
    records.append(Record("wrong", {**nothing, "loan_id": loan, "repair_ready_at": "2026-03-31T16:20:00Z"}))
    shortcut = msgspec.structs.replace(
        mini.tool[REPORT], name="get_job_finish_time_from_loan_number", outputs=mini.tool[FINISH].outputs
    )
    world = msgspec.structs.replace(mini, tools=(*mini.tools, shortcut), records=tuple(records))
    (fault,) = validate(world)
    assert (fault.entry, fault.field) == ("query 'library_query_04'", "answers.repair_ready_at")
    assert "different look-ups give different values" in fault.problem


def test_a_gold_answer_that_no_record_gives(folder: Folder) -> None:
    folder.edit("records", "case_lighthouses", put("values", "receipt_id", value=None))
    _, faults = validate_folder(folder.path)
    (fault,) = faults[1:]
    assert (fault.file, fault.entry, fault.field) == ("queries.jsonl", "query 'library_query_03'", "answers.receipt_id")
    assert "no chain of look-ups gives a value" in fault.problem


def test_numbers_are_compared_by_value(folder: Folder) -> None:
    folder.edit("records", "case_atlas", put("values", "repair_cost_amount", value=42.0))
    folder.edit("queries", "library_query_01", put("answers", "repair_cost_amount", value=42))
    _, faults = validate_folder(folder.path)
    assert [fault.field for fault in faults] == ["fingerprint"]


def test_faults_come_in_file_order(folder: Folder) -> None:
    folder.edit("queries", "library_query_02", put("text", value=""))
    folder.edit("paths", "library_task_01", put("tool_sets", value=[]))
    folder.edit("tasks", "library_task_05", put("targets", value=[]))
    folder.edit("tools", CARD, put("description", value=""))
    folder.edit("datatypes", "hold_id", put("description", value=""))
    _, faults = validate_folder(folder.path)
    order = ["manifest.json", *(f"{part}.jsonl" for part in FILES)]
    files = [order.index(fault.file) for fault in faults]
    assert files == sorted(files)
    assert len(set(files)) == 6


def test_a_head_without_texts(mini: World) -> None:
    world = msgspec.structs.replace(mini, name="", overview=" ")
    assert [(fault.file, fault.field) for fault in validate(world)] == [
        ("manifest.json", "name"),
        ("manifest.json", "overview"),
    ]


def test_the_packaged_world_is_valid(mini: World) -> None:
    assert validate_folder("mini") == (mini, [])


def test_a_wrong_fingerprint(folder: Folder) -> None:
    folder.manifest(fingerprint="0" * 64)
    world, (fault,) = validate_folder(folder.path)
    assert world is not None
    assert (fault.file, fault.field) == ("manifest.json", "fingerprint")
    assert f"planbench-xl world validate --stamp {folder.path}" in fault.remedy


def test_what_cannot_be_loaded_is_reported_and_not_raised(folder: Folder, tmp_path: Path) -> None:
    assert validate_folder("nowhere")[0] is None
    assert validate_folder(tmp_path)[1][0].problem.startswith("has neither")
    (folder.path / "tools.jsonl").write_text("{")
    world, (fault,) = validate_folder(folder.path)
    assert world is None
    assert (fault.file, fault.entry) == ("tools.jsonl", "line 1")


def test_stamp_brings_the_manifest_in_line(folder: Folder) -> None:
    before = (folder.path / "manifest.json").read_bytes()
    entries = folder.lines("queries")
    (folder.path / "queries.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries[:-1]))
    assert validate_folder(folder.path)[0] is None
    manifest = stamp(folder.path)
    assert manifest.counts["queries"] == len(entries) - 1
    world, faults = validate_folder(folder.path)
    assert world is not None
    assert faults == []
    assert world.fingerprint == manifest.fingerprint
    folder.write("queries", entries)
    stamp(folder.path)
    assert (folder.path / "manifest.json").read_bytes() == before


@pytest.mark.parametrize("damage", ["entry", "line", "format"])
def test_stamp_refuses_a_faulty_world(folder: Folder, damage: str) -> None:
    if damage == "entry":
        folder.edit("tools", CARD, put("description", value=""))
    elif damage == "line":
        (folder.path / "tools.jsonl").write_text("{")
    else:
        folder.manifest(format=2)
    before = (folder.path / "manifest.json").read_bytes()
    with pytest.raises(WorldError):
        stamp(folder.path)
    assert (folder.path / "manifest.json").read_bytes() == before


def test_random_damage_never_raises(folder: Folder) -> None:
    rng = random.Random(7)
    junk: list[Any] = [None, "", " ", "ghost", 0, -1.5, [], {}, True, ["x", "x"], {"a": [None]}, "\x00", "`" * 9]

    def spoil(value: Any) -> Any:
        keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
        if not keys or rng.random() < 0.2:
            return rng.choice(junk)
        key = rng.choice(keys)
        if rng.random() < 0.2:
            del value[key]
        else:
            value[key] = spoil(value[key])
        return value

    original = {part: folder.lines(part) for part in FILES}
    for _ in range(150):
        part = rng.choice(list(FILES))
        entries = json.loads(json.dumps(original[part]))
        for _ in range(rng.randrange(1, 4)):
            index = rng.randrange(len(entries))
            entries[index] = spoil(entries[index])
        folder.write(part, entries)
        _, faults = validate_folder(folder.path)
        assert all(fault.file and fault.problem and fault.remedy for fault in faults)
        folder.write(part, original[part])


@pytest.mark.parametrize(
    ("value", "value_type", "expected"),
    [
        (None, "number", True),
        (1, "number", True),
        (True, "number", False),
        ("1", "number", False),
        (True, "boolean", True),
        (1, "boolean", False),
        ("", "string", True),
        ([], "string", False),
        ("2026-04-01T09:12:00Z", "timestamp", True),
        ("2026-04-01", "timestamp", True),
        ("1 April", "timestamp", False),
        (0, "timestamp", False),
    ],
)
def test_fits(value: Any, value_type: Any, expected: bool) -> None:
    assert fits(value, value_type) is expected


def test_same() -> None:
    assert same(42, 42.0, "number")
    assert same("42", 42.0, "number")
    assert not same(42, 42.0, "string")
    assert not same("x", 1, "number")
    assert not same(True, 1, "number")


def test_a_release_saved_in_our_format_has_the_same_faults(release: World, shared: Path, tmp_path: Path) -> None:
    save_world(release, tmp_path)
    _, ours = validate_folder(tmp_path)
    _, theirs = validate_folder(shared / "release")
    assert [fault.problem for fault in ours] == [fault.problem for fault in theirs]
    assert {fault.file for fault in ours} == {"datatypes.jsonl", "tasks.jsonl", "queries.jsonl"}
    assert load_world(tmp_path) == release


@pytest.mark.parametrize("name", ["mini", "hospital"])
def test_chaining_towards_some_datatypes_ends_where_full_chaining_does(name: str) -> None:
    world = load_world(name)
    rng = random.Random(1)
    names = list(world.datatype)
    chaining, lookups, steps = Chaining(world), Lookups(world), steps_of(world).values()
    for query in rng.sample(world.queries, min(30, len(world.queries))):
        wanted = [*rng.sample(names, 3), *query.answers]
        everything = closure(query.inputs, steps)
        assert chaining.reached(query.inputs, wanted) == everything.intersection(wanted)
        derived, some = lookups.derive(query.inputs), lookups.derive(query.inputs, wanted)
        assert {n: some.get(n) for n in wanted} == {n: derived.get(n) for n in wanted}
