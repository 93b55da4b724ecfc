"""Fixtures for tests of runs."""

from pathlib import Path

import msgspec
import pytest

from planbench_xl.episodes.store import read_episodes


def records(folder: Path) -> list[bytes]:
    """Return the episodes of a run folder without their times, in a fixed order."""
    return [msgspec.json.encode(msgspec.structs.replace(e, seconds=0.0)) for e in read_episodes(folder)]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in a folder of its own, so that none writes into the repository."""
    monkeypatch.chdir(tmp_path)
