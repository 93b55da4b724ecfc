"""Retrievers as a setting makes them."""

import pickle
from pathlib import Path

import msgspec
import pytest

from planbench_xl.errors import RetrieverError, SettingError
from planbench_xl.retrieval import (
    ReferenceRetriever,
    Request,
    RetrievalConfig,
    RetrieverName,
    check_retrieval,
    make_retriever,
    normalise,
)
from planbench_xl.retrieval.embedding import CACHE
from planbench_xl.retrieval.ranking import request_text, tool_text
from planbench_xl.world import Role, World
from tests.retrieval.embedders import WordHash

RANKING: tuple[RetrieverName, ...] = ("bm25", "dense", "hybrid")


@pytest.mark.parametrize("name", RANKING)
def test_tools_are_found_by_their_own_texts(mini: World, name: RetrieverName) -> None:
    if name != "bm25":
        pytest.importorskip("numpy")
    retriever = make_retriever(mini, RetrievalConfig(retriever=name, top_k=5), WordHash())
    for tool in mini.executable:
        request: Request = {"domain": "d", "meta_tool": "by_query", "query": tool_text(tool)}
        found = retriever.retrieve(request)
        assert found.tools[0] == tool
        assert found.ranked and not found.missing and found.matched is None
        assert len(found.tools) <= 5 and all(tool.role is Role.EXECUTABLE for tool in found.tools)
        assert retriever.retrieve(request | {"top_k": 2}).tools == found.tools[:2]
        assert retriever.retrieve(request) == found


def test_the_text_of_a_request() -> None:
    def text(body: Request) -> str:
        return request_text(normalise(body, "d", free_text=True))

    assert text({"meta_tool": "by_output_info", "output_information": "the  price"}) == "the price"
    assert text({"meta_tool": "by_inputs", "input_information": ["day", "hour"]}) == "from day and hour"
    body = {"meta_tool": "by_io_info", "output_information": "price", "input_information": ["day"]}
    assert text(body) == "price from day"
    assert text({"meta_tool": "by_query", "query": " what  it costs "}) == "what it costs"


def test_indexes_are_made_once_per_world(mini: World) -> None:
    world = msgspec.structs.replace(mini)
    assert make_retriever(world, RetrievalConfig()) is make_retriever(world, RetrievalConfig(top_k=3))
    assert isinstance(make_retriever(world, RetrievalConfig()), ReferenceRetriever)
    make_retriever(world, RetrievalConfig(retriever="bm25"))
    assert set(world.__dict__["_retrieval_indexes"]) == {("reference",), ("bm25",)}
    # Nothing of it goes to the processes that a run starts.
    assert "_retrieval_indexes" not in pickle.loads(pickle.dumps(world)).__dict__


def test_an_endpoint_that_is_asked_once(mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setenv(CACHE, str(tmp_path))
    asked: list[int] = []

    class Model(WordHash):
        def __init__(self, base: str, model: str) -> None:
            super().__init__(identity=f"{base} {model}")

        def embed(self, texts: list[str]) -> list[bytes]:  # type: ignore[override]
            asked.append(len(texts))
            return super().embed(texts)

    monkeypatch.setattr("planbench_xl.retrieval.endpoint.Endpoint", Model)
    config = RetrievalConfig(retriever="hybrid", model="m", endpoint="http://localhost:1/v1")
    request: Request = {"domain": "d", "meta_tool": "by_output_info", "output_information": "repair cost"}
    first = make_retriever(msgspec.structs.replace(mini), config).retrieve(request)
    assert asked == [len(mini.executable), 1]
    # Another process has another copy of the world, and the same cache.
    assert make_retriever(msgspec.structs.replace(mini), config).retrieve(request) == first
    assert asked == [len(mini.executable), 1]


def test_choices_that_do_not_go_together(mini: World, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"retrieval\.free_text.*takes no free text"):
        make_retriever(mini, RetrievalConfig(free_text=True))
    with pytest.raises(SettingError, match=r"retrieval\.model` is empty: the retriever 'dense'"):
        make_retriever(mini, RetrievalConfig(retriever="dense"))
    with pytest.raises(RetrieverError, match="is no embedding model"):
        make_retriever(mini, RetrievalConfig(retriever="hybrid", model=str(tmp_path)))


@pytest.mark.parametrize(
    "endpoint",
    [
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "https://me:secret@host/v1",
        "https://host/v1?key=secret",
        "http://[",
        "file:///secret",
    ],
)
def test_addresses_that_cannot_be_stored(endpoint: str) -> None:
    with pytest.raises(SettingError, match=r"retrieval\.endpoint") as caught:
        check_retrieval(RetrievalConfig(endpoint=endpoint))
    assert "secret" not in str(caught.value)


def test_plain_addresses() -> None:
    for endpoint in ("http://localhost:8000/v1", "https://api.example.org/v1/"):
        check_retrieval(RetrievalConfig(endpoint=endpoint))


def test_settings_of_older_runs_are_read() -> None:
    old = {"retriever": "reference", "distractors": False, "max_tools": 12}
    assert msgspec.convert(old, RetrievalConfig) == RetrievalConfig(distractors=False, max_tools=12)
