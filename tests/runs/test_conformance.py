"""Recorded behaviour: all of it is reproduced, and every kind of damage to a record is noticed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.cli import main
from planbench_xl.errors import StoreError
from planbench_xl.runs.conformance import check_file
from planbench_xl.runs.conformance.compare import Difference, Place
from planbench_xl.world import World

SETTINGS = (
    "default",
    "one_path_mixed",
    "one_path_explicit",
    "one_path_implicit",
    "one_path_misleading",
    "one_path_longest",
    "remaining_ratio_0.4",
    "enforced_5",
)


@pytest.mark.parametrize("name", SETTINGS)
def test_recorded_episodes(name: str, shared: Path, release: World) -> None:
    checked = check_file(shared / "golden" / f"{name}.json.gz", release)
    assert (checked.kind, checked.count, checked.differences) == ("episodes", 24, ())


def test_phrases(shared: Path, release: World) -> None:
    checked = check_file(shared / "golden" / "phrase_to_datatype.json", release)
    assert (checked.kind, checked.count, checked.differences) == ("phrases", 602, ())


def test_block_plans(shared: Path, release: World) -> None:
    checked = check_file(shared / "golden" / "block_plans.json.gz", release)
    assert (checked.kind, checked.count, checked.differences) == ("block plans", 13 * 327, ())


def test_output_folder(shared: Path, release: World) -> None:
    checked = check_file(shared / "golden" / "output_folder", release)
    assert (checked.kind, checked.count, checked.differences) == ("output folder", 1, ())


# Damage. All leaves of a record are altered at once, all of their keys misspelt, or all lists made longer: exactly what
# was damaged must show, at its place. What says what to play is left alone.

INPUTS = frozenset({"raw", "config", "label", "query_id"})


def read(path: Path) -> Any:
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def other(value: Any) -> Any:
    """Return a value of the same type that differs a little."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + (1e-9 if isinstance(value, float) else 1)
    return "x" if value is None else f"{value}x"


def walked(value: Any, field: str, inputs: frozenset[str], change: Callable[..., Any]) -> Any:
    """Return a copy of a value, changed from the inside out; `change` gets each value, its field and its key."""
    if isinstance(value, dict):
        items = {}
        for key, inner in value.items():
            name = f"{field}.{key}" if field else key
            items[key] = inner if key in inputs else walked(inner, name, inputs, change)
        return change(items, field)
    if isinstance(value, list):
        return change([walked(inner, f"{field}[{i}]", inputs, change) for i, inner in enumerate(value)], field)
    return change(value, field)


def altered(value: Any, inputs: frozenset[str] = INPUTS) -> tuple[Any, set[str]]:
    """Alter all leaves, and add a key to all objects; return the fields that differ by that."""
    fields: set[str] = set()

    def change(inner: Any, field: str) -> Any:
        if isinstance(inner, dict):
            fields.add(f"{field}.novelty" if field else "novelty")
            return {**inner, "novelty": 1}
        if isinstance(inner, list):
            return inner
        fields.add(field)
        return other(inner)

    return walked(value, "", inputs, change), fields


def misspelt(value: Any, inputs: frozenset[str] = INPUTS) -> tuple[Any, set[str]]:
    """Misspell the key of every leaf."""
    fields: set[str] = set()

    def change(inner: Any, field: str) -> Any:
        if not isinstance(inner, dict):
            return inner
        found = {}
        for key, leaf in inner.items():
            if key in inputs or isinstance(leaf, dict | list):
                found[key] = leaf
            else:
                found[f"{key}~"] = leaf
                fields.update({f"{field}.{key}", f"{field}.{key}~"} if field else {key, f"{key}~"})
        return found

    return walked(value, "", inputs, change), fields


def lengthened(value: Any, inputs: frozenset[str] = INPUTS) -> tuple[Any, set[str]]:
    """Append to every list of leaves."""
    fields: set[str] = set()

    def change(inner: Any, field: str) -> Any:
        if not isinstance(inner, list) or any(isinstance(item, dict) for item in inner):
            return inner
        fields.add(f"{field}.length")
        return [*inner, "novelty"]

    return walked(value, "", inputs, change), fields


DAMAGES = [altered, misspelt, lengthened]


def check(path: Path, data: Any, world: World) -> list[Difference]:
    path.write_text(json.dumps(data))
    return list(check_file(path, world).differences)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("harm", DAMAGES)
