"""A run is killed again and again; in the end it must be as if nothing had happened."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from planbench_xl.episodes.store import EPISODES
from planbench_xl.runs.run import run
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World
from tests.runs.conftest import records

REPOSITORY = Path(__file__).parent.parent.parent
EPOCHS = 12


def start(out: Path, workers: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "planbench_xl.cli", "run", "--world", "mini", "--quiet"]
    command += ["--agent", "tests.runs.agents:Slow"]
    command += ["--epochs", str(EPOCHS), "--workers", str(workers), "--out", str(out)]
    # A session of its own, so that workers left over can be found by it.
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, start_new_session=True)


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def gone(session: int) -> bool:
    """Say whether every process of a session is gone, soon."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs POSIX signals")
@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_again_and_again(mini: World, tmp_path: Path, kills: int) -> None:
    rng = random.Random(7)
    out = tmp_path / "killed"
    killed = 0
    for attempt in range(kills):
        before = size(out / EPISODES)
        process = start(out, workers=1 + attempt % 2)
        while size(out / EPISODES) <= before and process.poll() is None:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.06))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert size(out / EPISODES) >= before
        if attempt % 2:
            assert gone(process.pid), "a worker outlives its run"
        # Killed in the middle of a write: the next start has to cut this off.
        if attempt % 3 == 0:
            with (out / EPISODES).open("ab") as file:
                file.write(b'{"query_id":"library_query_0')
    assert killed == kills, "the run is too short for this test"
    assert start(out, workers=2).wait() == 0

    run(mini, tmp_path / "undisturbed", agent="tests.runs.agents:Slow", epochs=EPOCHS)
    assert len(records(out)) == EPOCHS * len(mini.queries)
    assert records(out) == records(tmp_path / "undisturbed")
    score, undisturbed = score_folder(out), score_folder(tmp_path / "undisturbed")
    assert score.complete
    assert msgspec.json.encode(score) == msgspec.json.encode(undisturbed)
