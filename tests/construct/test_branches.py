"""Domains with several branches."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from planbench_xl.audit import Level, audit
from planbench_xl.construct import Domain, DomainError, Knobs, Recipe, build_world
from planbench_xl.construct.branches import widen
from planbench_xl.paths import ToolGraph, reachable
from planbench_xl.retrieval import PhraseMatcher
from planbench_xl.world import World
from planbench_xl.world.validate import validate

KNOBS = Knobs(records=60, tools=100, queries=40, lengths={"3": 20, "4": 12, "5": 8}, branches=3)


@pytest.fixture(scope="module")
def wide(tiny: Domain) -> World:
    return build_world(tiny, Recipe(tiny.name, "", 7, "template", KNOBS))


def test_one_branch_is_the_domain_itself(tiny: Domain) -> None:
    assert widen(tiny, 1) is tiny


def test_every_branch_has_datatypes_of_its_own(tiny: Domain) -> None:
    wide = widen(tiny, 3)
    assert tiny.branches is not None
    assert len(wide.fields) == 3 * len(tiny.fields) + 2 * len(tiny.branches.bridge.field)
    aliases = Counter(alias for field in wide.fields.values() for alias in field.aliases)
    assert max(aliases.values()) == 1
    matcher = PhraseMatcher([wide.datatype(field, None) for field in wide.fields.values()])
    for field in wide.fields.values():
        assert {matcher.match(text) for text in (*field.aliases, *field.says)} == {field.name}


def test_values_start_from_the_branches_own_fields(tiny: Domain) -> None:
    wide = widen(tiny, 2)
    for name, field in tiny.fields.items():
        base = tiny.makers[name].base
        assert wide.makers[f"{name}_2"].base == (f"{base}_2" if base else None), field.make


def test_branches_are_joined(tiny: Domain, wide: World) -> None:
    graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in wide.executable)
    root = tiny.entity[0].identifier.name
    assert f"{root}_3" in reachable(graph, [f"{root}_1"])
    assert f"{root}_1" not in reachable(graph, [f"{root}_3"])
    numbers = [{name.rpartition("_")[2] for name in (*task.inputs, *task.targets)} for task in wide.tasks]
    assert {"1", "2", "3"} == set().union(*numbers)
    assert any(len(found) > 1 for found in numbers)


def test_a_wide_world_is_sound(wide: World) -> None:
    assert not validate(wide)
    assert not audit(wide).at_least(Level.WARNING)
    assert len({tool.name for tool in wide.tools}) == len(wide.tools) == 9 * len(wide.executable)


def test_too_many_branches(tiny: Domain) -> None:
    with pytest.raises(DomainError, match="has 4 branches, not 9"):
        widen(tiny, 9)
    with pytest.raises(DomainError, match="has 0 branches, not 2"):
        widen(msgspec.structs.replace(tiny, branches=None), 2)


def test_names_that_are_taken_for_each_other(tiny: Domain) -> None:
    assert tiny.branches is not None
    alike = msgspec.structs.replace(tiny.branches, names=("Pier", "pier"))
    with pytest.raises(DomainError):
        widen(msgspec.structs.replace(tiny, branches=alike), 2)


def test_texts_name_the_branch(tiny: Domain) -> None:
    wide = widen(tiny, 2)
    field = wide.fields["trip_slip_2"]
    assert field.aliases[0] == "eastpier booking number"
    assert field.given == ("Eastpier booking {}", "the Eastpier hire booked as {}")
    assert field.says[0] == "the booking in Eastpier"
    for name, other in wide.fields.items():
        branch = "Northhaven" if name.endswith("_1") else "Eastpier"
        texts = (other.description, *other.says, *other.given, *other.asked, *other.question)
        assert all(branch in text for text in texts), name
        assert all(near.says.find(branch) > 0 for near in other.near)
