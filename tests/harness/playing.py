"""Evaluates scripted models, for the tests of this folder. Needs Inspect AI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.episodes.record import Episode
from planbench_xl.episodes.store import read_episodes
from planbench_xl.harness.request import ModelRequest, run_models
from planbench_xl.runs.request import Request
from planbench_xl.runs.run import RunResult
from tests.harness.server import Server

KEY = "sk-scripted-0123456789abcdef"
MODEL = "openai-api/local/scripted"


def play_model(server: Server, out: Path, request: dict[str, Any] | None = None, **models: Any) -> RunResult:
    """Evaluate the model of a server, on the mini world if no other is named."""
    asked = Request(**{"world": "mini", "out": str(out), **(request or {})})
    return run_models(asked, ModelRequest(**{"model": MODEL, "base_url": server.url, **models}))


def stored(folder: Path) -> dict[str, Episode]:
    """Return the episodes of a run by query and epoch, without what differs from run to run."""
    return {f"{e.query_id}#{e.epoch}": msgspec.structs.replace(e, seconds=0.0) for e in read_episodes(folder)}
