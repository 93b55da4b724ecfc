from __future__ import annotations

import pytest

from planbench_xl.retrieval import RequestError, normalise


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"meta_tool": "by_output_info", "output_information": "  a \n b "},
            {"meta_tool": "by_output_info", "output_information": "a b"},
        ),
        (
            {"meta_tool": "by_inputs", "input_information": [" a", 3, "", None, "b  c"], "other": 1},
            {"meta_tool": "by_inputs", "input_information": ["a", "b c"]},
        ),
        (
            {"meta_tool": "by_io_info", "input_information": ["a"], "output_information": "b"},
            {"meta_tool": "by_io_info", "output_information": "b", "input_information": ["a"]},
        ),
        (
            {"meta_tool": "by_output_info", "output_information": "a", "input_information": 5},
            {"meta_tool": "by_output_info", "output_information": "a"},
        ),
    ],
)
def test_normalise(body: object, expected: dict[str, object]) -> None:
    assert normalise(body, "d") == {"domain": "d", **expected}


@pytest.mark.parametrize("body", [None, 3, "x", [], {}, {"meta_tool": ""}, {"meta_tool": 5}, {"meta_tool": None}])
def test_wrong_form(body: object) -> None:
    with pytest.raises(RequestError) as caught:
        normalise(body, "d")
    assert caught.value.form


@pytest.mark.parametrize(
    "body",
    [
        {"meta_tool": "search"},
        {"meta_tool": "by_output_info"},
        {"meta_tool": "by_output_info", "output_information": "  "},
        {"meta_tool": "by_output_info", "output_information": ["a"]},
        {"meta_tool": "by_inputs", "input_information": "a"},
        {"meta_tool": "by_inputs", "input_information": []},
        {"meta_tool": "by_inputs", "input_information": [" ", 3]},
        {"meta_tool": "by_inputs", "input_information": ["a", "b", "c"]},
        {"meta_tool": "by_io_info", "input_information": ["a"]},
        {"meta_tool": "by_io_info", "output_information": "a"},
    ],
)
def test_off_the_schema(body: object) -> None:
    with pytest.raises(RequestError) as caught:
        normalise(body, "d")
    assert not caught.value.form
