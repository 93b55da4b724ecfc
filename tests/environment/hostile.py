"""Random and hostile action strings for the environment's property tests."""

from __future__ import annotations

import json
from random import Random

TAGS = ("retrieve_tools", "tool_call", "final_answer")
PIECES = (
    *(f"<{tag}>" for tag in TAGS),
    *(f"</{tag}>" for tag in TAGS),
    "<TOOL_CALL>",
    "</Tool_Call>",
    "<tool_call",
    "\x00",
    "\ud800",
    "\u202e",
    "ſ",
    "{",
    "}",
    "[",
    '"',
    "\\",
    "NaN",
    "1e999",
    "null",
    "'; DROP TABLE records; --",
    "$value",
    "${query}",
    "{0.__class__}",
    "<script>alert(1)</script>",
)


def response(rng: Random, names: list[str], words: list[str]) -> str:
    """Return one response: well formed, nearly so, or soup.

    Args:
        rng: Source of randomness.
        names: Names of tools to call, known to the world or not.
        words: Phrases and values to search and call with.
    """
    kind = rng.randrange(10)
    if kind < 3:
        return wrap("retrieve_tools", _request(rng, words))
    if kind < 7:
        return wrap("tool_call", _call(rng, names, words))
    if kind == 7:
        return wrap("final_answer", rng.choice(words))
    if kind == 8:
        return "".join(rng.choice(PIECES) for _ in range(rng.randrange(12)))
    body = _mangle(rng, json.dumps(_call(rng, names, words)))
    return f"<{rng.choice(TAGS)}>{body}</{rng.choice(TAGS)}>"


def wrap(tag: str, body: object) -> str:
    """Return a tagged block."""
    return f"<{tag}>{body if isinstance(body, str) else json.dumps(body)}</{tag}>"


def _value(rng: Random, words: list[str]) -> object:
    return rng.choice(
        [
            rng.choice(words),
            rng.choice(words),
            rng.randrange(10**6),
            10**4000,
            rng.random(),
            None,
            True,
            [],
            {"a": [1]},
            "\ud800",
            "\x00",
            "",
            float("inf"),
        ]
    )


def _request(rng: Random, words: list[str]) -> object:
    request: dict[str, object] = {"meta_tool": rng.choice(["by_output_info", "by_inputs", "by_io_info", "x", None])}
    if rng.random() < 0.8:
        request["output_information"] = _value(rng, words)
    if rng.random() < 0.8:
        request["input_information"] = [_value(rng, words) for _ in range(rng.randrange(4))]
    return rng.choice([request, request, request, request, [request], 7])


def _call(rng: Random, names: list[str], words: list[str]) -> object:
    arguments: dict[str, object] = {rng.choice(words): _value(rng, words) for _ in range(rng.randrange(4))}
    key = rng.choice(["name", "name", "tool_name", "tool_id", "nome"])
    call: dict[str, object] = {key: rng.choice([rng.choice(names), 5, None]), "arguments": arguments}
    if rng.random() < 0.1:
        call["arguments"] = _value(rng, words)
    return call


def _mangle(rng: Random, text: str) -> str:
    if not text:
        return text
    at = rng.randrange(len(text))
    return text[:at] + rng.choice(PIECES) + text[at + rng.randrange(3) :]