def test_every_damage_to_recorded_episodes_is_noticed(
    harm: Any, name: str, shared: Path, release: World, tmp_path: Path
) -> None:
    data = read(shared / "golden" / f"{name}.json.gz")
    path = tmp_path / "damaged.json"
    episodes = data.pop("episodes")
    whole, fields = harm(data)
    expected = {(str(path), "", field) for field in fields}
    damaged = []
    for episode in episodes:
        query_id, steps = episode["query_id"], []
        for number, step in enumerate(episode.pop("steps"), 1):
            harmed, fields = harm(step)
            steps.append(harmed)
            expected |= {(str(path), f"{query_id}, step {number}", field) for field in fields}
        harmed, fields = harm(episode)
        # The query of the evaluation is no input, that of the episode is.
        damaged.append({**harmed, "steps": steps})
        expected |= {(str(path), query_id, field) for field in fields}
    found = check(path, {**whole, "episodes": damaged}, release)
    got = {(difference.file, difference.place, difference.field) for difference in found}
    assert got == expected
    assert len(found) == len(got) > 100


def test_a_wrong_query_in_an_evaluation_is_noticed(shared: Path, release: World, tmp_path: Path) -> None:
    data = read(shared / "golden" / "default.json.gz")
    data["episodes"][0]["evaluation"]["query_id"] = "x"
    (difference,) = check(tmp_path / "damaged.json", data, release)
    assert difference.field == "evaluation.query_id"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e["steps"].append(e["steps"][-1]), 'expected "another step", got "the end of the episode'),
        (lambda e: e["steps"].pop(), ', status: expected "completed", got "running"'),
        (lambda e: e["steps"].pop(0), ", step 1"),
        (lambda e: e["steps"][0].update(raw="nothing"), ', step 1, action: expected "retrieve_tools", got "others"'),
    ],
)
def test_steps_too_many_or_too_few(change, message: str, shared: Path, release: World, tmp_path: Path) -> None:
    data = read(shared / "golden" / "default.json.gz")
    change(data["episodes"][0])
    assert any(message in str(difference) for difference in check(tmp_path / "damaged.json", data, release))


def test_other_queries_than_the_sample_are_noticed(shared: Path, release: World, tmp_path: Path) -> None:
    data = read(shared / "golden" / "default.json.gz")
    data["episodes"][0], data["episodes"][1] = data["episodes"][1], data["episodes"][0]
    found = check(tmp_path / "damaged.json", data, release)
    assert [difference.field for difference in found] == ["query_id[0]", "query_id[1]"]


@pytest.mark.parametrize("harm", DAMAGES)
def test_every_damage_to_a_plan_is_noticed(harm: Any, shared: Path, release: World, tmp_path: Path) -> None:
    entry = read(shared / "golden" / "block_plans.json.gz")["random_multi_2"]
    task_id, plan = next(iter(entry["plans"].items()))
    path = tmp_path / "damaged.json"
    usual = check(path, {"some": {**entry, "plans": {task_id: plan}}}, release)
    damaged, fields = harm(plan)
    damaged["blocked"].pop("novelty", None)
    found = check(path, {"some": {**entry, "plans": {task_id: damaged}}}, release)
    assert all(difference.place == "some" for difference in found)
    new = [difference for difference in found if difference not in usual]
    assert len(new) == len(fields - {"blocked.novelty"}) > 3
    assert all(difference.field.startswith(f"plans.{task_id}.") for difference in new)


@pytest.mark.parametrize("part", ["tools", "kinds"])
def test_the_order_of_a_plan_counts(part: str, shared: Path, release: World, tmp_path: Path) -> None:
    data = read(shared / "golden" / "block_plans.json.gz")
    data = {"random_multi_2": data["random_multi_2"]}
    blocked = data["random_multi_2"]["plans"]["retail_task_0001"]["blocked"]
    first = next(iter(blocked))
    if part == "tools":
        blocked[first] = blocked.pop(first)
    else:
        blocked[first].reverse()
    found = check(tmp_path / "damaged.json", data, release)
    assert found and all(".retail_task_0001.blocked[" in difference.field for difference in found)


def test_a_plan_that_is_missing_is_noticed(shared: Path, release: World, tmp_path: Path) -> None:
    data = read(shared / "golden" / "block_plans.json.gz")
    entry = data["exact_block_3"]
    del entry["plans"]["retail_task_0001"]
    entry["novelty"] = 1
    path = tmp_path / "damaged.json"
    found = [str(difference) for difference in check(path, {"exact_block_3": entry}, release)]
    assert f"{path}, exact_block_3, tasks.length: expected 326, got 327" in found
    assert f"{path}, exact_block_3, novelty: expected 1, got absent" in found


def test_minimal_tool_sets(shared: Path, release: World, tmp_path: Path) -> None:
    path = shared / "golden" / "minimal_tool_sets.json"
    checked = check_file(path, release)
    assert (checked.kind, checked.count, checked.differences) == ("tasks' minimal tool sets", 164, ())
    data = dict(list(json.loads(path.read_text()).items())[:3])
    for key in ("count", "count_up_to_9_tools", "shortest", "longest"):
        for entry in data.values():
            entry[key] = (entry[key] or 0) + 1
    found = check(tmp_path / "damaged.json", data, release)
    assert len(found) == 4 * 3


