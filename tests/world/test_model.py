import msgspec
import pytest

from planbench_xl.world import BLOCK_KINDS, DISTRACTOR_KINDS, FAILING_KINDS, Kind, Role, World, text_form


def test_entries_cannot_be_changed(mini: World) -> None:
    with pytest.raises(AttributeError):
        mini.tools[0].name = "other"  # type: ignore[misc]


def test_kinds_are_split_between_the_two_roles() -> None:
    assert set(DISTRACTOR_KINDS) | set(BLOCK_KINDS) == set(Kind)
    assert len(DISTRACTOR_KINDS) == 5
    assert BLOCK_KINDS == (Kind.EXPLICIT, Kind.IMPLICIT, Kind.MISLEADING)
    assert {Kind.EXPLICIT, Kind.DEPRECATED, Kind.CONDITION_LIMITED} == FAILING_KINDS


def test_look_ups_by_name(mini: World) -> None:
    assert all(mini.tool[tool.name] is tool for tool in mini.tools)
    assert all(mini.datatype[datatype.name] is datatype for datatype in mini.datatypes)
    assert all(mini.task[task.task_id] is task for task in mini.tasks)
    assert all(mini.query[query.query_id] is query for query in mini.queries)
    assert mini.tool_sets == {entry.task_id: entry.tool_sets for entry in mini.paths}


def test_executable_tools_are_sorted_and_of_that_role(mini: World) -> None:
    names = [tool.name for tool in mini.executable]
    assert names == sorted(names)
    assert {tool.role for tool in mini.executable} == {Role.EXECUTABLE}


def test_imitations_are_grouped_by_source(mini: World) -> None:
    assert set(mini.distractors) == set(mini.alternatives) == {tool.name for tool in mini.executable}
    for tools in mini.distractors.values():
        names = [tool.name for tool in tools]
        assert names == sorted(names)
    assert sum(map(len, mini.distractors.values())) == sum(t.role is Role.DISTRACTOR for t in mini.tools)
    for tools in mini.alternatives.values():
        assert tuple(tool.kind for tool in tools) == BLOCK_KINDS


def test_a_tool_without_imitations_has_empty_groups(mini: World) -> None:
    bare = msgspec.structs.replace(mini, tools=mini.executable)
    assert set(bare.distractors.values()) == set(bare.alternatives.values()) == {()}


def test_inputs_and_outputs_are_datatypes_in_order(mini: World) -> None:
    tool = mini.tool["get_service_point_and_return_deadline_from_overdue_reminder"]
    assert tool.inputs == ("notice_id",)
    assert tool.output_datatypes == ("branch_id", "loan_due_at")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a b", "a b"),
        (42, "42"),
        (42.0, "42.0"),
        (True, "True"),
        (None, "None"),
        ({"b": 1, "a": "é"}, '{"a": "é", "b": 1}'),
        ([1, "x"], '[1, "x"]'),
    ],
)
def test_text_form(value: object, text: str) -> None:
    assert text_form(value) == text
