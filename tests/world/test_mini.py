"""What the packaged mini world promises, checked by brute force."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import pytest

from planbench_xl.world import BLOCK_KINDS, DISTRACTOR_KINDS, Kind, Role, Tool, World, text_form

VARIANTS = {"v2", "v3", "pro", "lite", "plus", "max", "core", "go", "prime", "edge"}


def reached(start: Iterable[str], tools: Sequence[Tool]) -> set[str]:
    state = set(start)
    for _ in tools:
        for tool in tools:
            if state.issuperset(tool.inputs):
                state.update(tool.output_datatypes)
    return state


def minimal_sets(start: Sequence[str], targets: Sequence[str], tools: Sequence[Tool]) -> set[frozenset[str]]:
    """All inclusion-minimal tool sets, by trying every set; datatypes are bits, for speed."""
    bit: dict[str, int] = defaultdict(lambda: 1 << len(bit))

    def bits(names: Iterable[str]) -> int:
        return sum(bit[name] for name in names)

    steps = [(bits(tool.inputs), bits(tool.output_datatypes)) for tool in tools]
    first, goal = bits(start), bits(targets)
    found: list[frozenset[int]] = []
    for size in range(len(tools) + 1):
        for chosen in itertools.combinations(range(len(tools)), size):
            state, before = first, 0
            while state != before:
                before = state
                for index in chosen:
                    if steps[index][0] & state == steps[index][0]:
                        state |= steps[index][1]
            if state & goal == goal and not any(known.issubset(chosen) for known in found):
                found.append(frozenset(chosen))
    return {frozenset(tools[index].name for index in chosen) for chosen in found}


def phrase(name: str) -> str:
    return name.replace("_", " ")


@pytest.fixture(scope="module")
def aliases(mini: World) -> dict[str, str]:
    return {alias: datatype.name for datatype in mini.datatypes for alias in datatype.aliases}


def test_size(mini: World) -> None:
    assert 12 <= len(mini.executable) <= 16
    assert 14 <= len(mini.datatypes) <= 18
    assert 6 <= len(mini.tasks) <= 8
    assert 10 <= len(mini.queries) <= 12
    assert 8 <= len(mini.records) <= 10


def test_all_minimal_tool_sets_are_listed(mini: World) -> None:
    for task in mini.tasks:
        # Tools that can never be called lie on no path; without them there are fewer sets to try.
        state = reached(task.inputs, mini.executable)
        callable_tools = [tool for tool in mini.executable if state.issuperset(tool.inputs)]
        listed = mini.tool_sets[task.task_id]
        assert len(listed) >= 2
        assert {frozenset(tool_set) for tool_set in listed} == minimal_sets(task.inputs, task.targets, callable_tools)
        assert task.shortest_length == min(map(len, listed))


def test_lengths_and_shapes_of_tasks(mini: World) -> None:
    assert {task.shortest_length for task in mini.tasks} == {3, 4, 5, 6}
    assert sum(len(task.inputs) == 2 for task in mini.tasks) >= 2
    assert sum(len(task.targets) == 2 for task in mini.tasks) == 1


def test_every_input_of_a_task_is_needed(mini: World) -> None:
    for task in mini.tasks:
        for left_out in task.inputs:
            rest = set(task.inputs) - {left_out}
            assert reached(rest, mini.executable).isdisjoint(task.targets)


def test_any_listed_path_can_be_the_only_one_left(mini: World) -> None:
    for task in mini.tasks:
        listed = [frozenset(tool_set) for tool_set in mini.tool_sets[task.task_id]]
        for kept in listed:
            left = [
                tool for tool in mini.executable if tool.name in kept or tool.name not in frozenset().union(*listed)
            ]
            assert reached(task.inputs, left).issuperset(task.targets)
            assert [path for path in listed if path <= {tool.name for tool in left}] == [kept]


def test_four_blocked_tools_are_enough_to_leave_one_path(mini: World) -> None:
    for task in mini.tasks:
        listed = [frozenset(tool_set) for tool_set in mini.tool_sets[task.task_id]]
        names = sorted(frozenset().union(*listed))
        blocks = itertools.chain.from_iterable(itertools.combinations(names, size) for size in range(1, 5))
        assert any(sum(path.isdisjoint(block) for path in listed) == 1 for block in blocks)


def test_tools_of_all_shapes(mini: World) -> None:
    assert Counter(len(tool.inputs) for tool in mini.executable)[2] >= 2
    assert Counter(len(tool.inputs) for tool in mini.executable)[3] == 1
    assert Counter(len(tool.outputs) for tool in mini.executable)[2] == 1


def test_inputs_determine_outputs_and_no_fewer_would(mini: World) -> None:
    def several(tool: Tool, inputs: Sequence[str]) -> bool:
        answers = defaultdict(set)
        for record in mini.records:
            output = tuple(record.values[name] for name in tool.output_datatypes)
            if None not in output:
                answers[tuple(record.values[name] for name in inputs)].add(output)
        return any(len(values) > 1 for values in answers.values())

    for tool in mini.executable:
        assert not several(tool, tool.inputs)
        for left_out in tool.inputs:
            assert several(tool, [name for name in tool.inputs if name != left_out])


def test_every_setting_can_run(mini: World) -> None:
    for tool in mini.executable:
        assert tuple(other.kind for other in mini.alternatives[tool.name]) == BLOCK_KINDS
        assert len(mini.distractors[tool.name]) >= 2
    counts = Counter(tool.kind for tool in mini.tools if tool.role is Role.DISTRACTOR)
    assert set(counts) == set(DISTRACTOR_KINDS)
    assert min(counts.values()) >= 5


def test_no_imitation_returns_a_true_value(mini: World) -> None:
    true = {text_form(value) for record in mini.records for value in record.values.values()}
    for tool in mini.tools:
        if tool.role is Role.EXECUTABLE:
            continue
        value = tool.return_value
        assert value is not None
        values = value.values() if isinstance(value, dict) else [value]
        assert true.isdisjoint(map(text_form, values))
        if isinstance(value, dict):
            assert set(value) == {output.name for output in tool.outputs}


def test_failing_imitations_return_an_error_and_others_do_not(mini: World) -> None:
    for tool in mini.tools:
        fails = tool.kind in (Kind.DEPRECATED, Kind.CONDITION_LIMITED, Kind.EXPLICIT)
        assert text_form(tool.return_value).startswith("error: ") == fails


def test_misleading_alternatives_return_something_else(mini: World) -> None:
    for tool in mini.tools:
        if tool.kind is Kind.MISLEADING:
            assert mini.datatype.keys().isdisjoint(tool.output_datatypes)


def test_aliases_tell_datatypes_apart(mini: World, aliases: dict[str, str]) -> None:
    assert all(5 <= len(datatype.aliases) <= 8 for datatype in mini.datatypes)
    assert len(aliases) == sum(len(datatype.aliases) for datatype in mini.datatypes)
    assert aliases.keys().isdisjoint(map(phrase, mini.datatype))


def test_names_are_made_of_aliases(mini: World, aliases: dict[str, str]) -> None:
    for tool in mini.tools:
        for argument in tool.arguments:
            assert aliases[phrase(argument.name)] == argument.datatype
            assert f"`{phrase(argument.name)}`" in tool.description or tool.role is not Role.EXECUTABLE
        outputs, inputs = tool.name.removeprefix("get_").split("_from_")
        stem, _, last = inputs.rpartition("_")
        inputs = stem if last in VARIANTS else inputs
        assert [aliases[phrase(name)] for name in inputs.split("_and_")] == list(tool.inputs)
        if tool.kind is not Kind.MISLEADING:
            assert [aliases[phrase(name)] for name in outputs.split("_and_")] == list(tool.output_datatypes)
            assert [aliases[phrase(output.name)] for output in tool.outputs] == list(tool.output_datatypes)
            assert [phrase(output.name) for output in tool.outputs] == [output.label for output in tool.outputs]


def test_texts_name_no_datatype(mini: World) -> None:
    texts = [mini.overview, *(query.text for query in mini.queries)]
    for tool in mini.tools:
        texts += [tool.name, tool.description]
        for part in (*tool.arguments, *tool.outputs):
            texts += [part.name, part.description]
    for text in texts:
        for name in mini.datatype:
            assert name not in text
            assert phrase(name) not in text.lower()


def test_no_two_texts_are_alike(mini: World) -> None:
    for texts in ([tool.description for tool in mini.tools], [query.text for query in mini.queries]):
        assert len(set(texts)) == len(texts)
        starts = Counter(" ".join(text.split()[:5]) for text in texts)
        assert max(starts.values()) <= 3


def test_queries_quote_their_inputs_and_nothing_else(mini: World) -> None:
    for query in mini.queries:
        assert sorted(re.findall(r"`([^`]+)`", query.text)) == sorted(map(text_form, query.inputs.values()))


def test_gold_answers_differ_and_are_the_records(mini: World) -> None:
    records = {record.record_id: record.values for record in mini.records}
    answers = [(name, text_form(value)) for query in mini.queries for name, value in query.answers.items()]
    assert len(set(answers)) == len(answers)
    for query in mini.queries:
        for name, answer in query.answers.items():
            assert answer is not None
            assert answer == records[query.record_id][name]


def test_no_gold_answer_is_part_of_another_value(mini: World) -> None:
    for query in mini.queries:
        for name, answer in query.answers.items():
            others = [text_form(record.values[name]) for record in mini.records if record.values[name] != answer]
            assert not any(text_form(answer).lower() in other.lower() for other in others)


def test_only_two_datatypes_may_be_null(mini: World) -> None:
    empty = {name for record in mini.records for name, value in record.values.items() if value is None}
    assert empty == {"receipt_id", "repair_ready_at"}
