"""The worlds in the package are what the pipeline makes of the domain files in it."""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec
import pytest

from planbench_xl.audit import Level, audit
from planbench_xl.construct import Recipe, build_world, load_domain
from planbench_xl.world import find_world, load_world, text_form

SHIPPED = ("hospital", "retail")


@pytest.mark.parametrize("name", SHIPPED)
def test_size(name: str) -> None:
    world = load_world(name)
    assert len(world.datatypes) >= 64
    assert len(world.executable) >= 220
    assert len(world.tools) >= 2_000
    assert len(world.queries) >= 500
    lengths = Counter(task.shortest_length for task in world.tasks)
    assert min(lengths) == 5
    assert max(lengths) >= 10
    assert all(lengths[length] >= 20 for length in range(5, 11))
    assert all(path.stat().st_size < 3_000_000 for path in find_world(name).iterdir())


@pytest.mark.parametrize("name", SHIPPED)
def test_guessing_the_most_frequent_value_is_no_use(name: str) -> None:
    world = load_world(name)
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for record in world.records:
        for datatype, value in record.values.items():
            values[datatype][text_form(value)] += 1
    right = sum(
        all(text_form(value) == values[datatype].most_common(1)[0][0] for datatype, value in query.answers.items())
        for query in world.queries
    )
    assert right / len(world.queries) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_rebuilding_gives_the_same_world(name: str) -> None:
    recipe = msgspec.convert(load_world(name).recipe, Recipe)
    domain, digest = load_domain(name)
    assert digest == recipe.domain_sha256
    assert build_world(domain, recipe).fingerprint == load_world(name).fingerprint


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_the_audit_is_clean(name: str) -> None:
    assert not audit(load_world(name)).at_least(Level.WARNING)
