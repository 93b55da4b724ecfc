"""The published release, played through a server by the oracle's choices."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")

from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World
from tests.harness.playing import play_model
from tests.harness.server import Server
from tests.harness.speaker import Speaker

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("protocol", ["text", "native"])
@pytest.mark.parametrize("setting", ["default", "one-path"])
def test_the_full_set(release: World, shared: Path, tmp_path: Path, protocol: str, setting: str) -> None:
    speaker = Speaker(release, load_setting(setting))
    solvable = len(release.queries)
    with Server(speaker.message) as server:
        result = play_model(
            server,
            tmp_path / "run",
            {"world": str(shared / "release"), "protocol": protocol, "overrides": _fields(setting)},
            max_connections=16,
        )
    score = score_folder(result.folder, release)
    assert (score.scored, score.succeeded, score.errors, score.complete) == (solvable, solvable, 0, True)
    (log,) = (result.folder / "logs").glob("*.eval")
    assert log.stat().st_size < 10_000_000


def _fields(setting: str) -> tuple[str, ...]:
    return () if setting == "default" else ("blocking.enabled=true",)
