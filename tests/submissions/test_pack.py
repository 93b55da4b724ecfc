from __future__ import annotations

from pathlib import Path

import pytest

from planbench_xl.errors import StoreError, SubmissionError
from planbench_xl.runs.run import run
from planbench_xl.submissions import pack

from .conftest import read


def test_same_run_same_bytes(run_folder: Path, archive: Path, tmp_path: Path) -> None:
    assert pack(run_folder, tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_default_place_and_name(run_folder: Path) -> None:
    path = pack(run_folder, name="Näme <b>")
    assert path == run_folder.with_name("explorer.pbxl.zip")
    assert read(path)["claim"]["name"] == "Näme <b>"


def test_no_path_of_this_machine(tmp_path: Path) -> None:
    from shutil import copytree

    from planbench_xl.world import find_world

    copytree(find_world("mini"), tmp_path / "secret-place")
    run(str(tmp_path / "secret-place"), tmp_path / "run", agent="do-nothing")
    content = pack(tmp_path / "run", tmp_path / "x.zip")
    assert str(tmp_path) not in str(read(content))


def test_incomplete_runs_are_refused(tmp_path: Path) -> None:
    run("mini", tmp_path / "part", agent="do-nothing", queries=_first_query())
    with pytest.raises(SubmissionError, match=r"leaves out.*--limit"):
        pack(tmp_path / "part")


def _first_query() -> list[str]:
    from planbench_xl.world import load_world

    return [load_world("mini").queries[0].query_id]


def test_missing_episodes_are_refused(run_folder: Path, tmp_path: Path) -> None:
    lines = (run_folder / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run.json").write_bytes((run_folder / "run.json").read_bytes())
    (tmp_path / "episodes.jsonl").write_bytes(b"".join(lines[1:]))
    with pytest.raises(SubmissionError, match=r"1 of \d+ episodes are missing.*Run the same command"):
        pack(tmp_path)


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no run"):
        pack(tmp_path)
