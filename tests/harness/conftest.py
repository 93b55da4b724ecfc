from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("inspect_ai")

from planbench_xl.episodes.record import Episode  # noqa: E402
from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.harness.request import ModelRequest, run_models  # noqa: E402
from planbench_xl.runs.request import Request  # noqa: E402
from planbench_xl.runs.run import RunResult  # noqa: E402
from planbench_xl.world import World  # noqa: E402
from tests.harness.server import Server  # noqa: E402
from tests.harness.speaker import Speaker  # noqa: E402

KEY = "sk-scripted-0123456789abcdef"
MODEL = "openai-api/local/scripted"

Evaluate = Callable[..., RunResult]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "inspect-logs"))


@pytest.fixture(scope="session")
def speaker(mini: World) -> Speaker:
    return Speaker(mini)


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Evaluate the model of a server on the mini world, in the folder `run`."""

    def play(server: Server, request: dict[str, Any] | None = None, **models: Any) -> RunResult:
        asked = Request(**{"world": "mini", "out": str(tmp_path / "run"), **(request or {})})
        return run_models(asked, ModelRequest(**{"model": MODEL, "base_url": server.url, **models}))

    return play


def stored(folder: Path) -> dict[str, Episode]:
    """Return the episodes of a run by query and epoch, without what differs from run to run."""
    return {f"{e.query_id}#{e.epoch}": msgspec.structs.replace(e, seconds=0.0) for e in read_episodes(folder)}
