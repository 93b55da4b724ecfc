"""The cache of embeddings."""

import sqlite3
from pathlib import Path

import pytest

from planbench_xl.errors import RetrieverError
from planbench_xl.retrieval.embedding import CACHE, LONGEST, CachedEmbedder, cache_folder
from tests.retrieval.embedders import WordHash


def test_each_text_is_embedded_once(tmp_path: Path) -> None:
    model = WordHash()
    cached = CachedEmbedder(model, tmp_path)
    first = cached.embed(["a b", "c", "a b"])
    assert model.asked == ["a b", "c"]
    assert first == WordHash().embed(["a b", "c", "a b"])
    again = WordHash()
    assert CachedEmbedder(again, tmp_path).embed(["c", "d", "a b"]) == WordHash().embed(["c", "d", "a b"])
    assert again.asked == ["d"]
    assert cached.embed([]) == []


def test_models_are_kept_apart(tmp_path: Path) -> None:
    CachedEmbedder(WordHash(), tmp_path).embed(["a"])
    other = WordHash(identity="another")
    CachedEmbedder(other, tmp_path).embed(["a"])
    assert other.asked == ["a"]
    assert len(list((tmp_path / "embeddings").iterdir())) == 2


def test_what_was_stored_first_stays(tmp_path: Path) -> None:
    """A model whose answers waver is asked once, also by two processes at a time."""
    cached = CachedEmbedder(WordHash(), tmp_path)
    (stored,) = cached.embed(["a"])
    key = next(iter(sqlite3.connect(cached.path).execute("SELECT key FROM vectors")))[0]
    assert cached._keep({key: b"\0" * 256}) == {key: stored}


def test_many_long_and_odd_texts(tmp_path: Path) -> None:
    model = WordHash()
    texts = [f"text {number}" for number in range(1_100)] + ["\ud800", "x" * (LONGEST + 5)]
    assert len(CachedEmbedder(model, tmp_path).embed(texts)) == 1_102
    assert model.asked[-2:] == ["?", "x" * LONGEST]


def test_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))
    assert cache_folder() == tmp_path
    assert CachedEmbedder(WordHash()).path.is_relative_to(tmp_path)
    monkeypatch.delenv(CACHE)
    assert cache_folder() == Path.home() / ".cache" / "planbench-xl"


def test_a_cache_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RetrieverError, match=f"Set {CACHE}"):
        CachedEmbedder(WordHash(), tmp_path / "file").embed(["a"])
    cached = CachedEmbedder(WordHash(), tmp_path)
    cached.path.parent.mkdir()
    cached.path.write_text("no database, but long enough to be taken for one " * 50)
    with pytest.raises(RetrieverError, match="damaged, remove it"):
        cached.embed(["a"])
