"""A scripted model behind an endpoint that speaks OpenAI's chat completions, on the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from planbench_xl.agents import make_agent
from planbench_xl.environment import Environment, Setting, tags
from planbench_xl.world import World

Speak = Callable[[list[dict[str, Any]]], str]

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def oracle(world: World, setting: Setting | None = None) -> Speak:
    """Return a model that says, turn by turn, what the oracle does."""
    environment = Environment(world, setting)
    agent = make_agent("oracle", environment)
    said: dict[str, list[str]] = {}
    for query in world.queries:
        observation = environment.reset(query.query_id)
        agent.reset(0)
        replies = said[query.text] = []
        while not observation.done:
            action = agent.act(observation)
            replies.append(tags.render(action))
            observation = environment.step(action)

    def speak(messages: list[dict[str, Any]]) -> str:
        asked = next(message["content"] for message in messages if message["role"] == "user")
        replies = next(said[text] for text in sorted(said, key=len, reverse=True) if text in asked)
        return replies[sum(message["role"] == "assistant" for message in messages)]

    return speak


class Endpoint:
    """Serves while it is used as a context manager; answers with status 500 where `speak` raises."""

    def __init__(self, speak: Speak) -> None:
        self.speak = speak
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Endpoint:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    owner: Endpoint
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            text = self.owner.speak(body["messages"])
        except Exception as error:
            self._send(500, "application/json", json.dumps({"error": {"message": str(error)}}))
            return
        if body.get("stream"):
            self._send(200, "text/event-stream", _stream(body["model"], text))
        else:
            self._send(200, "application/json", _completion(body["model"], text))

    def _send(self, status: int, kind: str, answer: str) -> None:
        data = answer.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _completion(model: str, text: str) -> str:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": model}
    return json.dumps({**head, "choices": [choice], "usage": USAGE})


def _stream(model: str, text: str) -> str:
    """Return a completion as events: its text, its end, its usage."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model}
    said = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks = [{**head, "choices": [said]}, {**head, "choices": [end]}, {**head, "choices": [], "usage": USAGE}]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
