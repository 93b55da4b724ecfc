"""A server as a process of its own, and clients that play on it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from planbench_xl_openenv import PlanBenchAction, PlanBenchClient

from planbench_xl.agents import make_agent
from planbench_xl.environment import Environment, tags
from planbench_xl.episodes.record import Status
from planbench_xl.episodes.store import read_episodes
from planbench_xl.metrics import score_run
from planbench_xl.world import World, load_world

BIN = Path(sys.executable).parent


@pytest.fixture(scope="session")
def mini() -> World:
    return load_world("mini")


@pytest.fixture(scope="session")
def oracle(mini: World) -> dict[str, list[str]]:
    """What the oracle does, by query."""
    environment = Environment(mini)
    agent = make_agent("oracle", environment)
    said = {}
    for query in mini.queries:
        observation = environment.reset(query.query_id)
        agent.reset(0)
        replies = said[query.query_id] = []
        while not observation.done:
            action = agent.act(observation)
            replies.append(tags.render(action))
            observation = environment.step(action)
    return said


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """Serve the mini world on a free port; yield the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(BIN / "planbench-xl-openenv"), "--world", "mini", "--port", str(port), *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{address}/health", server)
        yield address
    finally:
        server.terminate()
        server.communicate(timeout=60)


def _wait(address: str, server: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while True:
        assert server.poll() is None, server.communicate()[0]
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "the server doesn't answer"
            time.sleep(0.2)


def play(address: str, episodes: dict[str, list[str]]) -> list[float]:
    """Play episodes over one connection; return their rewards."""
    rewards = []
    with PlanBenchClient(base_url=address).sync() as client:
        for query_id, replies in episodes.items():
            result = client.reset(query_id=query_id)
            assert result.observation.query_id == query_id
            assert "<retrieve_tools>" in result.observation.system
            for reply in replies:
                assert not result.done
                result = client.step(PlanBenchAction(text=reply))
            assert result.done
            assert client.state().step_count == len(replies)
            assert result.observation.figures["turns"] == len(replies)
            rewards.append(result.reward)
    return rewards


def test_one_client_after_the_other(mini: World, oracle: dict[str, list[str]], tmp_path: Path) -> None:
    nonsense = {query_id: ["I would rather not."] * 3 for query_id in list(oracle)[:3]}
    with serving("--out", str(tmp_path / "run")) as address:
        assert play(address, oracle) == [1] * len(oracle)
        assert play(address, nonsense) == [0] * 3
    episodes = read_episodes(tmp_path / "run")
    assert score_run(mini, [e for e in episodes if e.epoch == 0]).metrics["accuracy"].value == 1
    assert [e.status for e in episodes if e.epoch == 1] == [Status.FAILURE] * 3
    subprocess.run([str(BIN / "planbench-xl"), "score", str(tmp_path / "run")], check=True, capture_output=True)


def test_clients_at_the_same_time(mini: World, oracle: dict[str, list[str]], tmp_path: Path) -> None:
    with serving("--out", str(tmp_path / "run"), "--max-clients", "6") as address, ThreadPoolExecutor(6) as pool:
        rewards = list(pool.map(lambda _: play(address, oracle), range(6)))
    assert rewards == [[1] * len(oracle)] * 6
    episodes = read_episodes(tmp_path / "run")
    assert len({episode.key for episode in episodes}) == 6 * len(oracle)
    assert score_run(mini, episodes).metrics["accuracy"].value == 1


def test_seeds_and_faults() -> None:
    with serving("--set", "max_turns=2") as address, PlanBenchClient(base_url=address).sync() as client:
        drawn = [client.reset(seed=seed).observation.query_id for seed in (1, 2, 3, 1, 2, 3)]
        assert drawn[:3] == drawn[3:]
        assert client.reset(seed=1).observation.turns_left == 2
        with pytest.raises(Exception, match="isn't among the 11"):
            client.reset(query_id="no_such_query")
        client.reset(seed=1)
        client.step(PlanBenchAction(text="<"))
        assert client.step(PlanBenchAction(text="<")).observation.reason == "exceeded_max_turns"
        with pytest.raises(Exception, match="The episode is over"):
            client.step(PlanBenchAction(text="<"))


def test_a_wrong_start_says_what_to_do() -> None:
    command = [str(BIN / "planbench-xl-openenv"), "--world", "mini", "--split", "dev"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "no split 'dev'" in done.stderr
