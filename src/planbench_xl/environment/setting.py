"""A setting: everything that can be varied about the game, apart from world and agent."""

from __future__ import annotations

from typing import Literal

import msgspec

from planbench_xl.blocking.config import BlockingConfig
from planbench_xl.environment.failures import FailureConfig
from planbench_xl.retrieval.config import RetrievalConfig


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One experimental condition (paper: settings).

    Attributes:
        name: Name of the preset it came from.
        judge: How a final answer is compared with the gold answer.
        seed: Seed of block plans and of the order of tools. The release uses 42.
        max_turns: Turn budget; every response counts, errors too.
        max_label_errors: Consecutive label errors that end the episode.
        max_retrieval_errors: Consecutive retrieval errors that end it.
        max_call_errors: Consecutive call errors that end it.
        exploration_budget: How often a wrong final answer is answered by a request to continue.
        tool_ids: Hand out a short handle per tool at retrieval, by which it can be called too.
        all_tools: Show every tool with the query and offer no retrieval (paper: all-tools).
        retrieval: Retriever, distractors and the size of the result.
        blocking: Which tools on solution paths are replaced.
        failures: Which tools break down in the middle of an episode (beyond the paper).
    """

    name: str = "default"
    judge: Literal["contains", "exact"] = "contains"
    seed: int = 42
    max_turns: int = 100
    max_label_errors: int = 3
    max_retrieval_errors: int = 3
    max_call_errors: int = 3
    exploration_budget: int = 0
    tool_ids: bool = False
    all_tools: bool = False
    retrieval: RetrievalConfig = RetrievalConfig()
    blocking: BlockingConfig = BlockingConfig()
    failures: FailureConfig = FailureConfig()
