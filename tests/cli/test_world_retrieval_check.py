import json

from tests.cli.conftest import Call


def test_the_table(call: Call) -> None:
    called = call("world", "retrieval-check", "mini")
    assert (called.status, called.err) == (0, "")
    assert called.out.splitlines()[1].split()[:5] == ["by", "output", "all", "16", "100.00"]
    assert "mini, retriever reference: 16 single-step tasks in each mode." in called.out


def test_several(call: Call) -> None:
    called = call(
        "world", "retrieval-check", "mini", "--retriever", "reference", "--retriever", "bm25", "--sample", "4"
    )
    assert (called.status, called.err) == (0, "")
    rows = [line.split() for line in called.out.splitlines()]
    assert [row[0] for row in rows[1:8]] == ["reference"] * 3 + ["bm25"] * 4
    assert rows[7][1:5] == ["free", "text", "all", "4"]
    assert "mini, retrievers reference, bm25: 4 single-step tasks in each mode." in called.out


def test_json(call: Call) -> None:
    (found,) = json.loads(call("world", "retrieval-check", "mini", "--json", "--max-tools", "0").out)["checks"]
    assert found["retriever"] == "reference" and found["max_tools"] == 0
    assert {row["mode"] for row in found["rows"]} == {"by_output_info", "by_inputs", "by_io_info"}


def test_retrievers_that_cannot_be_used(call: Call) -> None:
    called = call("world", "retrieval-check", "mini", "--retriever", "colbert")
    assert called.status == 2 and "Known: reference, bm25" in called.err
    called = call("world", "retrieval-check", "mini", "--retriever", "dense")
    assert called.status == 2 and "retrieval.model" in called.err
    called = call("world", "retrieval-check", "mini", "--retriever", "dense", "--model", "nowhere")
    assert called.status == 1 and "nowhere is no embedding model" in called.err
