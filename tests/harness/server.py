"""A scripted server that speaks OpenAI's chat completions, with every trouble that one can have, and embeddings."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
Speak = Callable[[Body], Body]
Trouble = Callable[[Body, int], str | None]
Embed = Callable[[list[str]], list[list[float]]]

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


class Server:
    """Serves on a free port of the loopback while it is used as a context manager.

    Args:
        speak: Returns the message that answers a request; its key `finish` is the reason of the stop.
        trouble: Returns what goes wrong with a request, given its body and how often the same one was asked before.
        latency: Seconds that every answer takes.
        usage: Tokens that every answer tells; None to tell none.
        embed: Returns the embeddings of texts; None to serve none.
    """

    def __init__(
        self,
        speak: Speak,
        trouble: Trouble | None = None,
        latency: float = 0.0,
        usage: Body | None = USAGE,
        embed: Embed | None = None,
    ) -> None:
        self.speak = speak
        self.trouble = trouble or (lambda body, asked: None)
        self.latency = latency
        self.usage = usage
        self.embed = embed
        self.asked: dict[str, int] = {}
        self.bodies: list[Body] = []
        self.busy = self.busiest = 0
        self.busy_seconds = 0.0
        self.closing = threading.Event()
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = _Threads(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Server:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def answered(self) -> int:
        """Number of different requests."""
        return len(self.asked)

    def count(self, body: Body) -> int:
        """Count a request; return how often the same one was asked before."""
        key = json.dumps(body["messages"])
        with self._lock:
            before = self.asked.get(key, 0)
            self.asked[key] = before + 1
            self.bodies.append(body)
        return before

    def occupy(self, step: int) -> None:
        """Count the requests that are being served."""
        with self._lock:
            self.busy += step
            self.busiest = max(self.busiest, self.busy)


class _Threads(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


class _Handler(BaseHTTPRequestHandler):
    owner: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.owner.embed is not None and self.path.endswith("/embeddings"):
            found = enumerate(self.owner.embed(body["input"]))
            self._send(200, {"data": [{"index": number, "embedding": vector} for number, vector in found]})
            return
        self.owner.occupy(1)
        started = time.monotonic()
        try:
            self._answer(body, self.owner.trouble(body, self.owner.count(body)))
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            self.owner.busy_seconds += time.monotonic() - started
            self.owner.occupy(-1)

    def _answer(self, body: Body, trouble: str | None) -> None:
        if trouble == "hang":
            self.owner.closing.wait(30)
            self.close_connection = True
            return
        if self.owner.latency:
            time.sleep(self.owner.latency)
        if trouble == "429":
            self._send(429, _error("slow down", "rate_limit_exceeded"), {"Retry-After": "0.05"})
        elif trouble == "500":
            self._send(500, _error("try again", "server_error"), {"retry-after-ms": "20"})
        elif trouble == "401":
            key = self.headers["Authorization"].removeprefix("Bearer ")
            self._send(401, _error(f"Incorrect API key provided: {key}", "invalid_api_key"))
        elif trouble == "overflow":
            self._send(400, _error("the prompt is too long", "context_length_exceeded"))
        elif trouble == "malformed":
            self._send_bytes(200, b'{"choices": [', {})
        elif trouble == "nothing":
            self._send(200, self._completion(body, []))
        else:
            self._reply(body, cut=trouble == "cut")

    def _reply(self, body: Body, cut: bool) -> None:
        message = dict(self.owner.speak(body))
        finish = message.pop("finish", "tool_calls" if message.get("tool_calls") else "stop")
        if body.get("stream"):
            self._stream(body, message, finish, cut)
        elif cut:
            data = json.dumps(self._completion(body, [_choice(message, finish)])).encode()
            self._send_bytes(200, data[: len(data) // 2], {}, length=len(data))
            self.close_connection = True
        else:
            self._send(200, self._completion(body, [_choice(message, finish)]))

    def _completion(self, body: Body, choices: list[Body]) -> Body:
        whole = {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"], "choices": choices}
        return whole if self.owner.usage is None else {**whole, "usage": self.owner.usage}

    def _stream(self, body: Body, message: Body, finish: str, cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        deltas = list(_deltas(message))
        for delta in deltas[: len(deltas) // 2] if cut else deltas:
            self._chunk({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        if cut:
            return
        self._chunk({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if self.owner.usage is not None:
            self._chunk({**head, "choices": [], "usage": self.owner.usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _chunk(self, chunk: Body) -> None:
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    def _send(self, status: int, answer: Body, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(answer).encode(), headers or {})

    def _send_bytes(self, status: int, data: bytes, headers: dict[str, str], length: int | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)


def _choice(message: Body, finish: str) -> Body:
    return {"index": 0, "message": message, "finish_reason": finish}


def _error(message: str, code: str) -> Body:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


def _deltas(message: Body) -> list[Body]:
    """Return a message in pieces."""
    content = message.get("content") or ""
    pieces: list[Body] = [{"role": "assistant", "content": ""}]
    pieces += [{"content": content[i : i + 7]} for i in range(0, len(content), 7)]
    for number, call in enumerate(message.get("tool_calls") or []):
        function, arguments = call["function"], call["function"]["arguments"]
        first = {"index": number, "id": call["id"], "type": "function", "function": {**function, "arguments": ""}}
        pieces.append({"tool_calls": [first]})
        for i in range(0, len(arguments), 9):
            pieces.append({"tool_calls": [{"index": number, "function": {"arguments": arguments[i : i + 9]}}]})
    return pieces
