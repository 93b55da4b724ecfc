import json
import os
from pathlib import Path

import msgspec
import pytest

from planbench_xl.errors import Fault, WorldError
from planbench_xl.world import World, find_world, load_world, packaged_worlds, save_world
from planbench_xl.world import storage as storage_module
from planbench_xl.world.loading import PACKAGED
from planbench_xl.world.storage import FILES, encode_lines, load_folder, write_atomically

from .conftest import Folder


def faults_of(path: Path) -> tuple[Fault, ...]:
    with pytest.raises(WorldError) as caught:
        load_world(path)
    for fault in caught.value.faults:
        assert str(fault) in str(caught.value)
        assert fault.remedy
    return caught.value.faults


def only_fault(path: Path) -> Fault:
    (fault,) = faults_of(path)
    return fault


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_saving_a_loaded_world_gives_the_same_bytes(mini: World, tmp_path: Path) -> None:
    save_world(mini, tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(PACKAGED / "mini")
    assert load_folder(tmp_path / "copy") == mini


def test_a_release_saved_as_our_format_is_the_same_world(release: World, tmp_path: Path) -> None:
    save_world(release, tmp_path)
    copy = load_world(tmp_path)
    assert copy == release
    assert copy.fingerprint == release.fingerprint


def test_the_fingerprint_depends_on_content_alone(mini: World, folder: Folder) -> None:
    folder.write("records", folder.lines("records"))  # other white space and order of keys
    assert load_folder(folder.path).fingerprint == mini.fingerprint
    renamed = msgspec.structs.replace(mini, name="other", version="9")
    assert renamed.fingerprint == mini.fingerprint
    assert msgspec.structs.replace(mini, overview="other").fingerprint != mini.fingerprint
    for part in FILES:
        shorter = msgspec.structs.replace(mini, **{part: getattr(mini, part)[:-1]})
        assert shorter.fingerprint != mini.fingerprint


def test_the_packaged_fingerprint_is_right(mini: World) -> None:
    assert json.loads((PACKAGED / "mini" / "manifest.json").read_text())["fingerprint"] == mini.fingerprint


def test_lines_are_canonical(mini: World) -> None:
    line = encode_lines(mini.records[:1])
    assert line.endswith(b"}\n")
    assert line == json.dumps(json.loads(line), sort_keys=True, separators=(",", ":")).encode() + b"\n"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    write_atomically(file, b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(file, b"new")
    assert contents(tmp_path) == {"file": b"old"}


def test_an_interrupted_save_leaves_no_world(mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = storage_module.write_atomically

    def fails_late(path: Path, data: bytes) -> None:
        if path.name == "queries.jsonl":
            raise OSError(28, "No space left on device")
        write(path, data)

    monkeypatch.setattr(storage_module, "write_atomically", fails_late)
    with pytest.raises(WorldError, match=r"can't be written \(No space left on device\)"):
        save_world(mini, tmp_path)
    assert not (tmp_path / "manifest.json").exists()
    assert "neither manifest.json nor" in only_fault(tmp_path).problem


def test_a_folder_in_the_place_of_a_file_is_a_fault(mini: World, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorldError, match="can't be written"):
        save_world(mini, tmp_path / "file" / "world")


def test_packaged_worlds_are_found_by_name(mini: World) -> None:
    assert "mini" in packaged_worlds()
    assert find_world("mini") == PACKAGED / "mini"
    with pytest.raises(WorldError, match=r"Give the path of a world's folder or one of:.*mini"):
        find_world("nowhere")


def test_a_line_that_is_no_json(folder: Folder) -> None:
    file = folder.path / "tasks.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "{not json", *lines[2:]]))
    fault = only_fault(folder.path)
    assert (fault.file, fault.entry) == ("tasks.jsonl", "line 2")
    assert "not valid JSON" in fault.problem


def test_a_truncated_last_line(folder: Folder) -> None:
    file = folder.path / "queries.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    fault = only_fault(folder.path)
    assert (fault.file, fault.entry) == ("queries.jsonl", "line 11")
    assert "truncated" in fault.problem


def test_every_bad_line_is_reported(folder: Folder) -> None:
    for part in ("datatypes", "records"):
        file = folder.path / f"{part}.jsonl"
        file.write_text("[]\n" + file.read_text() + "7\n")
    found = [(fault.file, fault.entry) for fault in faults_of(folder.path)]
    assert found == [
        ("datatypes.jsonl", "line 1"),
        ("datatypes.jsonl", "line 17"),
        ("records.jsonl", "line 1"),
        ("records.jsonl", "line 12"),
    ]


@pytest.mark.parametrize(
    ("part", "name", "change", "line", "field", "problem"),
    [
        ("tools", "get_item_barcode_from_transfer_docket", {"colour": 1}, "line 5", "", "unknown field `colour`"),
        ("tasks", "library_task_02", {"shortest_length": "5"}, "line 2", "shortest_length", "expected `int`"),
        ("tasks", "library_task_02", {"targets": "receipt_id"}, "line 2", "targets", "expected `array`"),
        ("records", "case_ferns", {"values": []}, "line 4", "values", "expected `object`"),
        ("datatypes", "loan_id", {"value_type": "date"}, "line 6", "value_type", "invalid enum value 'date'"),
        ("tools", "get_item_barcode_from_transfer_docket", {"role": "helper"}, "line 5", "role", "enum value 'helper'"),
        ("queries", "library_query_03", {"answers": ...}, "line 3", "", "missing required field `answers`"),
        ("paths", "library_task_01", {"tool_sets": [[1]]}, "line 1", "tool_sets[0][0]", "expected `str`"),
    ],
)
def test_entries_that_do_not_fit(
    folder: Folder, part: str, name: str, change: dict[str, object], line: str, field: str, problem: str
) -> None:
    def apply(entry: dict[str, object]) -> None:
        entry.update(change)
        for key in [key for key, value in entry.items() if value is ...]:
            del entry[key]

    folder.edit(part, name, apply)
    fault = only_fault(folder.path)
    assert (fault.file, fault.entry, fault.field) == (f"{part}.jsonl", line, field)
    assert problem in fault.problem


@pytest.mark.parametrize("data", [b'"\xff"', b"[" * 100_000, b'{"record_id":"\\ud800","values":{}}', b"1e999"])
def test_hostile_lines_are_faults(folder: Folder, data: bytes) -> None:
    (folder.path / "records.jsonl").write_bytes(data)
    fault = only_fault(folder.path)
    assert (fault.file, fault.entry) == ("records.jsonl", "line 1")


def test_a_missing_file(folder: Folder) -> None:
    (folder.path / "paths.jsonl").unlink()
    fault = only_fault(folder.path)
    assert fault.file == "paths.jsonl"
    assert "is missing" in fault.problem


def test_a_file_that_is_a_folder(folder: Folder) -> None:
    (folder.path / "paths.jsonl").unlink()
    (folder.path / "paths.jsonl").mkdir()
    assert "can't be read" in only_fault(folder.path).problem


def test_an_entry_that_was_lost(folder: Folder) -> None:
    file = folder.path / "records.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    fault = only_fault(folder.path)
    assert (fault.file, fault.field) == ("manifest.json", "counts.records")
    assert "says 10, but records.jsonl has 9 entries" in fault.problem
    assert f"world validate --stamp {folder.path}" in fault.remedy


@pytest.mark.parametrize(
    ("changes", "field", "problem"),
    [
        ({"format": 99}, "format", "layout version 99"),
        ({"format": "1"}, "format", "expected `int`"),
        ({"domain": ...}, "", "missing required field `domain`"),
        ({"author": "me"}, "", "unknown field `author`"),
    ],
)
def test_a_manifest_that_does_not_fit(folder: Folder, changes: dict[str, object], field: str, problem: str) -> None:
    folder.manifest(**changes)
    fault = only_fault(folder.path)
    assert (fault.file, fault.field) == ("manifest.json", field)
    assert problem in fault.problem


def test_a_manifest_that_counts_something_unknown(folder: Folder) -> None:
    counts = json.loads((folder.path / "manifest.json").read_text())["counts"]
    folder.manifest(counts={**counts, "agents": 3})
    fault = only_fault(folder.path)
    assert (fault.file, fault.field) == ("manifest.json", "counts.agents")


def test_a_manifest_that_is_no_json(folder: Folder) -> None:
    (folder.path / "manifest.json").write_text("{")
    assert "not valid JSON" in only_fault(folder.path).problem
