"""An embeddings API that follows a script, on this machine."""

import json
import struct
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from planbench_xl.errors import RetrieverError
from planbench_xl.retrieval.endpoint import ATTEMPTS, BATCH, KEY, Endpoint


class Script:
    """What the server answers, status and body in turn (then embeddings), and what it was sent."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any, dict[str, str]]] = []
        self.requests: list[tuple[str, str | None, Any]] = []
        self.base = ""

    def say(self, status: int, body: Any = None, **headers: str) -> None:
        self.answers.append((status, body, headers))


def embeddings(texts: list[str]) -> dict[str, Any]:
    data = [{"embedding": [len(text), 1], "index": number, "object": "embedding"} for number, text in enumerate(texts)]
    return {"object": "list", "data": data[::-1], "model": "m", "usage": {}}


@pytest.fixture
def script() -> Iterator[Script]:
    found = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.requests.append((self.path, self.headers.get("Authorization"), sent))
            status, body, headers = found.answers.pop(0) if found.answers else (200, None, {})
            body = embeddings(sent["input"]) if body is None else body
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body.encode() if isinstance(body, str) else json.dumps(body).encode())

        def do_GET(self) -> None:
            found.requests.append((self.path, self.headers.get("Authorization"), None))
            self.send_error(404)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.base = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = Thread(target=lambda: server.serve_forever(0.01))
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def endpoint(script: Script, waits: list[float], monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    monkeypatch.delenv(KEY, raising=False)
    return Endpoint(script.base + "/", "m", sleep=waits.append)


def floats(vectors: list[bytes]) -> list[tuple[float, ...]]:
    return [struct.unpack("<2f", vector) for vector in vectors]


def test_embeds_in_batches_and_in_order(script: Script, endpoint: Endpoint) -> None:
    texts = ["x" * (number % 7) for number in range(BATCH + 3)]
    assert floats(endpoint.embed(texts)) == [(max(len(text), 1), 1) for text in texts]
    assert [len(sent["input"]) for _, _, sent in script.requests] == [BATCH, 3]
    assert script.requests[0][:2] == ("/v1/embeddings", None)
    assert script.requests[0][2]["model"] == "m"
    assert endpoint.identity == f"endpoint:{script.base}#m"


def test_the_key_comes_from_the_environment(
    script: Script, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    endpoint.embed(["a"])
    assert script.requests[0][1] == "Bearer sk-secret"
    script.say(401, {"error": "sk-secret is not valid"})
    with pytest.raises(RetrieverError, match="status 401") as caught:
        endpoint.embed(["b"])
    assert "sk-secret" not in str(caught.value) and KEY in str(caught.value)
    assert len(script.requests) == 2


def test_it_asks_again(script: Script, endpoint: Endpoint, waits: list[float]) -> None:
    script.say(500, "down")
    script.say(429, "slow down", Retry_After="7")
    script.say(503, "", Retry_After="never")
    assert floats(endpoint.embed(["abc"])) == [(3, 1)]
    assert waits == [0.5, 7, 2]


def test_it_gives_up(script: Script, endpoint: Endpoint, waits: list[float]) -> None:
    for _ in range(ATTEMPTS):
        script.say(500, "down\nfor good")
    with pytest.raises(RetrieverError, match=r"status 500: down for good; tried 5 times.*retrieval\.endpoint"):
        endpoint.embed(["abc"])
    assert len(waits) == ATTEMPTS - 1


def test_nobody_there(waits: list[float]) -> None:
    with pytest.raises(RetrieverError, match="refused"):
        Endpoint("http://127.0.0.1:9/v1", "m", sleep=waits.append).embed(["a"])
    assert len(waits) == ATTEMPTS - 1


def test_redirects_are_not_followed(script: Script, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    script.say(302, "", Location=script.base + "/elsewhere")
    with pytest.raises(RetrieverError, match="status 302"):
        endpoint.embed(["a"])
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<html>", "no list of embeddings"),
        ({"data": [{"embedding": "AAAA", "index": 0}]}, "no list of embeddings"),
        ({"data": []}, "0 embeddings for 1 texts"),
        ({"data": [{"embedding": [1], "index": 3}]}, "1 embeddings for 1 texts"),
        ({"data": [{"embedding": [1e300], "index": 0}]}, "too large"),
    ],
)
def test_answers_of_another_kind(script: Script, endpoint: Endpoint, body: Any, message: str) -> None:
    script.say(200, body)
    with pytest.raises(RetrieverError, match=message):
        endpoint.embed(["a"])
