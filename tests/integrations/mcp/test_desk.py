from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from planbench_xl.episodes.store import read_episodes
from planbench_xl.errors import StoreError
from planbench_xl.integrations.mcp import desk as module
from planbench_xl.integrations.mcp.desk import Desk, NoEpisode, open_desk
from planbench_xl.runs.manifest import read_manifest
from planbench_xl.runs.request import Request
from planbench_xl.runs.run import run
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World
from tests.integrations.mcp.calls import calls_of, played


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.0)


def desk(out: Path, restart: bool = False, **choices: int) -> Desk:
    request = Request(world="mini", agent="mcp", out=str(out), **choices)  # type: ignore[arg-type]
    return open_desk(request, "default", restart=restart)


def play(there: Desk, world: World, name: str) -> str:
    session = there.open(name)
    for call in calls_of(world, session.key[0]):
        session.call(*call)
    return session.key[0]


def test_sessions_play_what_is_missing_and_score_as_any_run(mini: World, tmp_path: Path) -> None:
    names = list(mini.query)
    with desk(tmp_path) as there:
        assert play(there, mini, names[3]) == names[3]
        others = [play(there, mini, f"client {number}") for number in range(len(names) - 1)]
        with pytest.raises(NoEpisode, match="No episode is left"):
            there.open("one too many")
    assert others == [name for name in names if name != names[3]]
    assert [e.query_id for e in read_episodes(tmp_path)] == sorted(names)
    manifest = read_manifest(tmp_path)
    assert manifest is not None and manifest.agent == "mcp" and manifest.protocol == "native/1:call_tool"
    assert not list((tmp_path / "journal").iterdir())
    for episode in read_episodes(tmp_path):
        there_too = played(mini, episode.query_id)
        assert (episode.status, len(episode.turns)) == (there_too.status, len(there_too.turns))
        assert episode.agent_seed != 0
    run(mini, tmp_path / "there", agent="oracle", protocol="native")
    here, there_score = score_folder(tmp_path), score_folder(tmp_path / "there")
    assert here.complete
    assert replace(here, protocol="") == replace(there_score, protocol="")


def test_a_name_leads_back_to_its_episode_in_another_process_too(mini: World, tmp_path: Path) -> None:
    with desk(tmp_path) as there:
        session = there.open("mine")
        calls = calls_of(mini, session.key[0])
        for call in calls[:2]:
            session.call(*call)
        said = session.exchanges[:]
        there.close_session("mine")
        assert there.open("mine") is not session
    with desk(tmp_path) as there:
        session = there.open("mine")
        assert session.exchanges == said
        assert there.open("other").key != session.key
        for call in calls[2:]:
            session.call(*call)
        assert session.over
    with desk(tmp_path) as there:
        session = there.open("mine")
        assert session.over and session.call("final_answer", {"answer": "again"}).is_error
    (episode,) = read_episodes(tmp_path)
    assert len(episode.turns) == len(calls)


def test_an_episode_that_ended_just_before_a_crash_is_stored(mini: World, tmp_path: Path) -> None:
    with desk(tmp_path) as there:
        session = there.open("mine")
        session._finish = lambda over: None  # The process dies here.
        session.call("final_answer", {"answer": "no idea"})
    assert not (tmp_path / "episodes.jsonl").read_bytes()
    with (tmp_path / "journal" / f"{session.key[0]}#0.jsonl").open("ab") as journal:
        journal.write(b'{"raw": "torn')
    with desk(tmp_path) as there:
        assert there.open("mine").over
    assert [episode.key for episode in read_episodes(tmp_path)] == [session.key]


def test_restarting_gives_unfinished_episodes_up(mini: World, tmp_path: Path) -> None:
    with desk(tmp_path) as there:
        over, left = play(there, mini, "done"), there.open("left")
        left.call("retrieve_tools", {})
    with desk(tmp_path, restart=True) as there:
        assert there.open("other").key == left.key
        assert there.open("other").exchanges == []
        assert there.open("done").key[0] == over


def test_the_queries_of_a_name_and_an_epoch(mini: World, tmp_path: Path) -> None:
    name = list(mini.query)[1]
    with desk(tmp_path, epochs=2) as there:
        assert there.open(f"{name}:1").key == (name, 1)
        assert there.open(name).key == (name, 0)
        with pytest.raises(NoEpisode, match="another session"):
            there.open(f"{name}:0")
        assert there.open(f"{name}:2").key == (next(iter(mini.query)), 0)
        for bad in ("", "x" * 201, "a\nb"):
            with pytest.raises(NoEpisode, match="printable"):
                there.open(bad)


def test_a_client_without_a_name_goes_on_and_then_gets_the_next(mini: World, tmp_path: Path) -> None:
    with desk(tmp_path) as there:
        first = there.unnamed()
        there.open(first)
        assert there.unnamed() == first
        play(there, mini, first)
        assert there.unnamed() != first


def test_another_run_in_the_folder_is_refused(tmp_path: Path) -> None:
    with desk(tmp_path), pytest.raises(StoreError, match="being written"):
        desk(tmp_path)
    with pytest.raises(StoreError, match="differs"):
        desk(tmp_path, agent_seed=3)
    with desk(tmp_path):
        pass


def test_a_broken_journal_is_named(tmp_path: Path) -> None:
    with desk(tmp_path) as there:
        key = there.open("mine").key
        there.open("mine").call("retrieve_tools", {})
    journal = tmp_path / "journal" / f"{key[0]}#0.jsonl"
    journal.write_bytes(b"{}\n")
    with desk(tmp_path) as there, pytest.raises(StoreError, match="line 1"):
        there.open("mine")
