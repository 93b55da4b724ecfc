from __future__ import annotations

from collections import Counter

from planbench_xl.judging import normalise
from planbench_xl.retrieval import PhraseMatcher
from planbench_xl.world import BLOCK_KINDS, DISTRACTOR_KINDS, FAILING_KINDS, Kind, Role, World, text_form


def test_every_tool_has_all_kinds_of_imitations(world: World) -> None:
    for tool in world.executable:
        assert Counter(other.kind for other in world.distractors[tool.name]) == Counter(DISTRACTOR_KINDS)
        assert tuple(other.kind for other in world.alternatives[tool.name]) == BLOCK_KINDS
        for other in (*world.distractors[tool.name], *world.alternatives[tool.name]):
            assert sorted(other.inputs) == sorted(tool.inputs)
            assert (other.output_datatypes == tool.output_datatypes) == (other.kind is not Kind.MISLEADING)


def test_names_are_made_by_rule_and_tell_no_role(world: World) -> None:
    names = [tool.name for tool in world.tools]
    assert len(set(names)) == len(names)
    assert all(name.startswith("get_") and "_from_" in name for name in names)
    plain = {word for tool in world.executable for word in tool.name.split("_")}
    for tool in world.tools:
        if tool.role is not Role.EXECUTABLE and tool.kind is not Kind.MISLEADING:
            assert set(tool.name.split("_")) <= plain


def test_no_description_is_given_twice(world: World) -> None:
    assert max(Counter(tool.description.casefold() for tool in world.tools).values()) == 1


def test_no_imitation_says_what_is_true(world: World) -> None:
    true = {name: {text_form(r.values[name]) for r in world.records} for name in world.datatype}
    for tool in world.tools:
        if tool.role is Role.EXECUTABLE or tool.kind in FAILING_KINDS or tool.kind is Kind.MISLEADING:
            continue
        assert text_form(tool.return_value) not in true[tool.output_datatypes[0]], tool.name


def test_wrong_values_and_answers_are_no_part_of_each_other(world: World) -> None:
    golds = [(name, normalise(value)) for query in world.queries for name, value in query.answers.items()]
    for tool in world.tools:
        if tool.role is Role.EXECUTABLE:
            continue
        said = normalise(tool.return_value)
        for name, gold in golds:
            if name in tool.output_datatypes:
                assert said not in gold
                assert gold not in said


def test_silent_failures_often_look_right(world: World) -> None:
    values = [tool for tool in world.tools if tool.kind is Kind.IMPLICIT]
    shapes = 0
    for tool in values:
        example = text_form(world.datatype[tool.output_datatypes[0]].example)
        shapes += len(text_form(tool.return_value)) == len(example)
    assert 0.3 < shapes / len(values) < 0.95


def test_retrieval_understands_what_agents_read(world: World) -> None:
    matcher = PhraseMatcher(world.datatypes)
    for tool in world.executable:
        for argument in tool.arguments:
            assert matcher.match(argument.name) == argument.datatype
            assert matcher.match(argument.description) == argument.datatype
        for output in tool.outputs:
            assert matcher.match(output.label) == output.datatype
            assert matcher.match(output.description) == output.datatype
