"""An evaluation that is killed loses at most the turn in flight."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from tests.harness.playing import KEY, MODEL, play_model, stored
from tests.harness.server import Server
from tests.harness.speaker import Speaker

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("protocol", ["text", "native"])
def test_kill(speaker: Speaker, tmp_path: Path, protocol: str) -> None:
    options = ["--limit", "4", "--protocol", protocol, "--max-connections", "2", "--out", str(tmp_path / "killed")]
    with Server(speaker.message, latency=0.1) as server:
        command = [sys.executable, "-m", "planbench_xl", "run", "--world", "mini", "--model", MODEL, "--json", *options]
        command += ["--base-url", server.url]
        environment = {**os.environ, "LOCAL_API_KEY": KEY}
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        _wait(lambda: len(server.bodies) >= 17)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert list((tmp_path / "killed" / "journal").iterdir())
        _wait(lambda: server.busy == 0)
        first = dict(server.asked)
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        again = [request for request in first if server.asked[request] > 1]
        # Two calls were in flight.
        assert len(again) <= 2
        assert max(server.asked.values()) <= 2
        whole = play_model(server, tmp_path / "whole", {"limit": 4, "protocol": protocol})
    assert stored(tmp_path / "killed") == stored(whole.folder)


def _wait(condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)
