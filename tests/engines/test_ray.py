"""The engine ray on a cluster of two nodes on this machine; needs the extra `ray`."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")

from planbench_xl.audit.solutions import solution_paths, spread_paths  # noqa: E402
from planbench_xl.construct import Knobs, Recipe, build_world, load_domain  # noqa: E402
from planbench_xl.construct.reading import EXAMPLE  # noqa: E402
from planbench_xl.engines import spread  # noqa: E402
from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.errors import PlanBenchError, UsageError  # noqa: E402
from planbench_xl.runs.plans import make_plans  # noqa: E402
from planbench_xl.runs.presets import load_setting  # noqa: E402
from planbench_xl.runs.run import run  # noqa: E402
from planbench_xl.runs.scores import score_folder  # noqa: E402
from planbench_xl.world import World  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]


@pytest.fixture(scope="module", autouse=True)
def two_nodes() -> Iterator[None]:
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # The nodes' workers are to find this module.
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[2])
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    os.environ["RAY_ADDRESS"] = cluster.address
    yield
    del os.environ["RAY_ADDRESS"]
    cluster.shutdown()


def where(number: int) -> tuple[int, str]:
    time.sleep(0.5)
    return number, ray.get_runtime_context().get_node_id()


def fail(number: int) -> None:
    raise UsageError(f"no {number}")


def die_once(path: str) -> str:
    """Die the first time."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_both_nodes_work() -> None:
    found = list(spread(where, range(8), workers=2, engine="ray"))
    assert [number for number, _ in found] == list(range(8))
    assert len({node for _, node in found}) == 2


def test_errors_come_through() -> None:
    with pytest.raises(UsageError, match="no 1"):
        list(spread(fail, [1], engine="ray"))


def test_what_a_killed_worker_was_at_is_done_again(tmp_path: Path) -> None:
    assert list(spread(die_once, [str(tmp_path / name) for name in "ab"], engine="ray")) == ["done", "done"]


def test_runs_are_the_same_as_here(mini: World, tmp_path: Path) -> None:
    setting = load_setting("one-path")
    for engine in ("local", "ray"):
        run(mini, tmp_path / engine, agent="random", setting=setting, epochs=3, workers=2, engine=engine)  # type: ignore[arg-type]
    here, there = (read_episodes(tmp_path / name) for name in ("local", "ray"))
    assert [_timeless(episode) for episode in here] == [_timeless(episode) for episode in there]
    assert score_folder(tmp_path / "local") == score_folder(tmp_path / "ray")


def _timeless(episode: object) -> object:
    import msgspec

    return msgspec.structs.replace(episode, seconds=0)  # type: ignore[type-var]


def test_a_killed_player_loses_nothing(mini: World, tmp_path: Path) -> None:
    """Workers are killed again and again while a run goes on."""
    stop = threading.Event()
    killed: list[int] = []

    def killing() -> None:
        while not stop.wait(2.0) and len(killed) < 3:
            for process in Path("/proc").iterdir():
                try:
                    name = (process / "cmdline").read_bytes()
                except OSError:
                    continue
                if name.startswith(b"ray::Worker"):
                    os.kill(int(process.name), signal.SIGKILL)
                    killed.append(int(process.name))
                    break

    thread = threading.Thread(target=killing)
    thread.start()
    try:
        result = run(mini, tmp_path / "run", agent="random", epochs=400, workers=2, engine="ray")
    finally:
        stop.set()
        thread.join()
    assert killed
    assert result.progress.done == result.progress.total == 400 * len(mini.queries)
    assert len(read_episodes(tmp_path / "run")) == result.progress.total


def test_faults_of_the_world_come_through(mini: World, tmp_path: Path) -> None:
    with pytest.raises(PlanBenchError, match=r"no\.module"):
        run(mini, tmp_path, agent="no.module:agent", engine="ray")


def test_plans_and_paths_are_the_same_as_here(mini: World) -> None:
    assert make_plans("mini", "one-path", engine="ray", workers=2) == make_plans("mini", "one-path")
    assert list(spread_paths("mini", engine="ray", workers=2)) == list(solution_paths(mini))


def test_builds_are_the_same_as_here() -> None:
    domain, digest = load_domain(EXAMPLE)
    knobs = Knobs(records=60, tools=36, queries=20, lengths={"3": 10, "4": 6, "5": 4})
    recipe = Recipe(domain.name, digest, 7, "template", knobs)
    assert build_world(domain, recipe, engine="ray", workers=2) == build_world(domain, recipe)


def test_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(UsageError, match=r"RAY_ADDRESS=127\.0\.0\.1:1"):
        list(spread(where, [1], engine="ray"))
