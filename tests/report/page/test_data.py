"""What the page's files hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.analysis import analyse_episode
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.report.page import PageWriter, is_page
from planbench_xl.report.page.making import LONGEST, Numbers, cut, episode_data, json_text, run_key, world_data
from planbench_xl.report.page.writing import script
from planbench_xl.world import World
from tests.report.page.conftest import HOSTILE, HUGE, add, called_too_early, hostile_episodes, hostile_run


def read(path: Path) -> Any:
    """Return what a data file hands over, and check that it does so under the name of its place."""
    text = path.read_text(encoding="utf-8")
    found = re.fullmatch(r'planbench\("([a-z0-9/]+)",(.*)\);\n', text, re.DOTALL)
    assert found and path.as_posix().endswith(f"data/{found[1]}.js")
    return json.loads(found[2])


def test_overview(folder: Path, mini: World) -> None:
    data = read(folder / "data" / "overview.js")
    runs = {run["label"]: run for run in data["runs"]}
    assert list(runs) == ["oracle-default", "oracle-one-path", "random-default", "random-one-path", "stray", HOSTILE]
    oracle = runs["oracle-default"]
    assert [row[0] for row in data["metrics"]][:3] == ["accuracy", "egt_precision", "turns"]
    assert oracle["figures"][0] == [1.0, 0.9, 1.0]
    assert (oracle["scored"], oracle["succeeded"]) == (len(mini.queries), len(mini.queries))
    assert sum(row[1] for row in oracle["lengths"]) == len(mini.queries)
    assert oracle["world"]["fingerprint"] == mini.fingerprint
    assert sum(count for _, count, _ in runs["stray"]["categories"]) == 1
    assert runs[HOSTILE]["errors"] == 1 and not runs[HOSTILE]["complete"]


def test_rows_lead_to_their_episodes(folder: Path) -> None:
    data = folder / "data"
    for run in read(data / "overview.js")["runs"]:
        for query, epoch, status, *_, chunk in read(data / "runs" / f"{run['key']}.js")["rows"]:
            found = [e for e in read(data / "runs" / run["key"] / f"{chunk}.js") if e["query_id"] == query]
            assert [(e["epoch"], e["status"]) for e in found if e["epoch"] == epoch] == [(epoch, status)]


def test_an_episode_turn_by_turn(mini: World) -> None:
    (episode,) = called_too_early(mini).episodes
    data = episode_data(mini, episode, analyse_episode(mini, episode), Numbers(mini))
    search, first, second, last = data.turns
    assert [mini.tools[i].name for i in search.tools or ()] == list(episode.turns[0].tools or ())
    assert mini.datatypes[search.output or 0].name == mini.task[episode.task_id].targets[0]
    assert first.tool is not None and mini.tools[first.tool].name == (episode.turns[1].request or {})["name"]
    assert first.call is not None and not first.call.progress
    assert json.loads(second.request)["name"] == (episode.turns[2].request or {})["name"]
    assert last.answer is not None and last.answer.text == "no idea"


def test_whatever_a_model_wrote_is_a_string(mini: World) -> None:
    episode = hostile_episodes(mini)[0]
    data = episode_data(mini, episode, analyse_episode(mini, episode), Numbers(mini))
    invalid, _, called, huge, _ = data.turns
    assert invalid.raw == HOSTILE
    assert called.name == HOSTILE and called.tool == -1
    assert json.loads(called.request)["arguments"]["big"] == 2**70
    assert huge.raw_length == HUGE and len(huge.raw) < LONGEST + 100


def test_world(mini: World) -> None:
    data = world_data(mini, Numbers(mini))
    imitation = next(tool for tool in data.tools if tool.role == "distractor")
    assert data.tools[imitation.source].role == "executable"
    for task in data.tasks:
        assert {tuple(sorted(mini.tools[i].name for i in tools)) for tools in task.sets} >= {
            tuple(sorted(tools)) for tools in mini.tool_sets[task.task_id]
        }
        assert task.listed == len(mini.tool_sets[task.task_id])


def test_no_file_holds_markup_or_line_ends_of_scripts(folder: Path) -> None:
    files = list((folder / "data").rglob("*.js"))
    assert len(files) > 10
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search("[<\u2028\u2029\x00]", text), path
        assert text.count("\n") == 1
        assert "window.pwned" not in path.name
    assert any("\\u003c/script>" in path.read_text(encoding="utf-8") for path in files)


def test_scripts_keep_their_value() -> None:
    for text in (HOSTILE, "\\<", "\\\\</script>", "\\\u2028", "ü<"):
        written = script("x", json.dumps(text, ensure_ascii=False).encode())
        assert json.loads(written.decode()[len('planbench("x",') : -len(");\n")]) == text


def test_texts() -> None:
    assert cut("a" * LONGEST) == "a" * LONGEST
    assert cut("a" * (LONGEST + 1)).endswith(f"cut: {LONGEST + 1:,} characters in all")
    assert cut("ü\ud800") == "ü?"
    assert json_text({"a": "\ud800"}) == '{"a":"\\ud800"}'
    assert run_key("../x") == run_key("../x") != run_key("x") and run_key("../x").isalnum()


def test_the_same_runs_give_the_same_bytes(mini: World, tmp_path: Path) -> None:
    for name in ("one", "two", "two"):
        page = PageWriter(tmp_path / name)
        add(page, called_too_early(mini))
        page.finish({"stray": "stray"})
    one, two = (
        {p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()} for f in sorted(tmp_path.iterdir())
    )
    assert one == two and is_page(tmp_path / "one") and not is_page(tmp_path)


def test_an_earlier_page_stays_until_the_new_one_is_whole(mini: World, tmp_path: Path) -> None:
    page = PageWriter(tmp_path)
    add(page, called_too_early(mini))
    page.finish({"stray": "stray"})
    (tmp_path / "report.json").write_text("{}")
    before = (tmp_path / "data" / "overview.js").read_bytes()
    page = PageWriter(tmp_path)
    add(page, hostile_run(mini))
    assert (tmp_path / "data" / "overview.js").read_bytes() == before
    page.finish({HOSTILE: "other"})
    assert [run["agent"] for run in read(tmp_path / "data" / "overview.js")["runs"]] == ["other"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["app", "data", "index.html", "report.json"]


def test_what_a_killed_worker_left_is_replaced(mini: World, tmp_path: Path) -> None:
    page = PageWriter(tmp_path)
    add(page, called_too_early(mini))
    folder = next((tmp_path / ".data.new" / "runs").glob("*/"))
    (folder / "0.js").write_text("torn")
    (folder / "7.js").write_text("of another world")
    add(page, called_too_early(mini))
    page.finish({"stray": "stray"})
    (folder,) = (path for path in (tmp_path / "data" / "runs").iterdir() if path.is_dir())
    assert [path.name for path in folder.iterdir()] == ["0.js"] and "torn" not in (folder / "0.js").read_text()


def test_wrong_uses(mini: World, tmp_path: Path) -> None:
    page = PageWriter(tmp_path / "page")
    with pytest.raises(UsageError, match="nothing to show"):
        page.finish({})
    with pytest.raises(UsageError, match="'x' wasn't added"):
        page.finish({"x": "x"})
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can't be written"):
        PageWriter(tmp_path / "file")
