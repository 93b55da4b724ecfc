import json

from tests.cli.conftest import Call


def test_the_table(call: Call) -> None:
    called = call("world", "retrieval-check", "mini")
    assert (called.status, called.err) == (0, "")
    assert called.out.splitlines()[1].split()[:5] == ["by", "output", "all", "16", "100.00"]
    assert "mini, retriever reference: 16 single-step tasks in each mode." in called.out


def test_json(call: Call) -> None:
    found = json.loads(call("world", "retrieval-check", "mini", "--json", "--max-tools", "0").out)
    assert found["retriever"] == "reference" and found["max_tools"] == 0
    assert {row["mode"] for row in found["rows"]} == {"by_output_info", "by_inputs", "by_io_info"}


def test_a_retriever_that_is_not_there(call: Call) -> None:
    called = call("world", "retrieval-check", "mini", "--retriever", "dense")
    assert called.status == 2 and "Known: reference" in called.err
