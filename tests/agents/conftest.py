from __future__ import annotations

import pytest

from planbench_xl.world import World
from tests.agents.worlds import garage as make_garage
from tests.agents.worlds import pairs as make_pairs


@pytest.fixture(scope="session")
def garage() -> World:
    return make_garage()


@pytest.fixture(scope="session")
def pairs() -> World:
    return make_pairs()
