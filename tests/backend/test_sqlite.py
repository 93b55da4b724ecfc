from __future__ import annotations

import sqlite3
from random import Random

import msgspec
import pytest

from planbench_xl.backend import Backend
from planbench_xl.world import Record, Tool, Value, World, text_form


def brute_force(world: World, tool: Tool, arguments: dict[str, Value]) -> set[tuple[str, ...]]:
    found = set()
    for record in world.records:
        inputs = [(record.values.get(a.datatype), arguments[a.name]) for a in tool.arguments]
        outputs = [record.values.get(name) for name in tool.output_datatypes]
        same = all(
            have is not None and want is not None and text_form(have) == text_form(want) for have, want in inputs
        )
        if same and None not in outputs:
            found.add(tuple(map(text_form, outputs)))
    return found


def test_look_ups_equal_a_scan_of_the_records(mini: World) -> None:
    rng = Random(0)
    backend = Backend(mini)
    for tool in mini.executable:
        for _ in range(40):
            arguments = {
                a.name: rng.choice(mini.records).values.get(a.datatype)
                if rng.random() < 0.5
                else mini.records[0].values.get(a.datatype)
                for a in tool.arguments
            }
            values = backend.lookup(tool, arguments).values
            assert {tuple(map(text_form, row)) for row in values} == brute_force(mini, tool, arguments)
            assert len(values) == len(brute_force(mini, tool, arguments))


def test_values_keep_their_type(mini: World) -> None:
    backend = Backend(mini)
    for tool in mini.executable:
        for record in mini.records:
            expected = tuple(record.values.get(name) for name in tool.output_datatypes)
            inputs = {a.name: record.values.get(a.datatype) for a in tool.arguments}
            if None not in expected and None not in inputs.values():
                (found,) = backend.lookup(tool, inputs).values
                assert [type(value) for value in found] == [type(value) for value in expected]


def test_numbers_may_come_as_text(mini: World) -> None:
    tool = mini.executable[0]
    arguments = {a.name: mini.records[0].values[a.datatype] for a in tool.arguments}
    as_text = {name: text_form(value) for name, value in arguments.items()}
    assert Backend(mini).lookup(tool, arguments) == Backend(mini).lookup(tool, as_text)


def test_ambiguous_look_up(mini: World) -> None:
    tool = mini.executable[0]
    first = mini.records[0]
    changed = {**first.values, tool.output_datatypes[0]: "something else"}
    world = msgspec.structs.replace(mini, records=(first, Record("again", changed)))
    arguments = {a.name: first.values[a.datatype] for a in tool.arguments}
    assert len(Backend(world).lookup(tool, arguments).values) == 2


@pytest.mark.parametrize("value", ["'; DROP TABLE records; --", '" OR 1=1', "%", "\x00", None, True, [1], {"a": 1}])
def test_hostile_arguments_find_nothing(mini: World, value: Value) -> None:
    backend = Backend(mini)
    for tool in mini.executable:
        assert backend.lookup(tool, {a.name: value for a in tool.arguments}).values == ()


def test_read_only(mini: World) -> None:
    backend = Backend(mini)
    tool = mini.executable[0]
    backend.lookup(tool, {a.name: "x" for a in tool.arguments})
    assert backend._connection is not None
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        backend._connection.execute("DELETE FROM t0")


def test_more_datatypes_than_a_table_holds(mini: World, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Backend(mini)
    monkeypatch.setattr("planbench_xl.backend.sqlite.TABLE_COLUMNS", 3)
    divided = Backend(mini)
    for tool in mini.executable:
        for record in mini.records:
            arguments = {a.name: record.values.get(a.datatype) for a in tool.arguments}
            assert divided.lookup(tool, arguments) == plain.lookup(tool, arguments)


def test_thousands_of_datatypes(mini: World) -> None:
    record = mini.records[0]
    more = tuple(msgspec.structs.replace(mini.datatypes[0], name=f"more_{number}") for number in range(2_500))
    values = {**record.values, **{datatype.name: datatype.name for datatype in more}}
    inputs = (mini.datatypes[0].name, "more_2499")
    arguments = tuple(
        msgspec.structs.replace(mini.executable[0].arguments[0], name=name, datatype=name) for name in inputs
    )
    output = msgspec.structs.replace(mini.executable[0].outputs[0], datatype="more_7")
    tool = msgspec.structs.replace(mini.executable[0], arguments=arguments, outputs=(output,))
    world = msgspec.structs.replace(
        mini,
        datatypes=(*mini.datatypes, *more),
        tools=(tool,),
        records=(msgspec.structs.replace(record, values=values),),
    )
    backend = Backend(world)
    assert backend.lookup(tool, {name: values[name] for name in inputs}).values == (("more_7",),)
    assert backend.lookup(tool, {inputs[0]: values[inputs[0]], inputs[1]: "x"}).values == ()
