"""How tools are retrieved."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

import msgspec

from planbench_xl.errors import SettingError

RetrieverName = Literal["reference", "bm25", "dense", "hybrid"]

EMBEDDING: tuple[RetrieverName, ...] = ("dense", "hybrid")
"""Retrievers that need an embedding model."""


class RetrievalConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Retrieval as part of a setting.

    Attributes:
        retriever: `reference` matches phrases to datatypes; the others rank the texts of tools: by words (`bm25`), by
            embeddings (`dense`), by both (`hybrid`).
        distractors: Mix distractors among the tools found.
        max_tools: Distractors fill the result up to this many tools (tools found are never dropped).
        top_k: How many tools a ranking retriever finds, where a request doesn't say.
        free_text: Requests may also be a text of the agent's own; ranking retrievers only.
        model: Embedding model: a folder, or the endpoint's name for it.
        endpoint: Base URL of an OpenAI-compatible API that embeds; empty for a model in a folder.
    """

    retriever: RetrieverName = "reference"
    distractors: bool = True
    max_tools: int = 30
    top_k: int = 10
    free_text: bool = False
    model: str = ""
    endpoint: str = ""


def check_retrieval(config: RetrievalConfig) -> None:
    """Refuse choices that don't go together, and addresses that hold a secret: settings are stored.

    Raises:
        SettingError: Naming the field and what to do.
    """
    if config.free_text and config.retriever == "reference":
        raise SettingError(
            "Setting field `retrieval.free_text`: the reference retriever takes no free text, since it matches phrases "
            "to datatypes. Set retrieval.retriever to bm25, dense or hybrid."
        )
    if config.endpoint:
        _check_endpoint(config.endpoint)


def _check_endpoint(endpoint: str) -> None:
    try:
        parts = urlsplit(endpoint)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        sound = False
    # The address isn't repeated: it may hold a key.
    if not sound or parts.query or parts.fragment:
        raise SettingError(
            "Setting field `retrieval.endpoint`: give a plain base URL, as in http://localhost:8000/v1, without user, "
            "password or parameters. A key is taken from PLANBENCH_XL_EMBEDDING_KEY."
        )
