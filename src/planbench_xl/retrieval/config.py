"""How tools are retrieved."""

from __future__ import annotations

from typing import Literal

import msgspec


class RetrievalConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Retrieval as part of a setting.

    Attributes:
        retriever: Name of the retriever.
        distractors: Mix distractors among the tools found.
        max_tools: Distractors fill the result up to this many tools (tools found are never dropped).
    """

    retriever: Literal["reference"] = "reference"
    distractors: bool = True
    max_tools: int = 30
