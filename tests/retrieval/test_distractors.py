from __future__ import annotations

import json
from hashlib import blake2b
from random import Random

import pytest

from planbench_xl.retrieval import final_order, mix_distractors
from planbench_xl.retrieval.distractors import shuffled
from planbench_xl.world import Argument, Kind, Output, Role, Tool, World


def tool(name: str, role: Role = Role.EXECUTABLE, source: str | None = None, kind: Kind | None = None) -> Tool:
    return Tool(name, role, name, (Argument("a", "x", "x"),), (Output("y", "y"),), kind, source)


def distractors(source: str, count: int) -> list[Tool]:
    return [tool(f"{source}_d{i}", Role.DISTRACTOR, source, Kind.STALE) for i in range(count)]


def test_budget_fills_up_to_the_cap() -> None:
    pools = {name: distractors(name, 5) for name in "abcdef"}
    primary = [tool(name) for name in "abcdef"]
    for cap in (0, 6, 7, 18, 30, 100):
        mixed = mix_distractors(primary, pools, "d", cap)
        assert len(mixed) == min(36, max(6, cap))
        assert len({t.name for t in mixed}) == len(mixed)


def test_shares_are_even() -> None:
    pools = {name: distractors(name, 5) for name in "abc"}
    mixed = mix_distractors([tool(name) for name in "abc"], pools, "d", 3 + 7)
    counts = [sum(t.source == name for t in mixed) for name in "abc"]
    assert sorted(counts) == [2, 2, 3]


def test_unblocked_groups_come_first() -> None:
    pools = {name: distractors(name, 5) for name in "ab"}
    blocked = [tool(f"b_{k}", Role.BLOCK_ALTERNATIVE, "b", k) for k in (Kind.EXPLICIT, Kind.IMPLICIT)]
    mixed = mix_distractors([tool("a"), *blocked], pools, "d", 3 + 2)
    assert [t.source for t in mixed if t.role is Role.DISTRACTOR] == ["a", "a"]
    assert [t.name for t in mixed][-2:] == ["b_explicit", "b_implicit"], "each group's tools stay together"


def test_later_duplicates_are_dropped_and_present_names_not_added() -> None:
    pool = distractors("a", 3)
    mixed = mix_distractors([tool("a"), pool[0], tool("a")], {"a": pool}, "d", 30)
    assert [t.name for t in mixed[:2]] == ["a", "a_d0"]
    assert sorted(t.name for t in mixed) == ["a", "a_d0", "a_d1", "a_d2"]


@pytest.mark.parametrize("seed", [42, 7])
def test_final_order_is_seeded_by_the_whole_request(mini: World, seed: int) -> None:
    tools = list(mini.tools[:7])
    request = {"domain": "d", "meta_tool": "by_output_info", "output_information": 'é "quoted"'}
    words = {"executable": "baseline", "distractor": "noisy_misleading", "block_alternative": "blocker_misleading"}
    text = json.dumps(
        {
            "global_seed": seed,
            "task_id": "t",
            "query_id": "q",
            "request": request,
            "tools": [{"name": t.name, "tool_type": words[t.role.value]} for t in tools],
        },
        ensure_ascii=False,
        sort_keys=True,
    )
    expected = list(tools)
    Random(int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big")).shuffle(expected)
    assert final_order(tools, request, seed, "t", "q") == expected
    assert final_order(tools[:1], request, seed, "t", "q") == tools[:1]


def test_shuffled_is_the_standard_librarys_shuffle(mini: World) -> None:
    for size in range(len(mini.tools)):
        expected = list(mini.tools[:size])
        Random(size).shuffle(expected)
        assert shuffled(mini.tools[:size], Random(size)) == expected
