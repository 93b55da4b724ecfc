from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planbench_xl.world import World
from tests.harness.server import Server
from tests.harness.speaker import Speaker

Evaluate = Callable[..., Any]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "sk-scripted-0123456789abcdef")


@pytest.fixture(scope="session")
def speaker(mini: World) -> Speaker:
    return Speaker(mini)


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Evaluate the model of a server on the mini world, in the folder `run`."""
    from tests.harness.playing import play_model

    def play(server: Server, request: dict[str, Any] | None = None, **models: Any) -> Any:
        return play_model(server, tmp_path / "run", request, **models)

    return play
