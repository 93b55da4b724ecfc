"""What an agent can do in a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from planbench_xl.episodes.record import ActionKind
from planbench_xl.retrieval import BY_BOTH, BY_INPUTS, BY_OUTPUT, BY_QUERY
from planbench_xl.world import Value


class Action(msgspec.Struct, frozen=True):
    """One action.

    Attributes:
        kind: Retrieve tools, call a tool, give the final answer, or invalid (not exactly one action).
        body: The request as JSON text (as a model wrote it) or as an object; the text of an answer.
        raw: The response it was read from, kept for the record. Empty: written from kind and body.
    """

    kind: ActionKind
    body: str | Mapping[str, Value] = ""
    raw: str = ""


def retrieve(*, output: str | None = None, inputs: Sequence[str] = ()) -> Action:
    """Ask for tools by the information they return, by the information they take, or both."""
    request: dict[str, Value] = {"meta_tool": BY_BOTH if inputs else BY_OUTPUT}
    if output is None:
        request["meta_tool"] = BY_INPUTS
    else:
        request["output_information"] = output
    if inputs:
        request["input_information"] = list(inputs)
    return Action("retrieve", request)


def search(query: str, top_k: int | None = None) -> Action:
    """Ask for tools by a text of one's own, where the setting allows it: the `top_k` best, or as many as it says."""
    request: dict[str, Value] = {"meta_tool": BY_QUERY, "query": query}
    if top_k is not None:
        request["top_k"] = top_k
    return Action("retrieve", request)


def call(name: str, arguments: Mapping[str, Value]) -> Action:
    """Call a discovered tool."""
    return Action("call", {"name": name, "arguments": dict(arguments)})


def answer(text: str) -> Action:
    """Give the final answer."""
    return Action("answer", text)
