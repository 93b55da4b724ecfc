"""Finding and reading runs of every kind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from planbench_xl.errors import StoreError, UsageError
from planbench_xl.runs.loading import find_runs, load_run, load_runs, preset_of
from planbench_xl.runs.presets import load_setting, presets
from planbench_xl.runs.run import run
from planbench_xl.world import World


@pytest.fixture(scope="module")
def folder(mini: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loading")
    for agent in ("oracle", "random"):
        for setting in ("default", "one-path"):
            run(mini, folder / agent / setting, agent=agent, setting=load_setting(setting), source="mini")
    return folder


def test_labels_are_the_shortest_that_tell_apart(folder: Path) -> None:
    assert [source.label for source in find_runs([folder / "oracle"])] == ["default", "one-path"]
    labels = ["oracle/default", "oracle/one-path", "random/default", "random/one-path"]
    assert [source.label for source in find_runs([folder])] == labels
    assert [source.kind for source in find_runs([folder / "oracle" / "default"])] == ["run"]


def test_a_run_is_read_whole_and_its_world_once(folder: Path, mini: World) -> None:
    runs = load_runs([folder])
    assert len({id(run.world) for run in runs}) == 1
    assert (runs[1].agent, runs[1].setting, runs[1].protocol) == ("oracle", "one-path", "text/1")
    assert len(runs[0].episodes) == runs[0].expected == len(mini.queries)
    assert runs[1].details is not None and runs[1].details.blocking.enabled


def test_what_is_no_run(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no run"):
        find_runs([tmp_path])
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(StoreError, match="is no run"):
        find_runs([tmp_path / "notes.txt"])
    with pytest.raises(UsageError, match="named twice"):
        find_runs([folder / "oracle", folder / "oracle" / "default"])


def test_a_folder_with_other_things_in_it(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "oracle", tmp_path / "suite")
    (tmp_path / "suite" / "report").mkdir()
    (tmp_path / "suite" / "readme.md").write_text("")
    assert len(find_runs([tmp_path])) == 2


def test_the_release_output(shared: Path) -> None:
    source = shared / "golden" / "output_folder"
    (run,) = load_runs([source], str(shared / "release"))
    assert (run.agent, run.setting, run.expected) == ("gpt-5.4", "one-path", 24)
    with pytest.raises(UsageError, match="give --world"):
        load_run(find_runs([source])[0])


def test_presets_are_known_again() -> None:
    for name, preset in presets().items():
        assert preset_of(preset.setting) == name
    assert preset_of(load_setting("one-path", ["name=mine", "seed=1000", "blocking.planner=reference"])) == "one-path"
    assert preset_of(load_setting("one-path", ["exploration_budget=17"])) is None
