"""Fixtures for all tests: the shared data of the published benchmark and the packaged mini world."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from planbench_xl.world import World, load_world

REPOSITORY = Path(__file__).parent.parent


# How long an example takes says more about the machine than about the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with the published release and the recorded behaviour; tests that need it are skipped without it."""
    folder = Path(os.environ.get("PLANBENCH_XL_SHARED") or REPOSITORY.parent / "shared").resolve()
    if not (folder / "release").is_dir():
        reason = f"{folder} has no `release` folder: set PLANBENCH_XL_SHARED to the folder with the shared data"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def mini() -> World:
    """The packaged world written by hand."""
    return load_world("mini")


@pytest.fixture(scope="session")
def release(shared: Path) -> World:
    """The published release."""
    return load_world(shared / "release")
