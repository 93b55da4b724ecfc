from __future__ import annotations

import pytest

from planbench_xl.environment.reading import MAX_DEPTH, ReadError, read_json, storable


@pytest.mark.parametrize(
    "body",
    ["", "{", "nul", "\x00", "[" * 10_000, "9" * 5_000, '"\\ud800"', '{"a": "\\udfff"}', "[" * 70 + "]" * 70],
)
def test_refused(body: str) -> None:
    with pytest.raises(ReadError):
        read_json(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("{}", {}),
        ("[1, 2.5]", [1, 2.5]),
        ('"é"', "é"),
        (" null ", None),
        ("9" * 30, int("9" * 30)),
        ({"a": (1,)}, {"a": [1]}),
    ],
)
def test_accepted(body: object, value: object) -> None:
    assert read_json(body) == value  # type: ignore[arg-type]


def test_depth_is_counted_not_brackets() -> None:
    flat = "[" + ",".join(["{}"] * 500) + "]"
    assert len(read_json(flat)) == 500
    assert read_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)


def test_storable() -> None:
    assert storable("a\ud800é") == "a?é"
    assert storable("plain") == "plain"
