from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from planbench_xl.construct import Domain
from planbench_xl.construct.grammar import grammar
from planbench_xl.construct.model_writer import message_of
from planbench_xl.construct.text_rules import TextRules
from planbench_xl.world import FAILING_KINDS, Kind, Role, World


@pytest.fixture
def rules(tiny: Domain, world: World) -> TextRules:
    return TextRules(tiny, world.records)


def verdicts(domain: Domain, world: World, rules: TextRules) -> Iterator[str]:
    for tool in world.tools:
        names = [argument.name for argument in tool.arguments]
        output = tool.outputs[0]
        if tool.kind is Kind.MISLEADING:
            yield rules.misleading(tool.description, arguments=names, name=output.name, says=output.description[:-1])
        else:
            plain = tool.description.casefold()
            phrase = max((s for s in domain.fields[output.datatype].says if s.casefold() in plain), key=len)
            flaw = tool.kind if tool.role is Role.DISTRACTOR else None
            yield rules.description(tool.description, phrase, arguments=names, output=output.datatype, flaw=flaw)
        if tool.kind in FAILING_KINDS:
            yield rules.message(message_of(tool.return_value), output.datatype)
    for query in world.queries:
        task = world.task[query.task_id]
        route = {name for tool in task.solution for name in world.tool[tool].output_datatypes}
        route -= {*task.inputs, *task.targets}
        yield rules.request(query.text, known=query.inputs, answers=query.answers, route=route, draft="")


def test_the_templates_keep_the_rules(tiny: Domain, world: World, rules: TextRules) -> None:
    assert set(verdicts(tiny, world, rules)) == {""}


def test_every_frame_of_a_flaw_has_a_sign_and_no_other_frame_has_one() -> None:
    material = grammar()
    for kind, frames in material.flaws.items():
        for frame in frames:
            assert any(re.search(rf"\b(?:{sign})", frame, re.IGNORECASE) for sign in material.signs[kind]), frame
    signs = [sign for found in material.signs.values() for sign in found]
    for frame in (*material.lookups, *material.lookups_several, *material.purposes):
        assert not any(re.search(rf"\b(?:{sign})", frame, re.IGNORECASE) for sign in signs), frame


PLAIN = "Tells you the moment at which the guest cast off, if you pass `booking number` from the slip."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PLAIN, ""),
        (f"{PLAIN} May be outdated.", "says 'outdated', as if the tool were restricted or flawed"),
        (PLAIN.replace("`booking number`", "`tag`"), "doesn't name `booking number`"),
        (PLAIN.replace("the slip", "the trip_slip"), "says 'trip_slip', words that are never used"),
        (PLAIN.replace("from the slip", "as a baseline"), "says 'baseline', words that are never used"),
        (f"{PLAIN} Then call get_tag_from_booking_number.", "names a tool, 'get_tag_from_booking_number'"),
        (f"{PLAIN}\x1b[31m", "can't be printed"),
        (PLAIN * 8, "characters, not 30 to 600"),
        (PLAIN.replace("the moment at which the guest cast off", "it"), "doesn't say word for word"),
    ],
)
def test_descriptions(text: str, says: str, rules: TextRules) -> None:
    found = rules.description(
        text, "the moment at which the guest cast off", arguments=["booking_number"], output="trip_sailed"
    )
    assert says in found if says else found == ""


def test_a_description_passes_once(rules: TextRules) -> None:
    def check() -> str:
        return rules.description(
            PLAIN, "the moment at which the guest cast off", arguments=["booking number"], output="trip_sailed"
        )

    assert check() == ""
    assert "written before" in check()


def test_a_phrase_that_retrieval_takes_for_something_else(rules: TextRules) -> None:
    text = "Takes `booking number` and tells the e-mail address that the guest left."
    found = rules.description(
        text, "the e-mail address that the guest left", arguments=["booking number"], output="trip_sailed"
    )
    assert "is not what a search for the moment at which the guest cast off would understand" in found
    assert "cast off time" in found


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind.value in grammar().signs])
def test_a_flaw_has_to_be_disclosed(kind: Kind, rules: TextRules) -> None:
    def check(text: str) -> str:
        phrase = "the moment at which the guest cast off"
        return rules.description(text, phrase, arguments=["booking number"], output="trip_sailed", flaw=kind)

    assert "doesn't disclose the flaw" in check(PLAIN)
    flaw = grammar().flaws[kind.value][0].replace("{register}", "the book").replace("{neighbour}", "the guest")
    assert check(f"{PLAIN} {flaw}") == ""


def test_a_misleading_tool_says_what_it_does(rules: TextRules) -> None:
    def check(text: str) -> str:
        return rules.misleading(
            text, arguments=["booking number"], name="tide_table_page", says="the page of the tide table for that day"
        )

    assert "doesn't say that 'the page of the tide table for that day'" in check(PLAIN)
    assert check("From `booking number` to the page of the tide table for that day.") == ""


def test_messages(rules: TextRules, world: World) -> None:
    value = str(world.records[0].values["trip_sailed"])
    assert rules.message("HTTP 503: the booking book is closed.", "trip_sailed") == ""
    assert "no message" in rules.message("TR-12345", "trip_sailed")
    assert "holds a value that is true" in rules.message(f"The lookup failed at {value} today.", "trip_sailed")
    assert "characters, not 12 to 200" in rules.message("error " * 60, "trip_sailed")


REQUEST = "The guest with card `G1234` rang. Please tell me when that guest cast off."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (REQUEST, ""),
        (REQUEST.replace("`", ""), "doesn't give the value `G1234` in back-ticks"),
        (REQUEST.replace("The guest with card", "Somebody"), "in words that a search understands: 'guest number {}'"),
        (f"{REQUEST} Try `hull`.", "has 'hull' in back-ticks"),
        (f"{REQUEST} I guess 2026-05-02T10:00:00Z.", "holds the answer"),
        (REQUEST.replace("when that guest cast off", "the departure time"), "says 'departure time', which hints at"),
        (f"{REQUEST} It is on the booking slip.", "says 'booking slip', which hints at"),
        (f"{REQUEST} No distractors.", "says 'distractors'"),
    ],
)
def test_requests(text: str, says: str, rules: TextRules) -> None:
    found = rules.request(
        text,
        known={"guest_card": "G1234"},
        answers={"trip_sailed": "2026-05-02T10:00:00Z"},
        route=["trip_slip"],
        draft="",
    )
    assert says in found if says else found == ""
