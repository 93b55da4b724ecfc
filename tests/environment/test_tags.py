from __future__ import annotations

import re
from random import Random

import pytest

from planbench_xl.environment import Action, answer, call, retrieve
from planbench_xl.environment.tags import TAGS, parse, render
from tests.environment.hostile import PIECES


def oracle(text: str) -> list[tuple[str, str]]:
    """All blocks by the protocol's own definition: three non-greedy patterns, case-insensitive, over lines."""
    found = []
    for tag, kind in TAGS.items():
        pattern = re.compile(f"<{tag}>(.*?)</{tag}>", re.DOTALL | re.IGNORECASE | re.ASCII)
        found += [(kind, match.strip()) for match in pattern.findall(text)]
    return found


def test_parse_equals_the_definition_on_tag_soup() -> None:
    rng = Random(0)
    for _ in range(20_000):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(9)))
        blocks = oracle(text)
        action = parse(text)
        assert action.raw == text
        if len(blocks) == 1:
            assert (action.kind, action.body) == blocks[0]
        else:
            assert action.kind == "invalid"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "invalid"),
        ("no tag", "invalid"),
        ("<final_answer>a</final_answer>", "answer"),
        ("thinking <FINAL_ANSWER>a</Final_Answer> more", "answer"),
        ("<final_answer>a\nb</final_answer>", "answer"),
        ("<final_answer>a</final_answer><final_answer>b</final_answer>", "invalid"),
        ("<tool_call>{}</tool_call><final_answer>b</final_answer>", "invalid"),
        ("<tool_call><final_answer>b</final_answer>", "answer"),
        ("<tool_call><final_answer>b</final_answer></tool_call>", "invalid"),
        ("<tool_call>x<tool_call>y</tool_call>", "call"),
        ("<tool_call>x</retrieve_tools>", "invalid"),
        ("<retrieve_tools ></retrieve_tools>", "invalid"),
    ],
)
def test_parse(text: str, kind: str) -> None:
    assert parse(text).kind == kind


@pytest.mark.parametrize(
    "action",
    [retrieve(output="a b"), retrieve(inputs=["é"]), retrieve(output="x", inputs=["y", "z"]), call("t", {"a": 1.5})],
)
def test_render_and_parse(action: Action) -> None:
    again = parse(render(action))
    assert again.kind == action.kind
    assert isinstance(again.body, str)


def test_render_keeps_the_response() -> None:
    assert render(parse("so: <final_answer>a</final_answer>")) == "so: <final_answer>a</final_answer>"
    assert render(answer("a")) == "<final_answer>a</final_answer>"
