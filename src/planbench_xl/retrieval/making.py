"""Makes the retriever of a setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planbench_xl.errors import SettingError
from planbench_xl.retrieval.bm25 import Bm25
from planbench_xl.retrieval.config import RetrievalConfig, check_retrieval
from planbench_xl.retrieval.embedding import CachedEmbedder, Embedder
from planbench_xl.retrieval.ranking import Fused, Ranker, RankingRetriever, tool_text
from planbench_xl.retrieval.reference import ReferenceRetriever
from planbench_xl.retrieval.retriever import Retriever
from planbench_xl.world import World

_INDEXES = "_retrieval_indexes"


def make_retriever(world: World, config: RetrievalConfig, embedder: Embedder | None = None) -> Retriever:
    """Return the retriever of a setting. What it looks tools up in is made once per world and lives as long.

    Args:
        world: The world.
        config: Which retriever.
        embedder: Embeds texts; by default the model that `config` names, behind the cache of embeddings.

    Raises:
        SettingError: The choices don't go together, or no model is named.
        RetrieverError: The model can't be used.
    """
    check_retrieval(config)
    if config.retriever == "reference":
        found: ReferenceRetriever = _once(world, ("reference",), lambda: ReferenceRetriever(world))
        return found
    return RankingRetriever(world.executable, _ranker(world, config, embedder), config.top_k)


def _ranker(world: World, config: RetrievalConfig, embedder: Embedder | None) -> Ranker:
    texts = [tool_text(tool) for tool in world.executable]
    if config.retriever == "bm25":
        return _bm25(world, texts)
    dense = _dense(world, texts, config) if embedder is None else _new_dense(texts, embedder)
    return dense if config.retriever == "dense" else Fused(_bm25(world, texts), dense)


def _bm25(world: World, texts: list[str]) -> Ranker:
    found: Ranker = _once(world, ("bm25",), lambda: Bm25(texts))
    return found


def _dense(world: World, texts: list[str], config: RetrievalConfig) -> Ranker:
    if not config.model:
        raise SettingError(
            f"Setting field `retrieval.model` is empty: the retriever '{config.retriever}' needs an embedding model. "
            "Set it to a folder with model.onnx and tokenizer.json, or set retrieval.endpoint too and give the name "
            "that the endpoint knows."
        )
    key = ("dense", config.model, config.endpoint)
    found: Ranker = _once(world, key, lambda: _new_dense(texts, CachedEmbedder(_model(config))))
    return found


def _new_dense(texts: list[str], embedder: Embedder) -> Ranker:
    from planbench_xl.retrieval.dense import Dense

    return Dense(texts, embedder)


def _model(config: RetrievalConfig) -> Embedder:
    # Imported on use: most settings need neither.
    if config.endpoint:
        from planbench_xl.retrieval.endpoint import Endpoint

        return Endpoint(config.endpoint, config.model)
    from planbench_xl.retrieval.local_model import LocalModel

    return LocalModel(config.model)


def _once(world: World, key: tuple[str, ...], make: Callable[[], Any]) -> Any:
    """Return what was made for a world under a key, or make it: encoding all its texts takes a while."""
    # Kept where the world's own cached properties are, so that it lives exactly as long as the world.
    made: dict[tuple[str, ...], Any] = world.__dict__.setdefault(_INDEXES, {})
    if key not in made:
        made[key] = make()
    return made[key]
