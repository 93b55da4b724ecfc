"""Two worlds side by side."""

from __future__ import annotations

import json

import msgspec
import pytest
from click.testing import CliRunner

from planbench_xl.audit.compare import Comparison, compare, distance, profile
from planbench_xl.cli import cli
from planbench_xl.construct import Knobs, Recipe, build_world, load_domain
from planbench_xl.construct.reading import EXAMPLE
from planbench_xl.world import World


def built(seed: int) -> World:
    domain, digest = load_domain(EXAMPLE)
    knobs = Knobs(records=60, tools=34, queries=20, lengths={"3": 10, "4": 6, "5": 4})
    return build_world(domain, Recipe(domain.name, digest, seed, "template", knobs))


@pytest.fixture(scope="module")
def seeds() -> Comparison:
    return compare(built(1), built(2))


def test_a_world_shares_all_with_itself(mini: World) -> None:
    found = compare(mini, mini)
    assert set(found.distances.values()) == {0.0}
    assert all(entry.count == entry.first == entry.second > 0 for entry in found.common)
    assert found.first == found.second
    assert found.recipe_differs == ()


def test_another_seed_has_the_same_shape_and_shares_nothing_that_helps(seeds: Comparison) -> None:
    assert seeds.first.counts.keys() == seeds.second.counts.keys()
    assert seeds.first.counts["tools"] == seeds.second.counts["tools"]
    assert seeds.distances["tools_by_role"] == seeds.distances["flawed_tools_by_kind"] == 0
    assert seeds.recipe_differs == ("seed",)
    common = {entry.what: entry for entry in seeds.common}
    assert common["datatypes"].count == common["datatypes"].first
    for what in ("records", "query texts", "questions about the same values"):
        assert common[what].count == 0, what
        assert common[what].helps
    assert common["tool descriptions"].count < 5
    assert common["values of datatypes that tell records apart"].count < 0.05 * 60 * 14


def test_distance() -> None:
    assert distance({"a": 1, "b": 1}, {"a": 2, "b": 2}) == 0
    assert distance({"a": 1}, {"b": 5}) == 1
    assert distance({"a": 3, "b": 1}, {"a": 1, "b": 3}) == 0.5
    assert distance({}, {}) == 0
    assert distance({}, {"a": 1}) == 1


def test_the_most_frequent_value(mini: World) -> None:
    assert profile(mini).most_frequent < 1
    query = mini.queries[0]
    (target,) = query.answers
    same = tuple(
        msgspec.structs.replace(record, values={**record.values, target: query.answers[target]})
        for record in mini.records
    )
    world = msgspec.structs.replace(mini, records=same, queries=(query, query))
    assert profile(world).most_frequent == 1
    assert profile(world).distinct_answers == 0.5


def test_the_command() -> None:
    result = CliRunner().invoke(cli, ["world", "compare", "mini", "retail"])
    assert result.exit_code == 0, result.output
    assert "tasks by shortest length" in result.output
    assert "The recipes differ in: recipe." in result.output
    result = CliRunner().invoke(cli, ["world", "compare", "mini", "mini", "--json"])
    assert json.loads(result.output)["distances"]["tools_by_role"] == 0
