from __future__ import annotations

import re
from collections import Counter

from planbench_xl.construct import Domain
from planbench_xl.judging import normalise
from planbench_xl.world import World, text_form


def test_values_stand_in_back_ticks(world: World) -> None:
    for query in world.queries:
        ticked = Counter(re.findall(r"`([^`]+)`", query.text))
        assert ticked == Counter(map(text_form, query.inputs.values()))


def test_texts_differ_and_give_nothing_away(world: World, tiny: Domain) -> None:
    assert len({query.text for query in world.queries}) == len(world.queries)
    for query in world.queries:
        text = normalise(query.text)
        assert not any(normalise(value) in text for value in query.answers.values())
        assert not any(name in query.text for name in tiny.fields)
        assert not any(tool.name in query.text for tool in world.executable)


def test_answers_are_those_of_the_record(world: World) -> None:
    records = {record.record_id: record for record in world.records}
    for query in world.queries:
        for name, value in query.answers.items():
            assert value == records[query.record_id].values[name]


def test_answers_differ(world: World) -> None:
    answers = [(name, text_form(value)) for query in world.queries for name, value in query.answers.items()]
    assert len(set(answers)) == len(answers)
