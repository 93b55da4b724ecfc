"""Makes the retriever of a setting, once per world."""

from __future__ import annotations

from typing import cast

from planbench_xl.errors import SettingError
from planbench_xl.retrieval.bm25 import Bm25
from planbench_xl.retrieval.config import RetrievalConfig, check_retrieval
from planbench_xl.retrieval.embedding import CachedEmbedder, Embedder
from planbench_xl.retrieval.ranking import Fused, Ranker, RankingRetriever, tool_text
from planbench_xl.retrieval.reference import ReferenceRetriever
from planbench_xl.retrieval.retriever import Retriever
from planbench_xl.world import World

_MADE = "_retrieval"

Key = tuple[str, ...]


def make_retriever(world: World, config: RetrievalConfig, embedder: Embedder | None = None) -> Retriever:
    """Return the retriever of a setting. What it looks tools up in is made once per world and kept with it.

    Args:
        world: The world.
        config: Which retriever.
        embedder: Embeds texts; by default what `config` names, behind the cache of embeddings.

    Raises:
        SettingError: The choices don't go together, or there is no model.
        RetrieverError: The model can't be used.
    """
    check_retrieval(config)
    if config.retriever == "reference":
        return cast(ReferenceRetriever, _kept(world, ("reference",), lambda: ReferenceRetriever(world)))
    if config.retriever == "bm25":
        ranker = _bm25(world)
    else:
        ranker = _dense(world, config, embedder)
        if config.retriever == "hybrid":
            ranker = Fused(_bm25(world), ranker)
    return RankingRetriever(world.executable, ranker, config.top_k)
