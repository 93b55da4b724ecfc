"""Runs of scripted agents to be reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.run import run
from planbench_xl.world import World

SETTINGS = ("default", "one-path", "one-path-explicit", "one-path-longest", "enforced-1", "disabled-0.4")


@pytest.fixture(scope="session")
def suites(mini: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two suites, and of one run with two epochs."""
    folder = tmp_path_factory.mktemp("suites")
    for agent in ("forward", "list-everything"):
        for setting in SETTINGS:
            run(mini, folder / agent / setting, agent=agent, setting=load_setting(setting), source="mini")
    run(mini, folder / "random" / "default", agent="random", epochs=2, source="mini")
    return folder
