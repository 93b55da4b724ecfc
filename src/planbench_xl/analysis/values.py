"""What becomes of untrusted values: how they get into later arguments, retrievals and the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from planbench_xl.analysis.model import Contamination, FollowUp, Imitation
from planbench_xl.episodes.record import Episode, Turn
from planbench_xl.judging import normalise
from planbench_xl.metrics.facts import Facts
from planbench_xl.metrics.progress import Step
from planbench_xl.world import Role, Tool, World, text_form


class Spread(msgspec.Struct, frozen=True):
    """The way of one untrusted value, used or not.

    Attributes:
        turn: Number of the turn that gave it, from 1.
        tool: The tool called.
        value: The value, as text.
        arguments: Numbers of later calls that have it as an argument, executed or not.
        answer: The final answer holds it.
    """

    turn: int
    tool: str
    value: str
    arguments: tuple[int, ...]
    answer: bool


def spreads(world: World, facts: Facts, episode: Episode) -> list[Spread]:
    """Follow every value that an untrusted call gave.

    A value that the question names, or that a trusted call has given by then, is no trace of the untrusted one: the
    agent may have it from there.
    """
    given: list[tuple[int, str, str]] = []
    known = {text_form(value) for value in world.query[episode.query_id].inputs.values()}
    used: dict[str, list[int]] = {}
    for number, turn in enumerate(episode.turns, 1):
        if turn.action != "call" or turn.request is None:
            continue
        if given:
            for text in {text_form(value) for value in turn.request["arguments"].values()} - known:
                used.setdefault(text, []).append(number)
        if turn.error is not None or turn.value is None:
            continue
        name = turn.request["name"]
        values = {text_form(value) for value in facts.returned(name, facts.signature(name).outputs, turn.value)}
        if facts.signature(name).role is Role.EXECUTABLE and not turn.broken:
            known |= values
        else:
            given += [(number, name, value) for value in sorted(values)]
    answer = episode.final_answer
    text = normalise(answer.text) if answer is not None and given else ""
    return [
        Spread(
            number,
            name,
            value,
            tuple(later for later in used.get(value, ()) if later > number),
            value not in known and holds(text, normalise(value)),
        )
        for number, name, value in given
    ]


def holds(text: str, value: str) -> bool:
    """Say whether a normalised text holds a normalised value as whole words, not as part of a longer word or number."""
    if not value or value not in text:
        return False
    return re.search(rf"(?<![\w.-]){re.escape(value)}(?!\w|[.-]\w)", text) is not None


def contaminations(found: Sequence[Spread]) -> tuple[Contamination, ...]:
    """Return the untrusted values that were used later, as an argument or in the answer."""
    return tuple(
        Contamination(turn=s.turn, tool=s.tool, value=s.value, arguments=s.arguments, answer=s.answer)
        for s in found
        if s.arguments or s.answer
    )


def imitations(
    world: World, facts: Facts, episode: Episode, steps: Sequence[Step], found: Sequence[Spread]
) -> tuple[Imitation, ...]:
    """Return every block alternative whose call was executed, and what became of its value."""
    reused = {spread.turn for spread in found if spread.arguments}
    calls = []
    for number, (turn, step) in enumerate(zip(episode.turns, steps, strict=True), 1):
        if step.new is None or turn.request is None:
            continue
        tool = world.tool[turn.request["name"]]
        if tool.role is Role.BLOCK_ALTERNATIVE and tool.kind is not None:
            follow_up = FollowUp.UNUSED
            if number in reused:
                follow_up = FollowUp.VALUE_REUSED
            elif searched(facts, tool, episode.turns[number:], steps[number:]):
                follow_up = FollowUp.SEARCH_REUSED
            calls.append(Imitation(turn=number, tool=tool.name, kind=tool.kind, follow_up=follow_up))
    return tuple(calls)


def searched(facts: Facts, tool: Tool, turns: Sequence[Turn], steps: Sequence[Step]) -> bool:
    """Say whether a retrieval starts from what a tool claims to give, while no trusted call has given that.

    A misleading alternative gives something that the world has no datatype for; its name or label is looked for.
    """
    outputs = set(tool.output_datatypes)
    words = {_words(text) for output in tool.outputs for text in (output.datatype, output.name, output.label)}
    for turn, step in zip(turns, steps, strict=True):
        if turn.action != "retrieve" or turn.error is not None or turn.request is None:
            continue
        matched = outputs.intersection((turn.matched.inputs if turn.matched else None) or ())
        if any(not step.before & facts.mask([datatype]) for datatype in matched):
            return True
        if not matched and any(_words(phrase) in words for phrase in turn.request.get("input_information") or ()):
            return True
    return False


def _words(text: str) -> str:
    return " ".join(text.lower().replace("_", " ").split())