def test_a_wrong_phrase_is_noticed(shared: Path, release: World, tmp_path: Path) -> None:
    data = read(shared / "golden" / "phrase_to_datatype.json")
    phrase = next(iter(data))
    right = data[phrase]
    data[phrase] = "refund_id" if right != "refund_id" else "order_id"
    found = check(tmp_path / "damaged.json", data, release)
    assert list(map(str, found)) == [f'{tmp_path / "damaged.json"}, {phrase}: expected "{data[phrase]}", got "{right}"']


@pytest.mark.parametrize(
    ("expected", "got", "texts"),
    [
        (1.0, 1.0 + 1e-13, []),
        (1.0, 1.0 + 1e-11, ["f, a: expected 1.0, got 1.00000000001"]),
        (1, 1.0, ["f, a: expected 1, got 1.0"]),
        (1, True, ["f, a: expected 1, got true"]),
        (None, 0, ["f, a: expected null, got 0"]),
        ([1, 2], [2, 1], ["f, a[0]: expected 1, got 2", "f, a[1]: expected 2, got 1"]),
        ([1], [], ["f, a.length: expected 1, got 0"]),
        ({"x": {"y": 1}}, {"x": {}}, ["f, a.x.y: expected 1, got absent"]),
        ({}, {"x": "é"}, ['f, a.x: expected absent, got "é"']),
        ({"x": 1, "y": 2}, {"y": 2, "x": 1}, []),
        ([], {}, ["f, a: expected [], got {}"]),
    ],
)
def test_compare(expected: Any, got: Any, texts: list[str]) -> None:
    assert [str(difference) for difference in Place("f").compare(expected, got, "a")] == texts


def test_long_values_are_shortened() -> None:
    (difference,) = Place("f", "q").compare("a" * 500, "b")
    assert len(str(difference)) < 200


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "isn't JSON"),
        (b"\x1f\x8b\x08\x00", "can't be read"),
        (b"[]", "holds neither recorded episodes, nor block plans, phrases"),
        (b"{}", "holds neither"),
        (b'{"a": 1}', "holds neither"),
        (b'{"episodes": []}', "isn't laid out as recorded files are"),
        (b'{"episodes": [7], "config": {}}', "isn't laid out as recorded files are"),
        (b'{"x": {"plans": {"t": {}}, "config": {"target_remaining_paths": 1}}}', "isn't laid out as recorded"),
    ],
)
def test_what_is_no_record_is_refused(content: bytes, message: str, tmp_path: Path, release: World) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=message):
        check_file(path, release)


def test_missing_files_are_refused(tmp_path: Path, release: World) -> None:
    with pytest.raises(StoreError, match="can't be read"):
        check_file(tmp_path / "missing.json", release)
    with pytest.raises(StoreError, match="no output folder"):
        check_file(tmp_path, release)


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["conformance", *map(str, arguments)])
    out, err = capsys.readouterr()
    return end.value.code, out, err


def test_the_command(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = shared / "release"
    good = shared / "golden" / "default.json.gz"
    status, out, err = command(capsys, good, "--world", world)
    assert (status, out, err) == (0, f"{good}: 24 episodes: as recorded.\n", "")
    data = read(good)
    data["episodes"][2]["steps"][0]["tools"].reverse()
    data["metrics"]["correct_count"] = 7
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(data))
    status, out, err = command(capsys, good, bad, "--world", world)
    lines = out.splitlines()
    assert (status, err) == (1, "")
    assert lines[0] == f"{good}: 24 episodes: as recorded."
    assert lines[1].startswith(f'{bad}, {data["episodes"][2]["query_id"]}, step 1, tools[0]: expected "get_')
    assert lines[-2] == f"{bad}, metrics.correct_count: expected 7, got 18"
    assert lines[-1] == f"{bad}: 24 episodes: {len(lines) - 2} differences."
    status, out, _ = command(capsys, bad, "--world", world, "--json")
    report = json.loads(out)
    assert (status, report["differences"]) == (1, len(lines) - 2)
    assert report["files"][0]["differences"][-1] == {
        "file": str(bad),
        "place": "",
        "field": "metrics.correct_count",
        "expected": "7",
        "got": "18",
    }


def test_wrong_uses_of_the_command(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(capsys)[0] == 2
    assert command(capsys, shared / "golden" / "default.json.gz")[0] == 2
    status, _, err = command(capsys, tmp_path / "missing.json", "--world", "mini")
    assert status == 1 and "can't be read" in err
    status, _, err = command(capsys, shared / "golden" / "default.json.gz", "--world", "mini")
    assert status == 2 and "no query 'retail_query_0013'" in err
