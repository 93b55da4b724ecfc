"""A small domain, and the world that it gives."""

from __future__ import annotations

import pytest

from planbench_xl.construct import Domain, Knobs, Recipe, build_world, load_domain
from planbench_xl.construct.reading import EXAMPLE
from planbench_xl.world import World

TINY = EXAMPLE
KNOBS = Knobs(records=60, tools=36, queries=20, lengths={"3": 10, "4": 6, "5": 4})


@pytest.fixture(scope="session")
def tiny() -> Domain:
    return load_domain(TINY)[0]


@pytest.fixture(scope="session")
def recipe() -> Recipe:
    domain, digest = load_domain(TINY)
    return Recipe(domain.name, digest, 7, "template", KNOBS)


@pytest.fixture(scope="session")
def world(tiny: Domain, recipe: Recipe) -> World:
    return build_world(tiny, recipe)
