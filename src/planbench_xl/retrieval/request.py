"""The schema of retrieval requests (reference protocol, section 3)."""

from __future__ import annotations

from collections.abc import Mapping

from planbench_xl.world import Value

BY_OUTPUT = "by_output_info"
BY_INPUTS = "by_inputs"
BY_BOTH = "by_io_info"
BY_QUERY = "by_query"

LARGEST_TOP_K = 50
"""A request can ask for at most so many tools."""

Request = dict[str, Value]
"""A normalised request: `domain`, `meta_tool`, and what this needs: `output_information` and `input_information`, or
`query` and perhaps `top_k`."""


class RequestError(ValueError):
    """A request that isn't an object with a `meta_tool` (`form`) or is off the schema otherwise."""

    def __init__(self, problem: str, *, form: bool) -> None:
        super().__init__(problem)
        self.form = form


def normalise(body: Value, domain: str, *, free_text: bool = False) -> Request:
    """Return the normalised form of a decoded request.

    Args:
        body: The decoded request.
        domain: Domain word of the world.
        free_text: The setting allows requests by a text of one's own.

    Raises:
        RequestError: It can't be executed.
    """
    if not isinstance(body, Mapping):
        raise RequestError("the request is not an object", form=True)
    meta_tool = body.get("meta_tool")
    if not isinstance(meta_tool, str) or not meta_tool.strip():
        raise RequestError("`meta_tool` is missing or blank", form=True)
    meta_tool = _collapse(meta_tool)
    if free_text and meta_tool == BY_QUERY:
        return _free_text(body, domain)
    if meta_tool not in (BY_OUTPUT, BY_INPUTS, BY_BOTH):
        raise RequestError(f"`meta_tool` is none of {BY_OUTPUT}, {BY_INPUTS}, {BY_BOTH}", form=False)
    request: Request = {"domain": domain, "meta_tool": meta_tool}
    if meta_tool != BY_INPUTS:
        output = body.get("output_information")
        if not isinstance(output, str) or not output.strip():
            raise RequestError("`output_information` must be a non-blank string", form=False)
        request["output_information"] = _collapse(output)
    if meta_tool != BY_OUTPUT:
        inputs = body.get("input_information")
        if not isinstance(inputs, list | tuple):
            raise RequestError("`input_information` must be a list", form=False)
        kept = [_collapse(item) for item in inputs if isinstance(item, str) and item.strip()]
        if not 1 <= len(kept) <= 2:
            raise RequestError("`input_information` must hold one or two non-blank strings", form=False)
        request["input_information"] = kept
    return request


def _free_text(body: Mapping[str, Value], domain: str) -> Request:
    query, top_k = body.get("query"), body.get("top_k")
    if not isinstance(query, str) or not query.strip():
        raise RequestError("`query` must be a non-blank string", form=False)
    request: Request = {"domain": domain, "meta_tool": BY_QUERY, "query": _collapse(query)}
    if top_k is not None:
        if not isinstance(top_k, int) or isinstance(top_k, bool) or not 1 <= top_k <= LARGEST_TOP_K:
            raise RequestError(f"`top_k` must be a number from 1 to {LARGEST_TOP_K}", form=False)
        request["top_k"] = top_k
    return request


def _collapse(text: str) -> str:
    return " ".join(text.split())
