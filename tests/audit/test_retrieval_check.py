"""Single-step tasks with the reference retriever and with others."""

import sys

import msgspec
import pytest

from planbench_xl.audit.retrieval_check import (
    MODES,
    RetrievalCheck,
    compare_retrievers,
    find_retriever,
    retrieval_check,
    spread,
)
from planbench_xl.episodes.record import Matched
from planbench_xl.errors import SettingError, UsageError
from planbench_xl.retrieval import BY_BOTH, BY_INPUTS, BY_OUTPUT, BY_QUERY, Request, Retrieval, RetrievalConfig
from planbench_xl.world import World
from tests.audit.conftest import edit_all

NO_DISTRACTORS = RetrievalConfig(max_tools=0)


class Blind:
    """Finds nothing."""

    def __init__(self, world: World) -> None:
        self.requests: list[Request] = []

    def retrieve(self, request: Request) -> Retrieval:
        self.requests.append(request)
        return Retrieval(Matched(), (), True)


class Everything:
    """Finds all tools, whatever is asked."""

    def __init__(self, world: World) -> None:
        self.world = world

    def retrieve(self, request: Request) -> Retrieval:
        return Retrieval(Matched(), self.world.executable, False)


def test_the_mini_world(mini: World) -> None:
    check = retrieval_check(mini)
    rows = {(row.mode, row.inputs): row for row in check.rows}
    assert {mode for mode, _ in rows} == set(MODES)
    assert rows[BY_OUTPUT, None].tasks == len(mini.executable)
    assert rows[BY_OUTPUT, None].listed == 1.0
    # A retrieval names at most two inputs.
    assert rows[BY_INPUTS, 3].listed == rows[BY_BOTH, 3].listed == 0.0
    assert rows[BY_INPUTS, 1].listed == rows[BY_BOTH, 2].listed == 1.0
    assert len(check.not_listed[BY_INPUTS]) == 1 and not check.not_listed[BY_OUTPUT]
    assert rows[BY_OUTPUT, None].correct > 0.9 and rows[BY_OUTPUT, None].turns >= 3
    for mode in MODES:
        by_size = [row for row in check.rows if row.mode == mode and row.inputs is not None]
        total = sum(row.tasks * row.listed for row in by_size)
        assert total / len(mini.executable) == pytest.approx(rows[mode, None].listed)


def untimed(check: RetrievalCheck) -> RetrievalCheck:
    rows = tuple(msgspec.structs.replace(row, milliseconds=0.0) for row in check.rows)
    return msgspec.structs.replace(check, rows=rows)


def test_without_distractors_lists_are_shorter(mini: World) -> None:
    with_them, without = retrieval_check(mini), retrieval_check(mini, config=NO_DISTRACTORS)
    for one, other in zip(with_them.rows, without.rows, strict=True):
        assert (one.mode, one.inputs, one.listed) == (other.mode, other.inputs, other.listed)
        assert one.list_size >= other.list_size
        assert one.correct <= other.correct
    assert untimed(with_them) == untimed(retrieval_check(mini))


def test_any_retriever(mini: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    blind = retrieval_check(mini, "mine:Blind")
    assert all(row.listed == row.correct == row.list_size == 0 for row in blind.rows)
    assert all(row.turns == 3 for row in blind.rows if row.inputs is None)  # two attempts, and the answer
    everything = retrieval_check(mini, "mine:Everything", config=NO_DISTRACTORS)
    assert all(row.listed == row.listed_first == 1 and row.list_size == 16 for row in everything.rows)


def test_unknown_retrievers(mini: World) -> None:
    with pytest.raises(UsageError, match=r"no retriever 'colbert'\. Known: reference, bm25, dense, hybrid"):
        find_retriever("colbert")
    with pytest.raises(SettingError, match=r"retrieval\.model` is empty"):
        retrieval_check(mini, "dense")
    with pytest.raises(UsageError, match="can't be imported"):
        find_retriever("nowhere_at_all:Retriever")
    with pytest.raises(UsageError, match="can't be imported"):
        find_retriever("json:Retriever")


def test_tools_that_answer_nowhere_are_left_out(mini: World) -> None:
    world = edit_all("records", lambda entry: {"values": {**entry.values, "repair_cost_amount": None}})(mini)
    check = retrieval_check(world)
    assert check.skipped == ("get_mending_cost_from_workshop_ticket",)
    assert check.rows[0].tasks == len(mini.executable) - 1


@pytest.mark.slow
def test_the_release(release: World) -> None:
    rows = {(row.mode, row.inputs): row for row in retrieval_check(release).rows}
    assert rows[BY_OUTPUT, None].tasks == 185
    assert rows[BY_OUTPUT, None].listed == 1.0
    assert rows[BY_INPUTS, None].listed == pytest.approx(138 / 185)
    assert max(row.list_size for row in rows.values()) <= 30


def test_retrievers_side_by_side(mini: World) -> None:
    reference, bm25 = compare_retrievers(mini, ["reference", "bm25"], RetrievalConfig(top_k=4))
    assert {row.mode for row in reference.rows} == set(MODES)
    assert {row.mode for row in bm25.rows} == {*MODES, BY_QUERY}
    assert reference.rows[:1] != bm25.rows[:1] and bm25.top_k == 4
    for row in bm25.rows:
        assert 0 <= row.at_5 <= row.at_10 <= row.at_30 <= 1
        assert row.found <= 4 and row.list_size <= 30 and row.milliseconds > 0
    for row in reference.rows:
        # It doesn't rank: whatever fits is found, at any number of places.
        assert row.at_5 == row.at_30 == row.listed_first
    by_text = next(row for row in bm25.rows if row.mode == BY_QUERY and row.inputs is None)
    assert by_text.tasks == 16 and by_text.at_5 == by_text.listed == 1.0


def test_a_sample(mini: World) -> None:
    check = retrieval_check(mini, config=NO_DISTRACTORS, sample=4)
    assert check.rows[0].tasks == 4
    assert [tool.name for tool in spread(mini.executable, 99)] == [tool.name for tool in mini.executable]
    assert spread(mini.executable, 2) == [mini.executable[0], mini.executable[8]]
