import multiprocessing
import time
from pathlib import Path

import pytest

from planbench_xl.episodes.store import read_episodes
from planbench_xl.errors import BackendError, PlanBenchError
from planbench_xl.runs import player, workers
from planbench_xl.runs.run import run
from planbench_xl.world import World
from tests.runs.conftest import records

AGENTS = "tests.runs.agents"


def none_left() -> bool:
    """Say whether all worker processes are gone, soon."""
    end = time.monotonic() + 5
    while multiprocessing.active_children() and time.monotonic() < end:
        time.sleep(0.01)
    return not multiprocessing.active_children()


def test_workers_play_the_same_episodes(mini: World, tmp_path: Path) -> None:
    run(mini, tmp_path / "one", agent="random", epochs=3)
    result = run(mini, tmp_path / "three", agent="random", epochs=3, workers=3)
    assert records(tmp_path / "three") == records(tmp_path / "one")
    assert result.progress.played == 3 * len(mini.queries)
    assert none_left()


def test_more_workers_than_episodes(mini: World, tmp_path: Path) -> None:
    run(mini, tmp_path, agent="oracle", workers=4, queries=list(mini.query)[:2])
    assert len(read_episodes(tmp_path)) == 2
    assert none_left()


def test_spawned_workers_do_as_forked_ones(mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_can_fork", lambda: False)
    run(mini, tmp_path / "two", agent="oracle", workers=2)
    run(mini, tmp_path / "one", agent="oracle")
    assert records(tmp_path / "two") == records(tmp_path / "one")


def test_a_dead_worker_is_noticed_and_the_run_continues(
    mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = f"{AGENTS}:Dying"
    monkeypatch.setenv("FIXED", str(tmp_path / "fixed"))
    with pytest.raises(PlanBenchError, match=r"A worker process died \(exit status -9\).*start the run again"):
        run(mini, tmp_path / "a", agent=agent, workers=2)
    assert none_left()
    assert len(read_episodes(tmp_path / "a")) == len(mini.queries) - 1
    (tmp_path / "fixed").write_text("")
    assert run(mini, tmp_path / "a", agent=agent, workers=2).progress.played == 1


def test_a_fault_of_the_world_is_told_by_the_parent(
    mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise BackendError("the records can't be indexed")

    monkeypatch.setattr(player, "rollout", fail)
    monkeypatch.setattr(workers, "_can_fork", lambda: True)
    with pytest.raises(PlanBenchError, match="the records can't be indexed"):
        run(mini, tmp_path, agent="oracle", workers=2)
    assert none_left()


def test_a_fault_of_ours_shows_its_traceback(mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "rollout", lambda *_, **__: 1 / 0)
    monkeypatch.setattr(workers, "_can_fork", lambda: True)
    with pytest.raises(RuntimeError, match=r"(?s)A worker process failed.*ZeroDivisionError"):
        run(mini, tmp_path, agent="oracle", workers=2)
    assert none_left()


def test_an_interrupt_ends_the_workers(mini: World, tmp_path: Path) -> None:
    def interrupt(state: object) -> None:
        if state.played:  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(mini, tmp_path, agent=f"{AGENTS}:Slow", workers=2, epochs=20, progress=interrupt)
    assert none_left()
    assert read_episodes(tmp_path)
