"""`planbench-xl score`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from planbench_xl.cli import main
from planbench_xl.episodes.store import EPISODES, encode_episode, read_episodes
from planbench_xl.runs.run import run
from planbench_xl.world import World


def score(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["score", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, out, err


@pytest.fixture(scope="module")
def folder(mini: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "oracle-run"
    run(mini, folder, agent="oracle")
    return folder


def test_one_folder(folder: Path, mini: World, capsys) -> None:
    status, out, err = score(capsys, folder)
    assert (status, err) == (0, "")
    assert out.startswith("Run ") and "\noracle-run " in out and " 100.00 " in out
    assert f"{len(mini.queries)} of {len(mini.queries)} episodes scored (100.0%)" in out


def test_json_of_one_folder_and_of_several(folder: Path, tmp_path: Path, capsys) -> None:
    status, out, _ = score(capsys, folder, "--json")
    data = json.loads(out)
    assert (status, data["run"], data["metrics"]["accuracy"]["value"]) == (0, "oracle-run", 1.0)
    assert data["metrics"]["accuracy"]["low"] < 0.8 and data["metrics"]["accuracy"]["method"] == "wilson"
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    status, out, _ = score(capsys, folder, other, "--json", "--judge", "exact")
    runs = json.loads(out)["runs"]
    assert [(entry["run"], entry["judge"]) for entry in runs] == [("oracle-run", "exact"), ("other", "exact")]


def test_a_folder_of_runs_and_equal_names(folder: Path, tmp_path: Path, capsys) -> None:
    for name in ("one", "two"):
        shutil.copytree(folder, tmp_path / name)
    _, out, _ = score(capsys, tmp_path, "--json")
    assert [entry["run"] for entry in json.loads(out)["runs"]] == ["one", "two"]
    shutil.copytree(folder, tmp_path / "sub" / "one")
    _, out, _ = score(capsys, tmp_path / "one", tmp_path / "sub" / "one", "--json")
    assert [entry["run"] for entry in json.loads(out)["runs"]] == [f"{tmp_path.name}/one", "sub/one"]


def test_an_outcome_that_was_tampered_with(folder: Path, tmp_path: Path, capsys) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    episodes = read_episodes(copy)
    turns = tuple(turn for turn in episodes[0].turns if turn.action != "call")
    episodes[0] = msgspec.structs.replace(episodes[0], turns=turns)
    (copy / EPISODES).write_bytes(b"".join(map(encode_episode, episodes)))
    status, out, _ = score(capsys, copy)
    assert status == 1
    assert f"Recorded otherwise: 1 outcome ({episodes[0].query_id}#0)" in " ".join(out.split())
    assert " 90.91 " in out


def test_the_release_folder(shared: Path, capsys) -> None:
    output = shared / "golden" / "output_folder"
    status, out, err = score(capsys, output, "--world", shared / "release")
    assert (status, err) == (0, "")
    assert " 30.00*" in out and "INCOMPLETE: only 10 of 24 episodes scored (41.7%)" in out
    status, out, err = score(capsys, output)
    assert (status, out) == (2, "") and "give --world" in err
    status, out, err = score(capsys, output, "--world", "mini")
    assert (status, out) == (1, "") and "world 'mini' has no query 'retail_query_0013'" in err


def test_wrong_uses(folder: Path, tmp_path: Path, shared: Path, capsys) -> None:
    status, _, err = score(capsys, tmp_path / "missing")
    assert status == 1 and "holds no run" in err
    status, _, err = score(capsys, folder, "--world", shared / "release")
    assert status == 2 and "played on a world with fingerprint" in err
    assert score(capsys, folder, "--judge", "lenient")[0] == 2
    assert score(capsys, folder, "--jsn")[0] == 2
    assert score(capsys)[0] == 2


def test_without_numpy_a_line_says_how_to_get_intervals(folder: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("planbench_xl.cli.score.has_report_extra", lambda: False)
    monkeypatch.setattr("planbench_xl.runs.scores.find_spec", lambda name: None)
    status, out, _ = score(capsys, folder)
    assert status == 0 and "pip install 'planbench-xl[report]'" in out and "95 % intervals" not in out
