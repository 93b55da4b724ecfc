"""An embedding model behind an OpenAI-compatible API: `POST BASE/embeddings`."""

from __future__ import annotations

import json
import os
import struct
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException
from typing import IO

import msgspec

from planbench_xl.errors import RetrieverError

KEY = "PLANBENCH_XL_EMBEDDING_KEY"
"""Environment variable that holds the key. It is sent to the endpoint and nowhere else, and never stored."""

BATCH = 64
ATTEMPTS = 5
TIMEOUT_SECONDS = 60.0
LONGEST_WAIT = 30.0
LARGEST_REPLY = 100_000_000
SHOWN = 200


class _Vector(msgspec.Struct, frozen=True):
    embedding: list[float]
    index: int


class _Reply(msgspec.Struct, frozen=True):
    data: list[_Vector]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the key is for the endpoint alone."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: object, newurl: str
    ) -> None:
        """Return no further request."""


class Endpoint:
    """Embeds texts over the network, in batches; asks again where that can help.

    Args:
        base: Base URL of the API, as in `http://localhost:8000/v1`.
        model: The endpoint's name for the model.
        sleep: Waits between attempts.
    """

    def __init__(self, base: str, model: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.base = base.rstrip("/")
        self.model = model
        self.identity = f"endpoint:{self.base}#{model}"
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the embedding of each text.

        Raises:
            RetrieverError: The endpoint refuses, can't be reached, or answers something else.
        """
        vectors: list[bytes] = []
        for start in range(0, len(texts), BATCH):
            vectors += self._batch(texts[start : start + BATCH])
        return vectors

    def _batch(self, texts: Sequence[str]) -> list[bytes]:
        # An empty text is refused by many endpoints.
        body = {"model": self.model, "input": [text or " " for text in texts], "encoding_format": "float"}
        answer = self._ask(json.dumps(body).encode())
        try:
            found = sorted(msgspec.json.decode(answer, type=_Reply).data, key=lambda vector: vector.index)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._failure(f"its answer is no list of embeddings ({error})") from error
        if [vector.index for vector in found] != list(range(len(texts))):
            raise self._failure(f"it gave {len(found)} embeddings for {len(texts)} texts")
        try:
            return [struct.pack(f"<{len(vector.embedding)}f", *vector.embedding) for vector in found]
        except OverflowError as error:
            raise self._failure("it gave a number that is too large") from error

    def _ask(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        key = os.environ.get(KEY)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        problem = ""
        for attempt in range(ATTEMPTS):
            request = urllib.request.Request(f"{self.base}/embeddings", body, headers)
            wait = 0.5 * 2**attempt
            try:
                with self._opener.open(request, timeout=TIMEOUT_SECONDS) as reply:
                    read: bytes = reply.read(LARGEST_REPLY)
                    return read
            except urllib.error.HTTPError as error:
                problem = f"status {error.code}: {_said(error)}"
                if error.code != 429 and error.code < 500:
                    raise self._failure(problem) from None
                wait = _asked_wait(error, wait)
            except (OSError, HTTPException) as error:
                problem = str(getattr(error, "reason", "") or error or type(error).__name__)
            if attempt < ATTEMPTS - 1:
                self._sleep(min(wait, LONGEST_WAIT))
        raise self._failure(f"{problem}; tried {ATTEMPTS} times")

    def _failure(self, problem: str) -> RetrieverError:
        return RetrieverError(
            f"Embedding model '{self.model}' at {self.base} can't be used: {problem}. Check retrieval.endpoint, "
            f"retrieval.model and the key in {KEY}."
        )


def _said(error: urllib.error.HTTPError) -> str:
    """Return the beginning of what an endpoint said, on one line, without the key should it be quoted there."""
    try:
        text = error.read(10_000).decode("utf-8", "replace")
    except (OSError, HTTPException):
        text = ""
    key = os.environ.get(KEY)
    text = text.replace(key, "…") if key else text
    return " ".join(text.split())[:SHOWN] or str(error.reason)


def _asked_wait(error: urllib.error.HTTPError, usual: float) -> float:
    try:
        return max(0.0, float(error.headers.get("Retry-After", usual)))
    except ValueError:
        return usual
