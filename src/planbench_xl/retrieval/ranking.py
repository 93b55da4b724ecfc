"""Retrievers that rank the texts of tools: what they index, what they look for, and how rankings are fused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from planbench_xl.retrieval.request import BY_QUERY, Request
from planbench_xl.retrieval.retriever import Retrieval
from planbench_xl.world import Tool

FUSION = 60
"""Constant of reciprocal rank fusion; Cormack, Clarke and Büttcher (2009)."""

DEPTH = 100
"""So many places of each ranking are fused: more than any request can ask for."""


class Ranker(Protocol):
    """Ranks the texts that it was made from."""

    def rank(self, text: str, count: int) -> list[int]:
        """Return the numbers of at most `count` texts that fit a text, the best first."""


class RankingRetriever:
    """Finds the executable tools whose texts fit a request's best.

    Only executable tools are ranked: what stands in for them or imitates them comes in afterwards, as with the
    reference retriever, so that settings stay comparable.
    """

    def __init__(self, tools: Sequence[Tool], ranker: Ranker, top_k: int) -> None:
        self._tools = tools
        self._ranker = ranker
        self._top_k = top_k

    def retrieve(self, request: Request) -> Retrieval:
        """Return the best tools: as many as the request says, or the setting."""
        numbers = self._ranker.rank(request_text(request), request.get("top_k", self._top_k))
        return Retrieval(None, tuple(self._tools[number] for number in numbers), missing=False, ranked=True)


class Fused:
    """Reciprocal rank fusion of rankings."""

    def __init__(self, *rankers: Ranker) -> None:
        self._rankers = rankers

    def rank(self, text: str, count: int) -> list[int]:
        """Return the numbers of the best texts; the first text wins a tie."""
        scores: dict[int, float] = defaultdict(float)
        for ranker in self._rankers:
            for place, number in enumerate(ranker.rank(text, DEPTH), 1):
                scores[number] += 1 / (FUSION + place)
        return sorted(scores, key=lambda number: (-scores[number], number))[:count]


def tool_text(tool: Tool) -> str:
    """Return the text that stands for a tool: its name, as words, and its description."""
    return f"{tool.name.replace('_', ' ')}. {tool.description}"


def request_text(request: Request) -> str:
    """Return the text that a request looks for; a typed one is worded like the names of tools."""
    if request["meta_tool"] == BY_QUERY:
        return str(request["query"])
    parts = []
    if "output_information" in request:
        parts.append(str(request["output_information"]))
    if "input_information" in request:
        parts.append(f"from {' and '.join(request['input_information'])}")
    return " ".join(parts)
