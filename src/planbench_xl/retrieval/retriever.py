"""What a retriever is, and what it finds."""

from __future__ import annotations

from typing import Protocol

import msgspec

from planbench_xl.episodes.record import Matched
from planbench_xl.retrieval.request import Request
from planbench_xl.world import Tool


class Retrieval(msgspec.Struct, frozen=True):
    """What a retriever found.

    Attributes:
        matched: The datatypes that the request's phrases stand for; None if the retriever knows of none.
        tools: Executable tools: sorted by name, or the best first.
        missing: There is no such tool, in a way that deserves a note to the agent.
        ranked: The best come first, and a request's `top_k` limits their number.
    """

    matched: Matched | None
    tools: tuple[Tool, ...]
    missing: bool
    ranked: bool = False


class Retriever(Protocol):
    """Finds executable tools for a normalised request. The same request always gives the same tools."""

    def retrieve(self, request: Request) -> Retrieval:
        """Return what fits."""
