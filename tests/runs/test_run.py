import errno
import os
from pathlib import Path

import pytest

from planbench_xl.agents import make_agent
from planbench_xl.environment import Environment
from planbench_xl.episodes import store
from planbench_xl.episodes.record import Status
from planbench_xl.episodes.store import EPISODES, read_episodes
from planbench_xl.errors import AgentError, PromptError, SettingError, StoreError, UsageError
from planbench_xl.runs.manifest import MANIFEST, read_manifest
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.rollout import rollout
from planbench_xl.runs.run import Progress, known_queries, run, sample_queries
from planbench_xl.world import World
from tests.runs.conftest import records

AGENTS = "tests.runs.agents"


def test_a_run(mini: World, tmp_path: Path) -> None:
    states: list[tuple[int, int]] = []
    result = run(mini, tmp_path / "a", agent="oracle", progress=lambda state: states.append((state.done, state.total)))
    count = len(mini.queries)
    assert states == [(i, count) for i in range(count + 1)]
    assert result.progress.accuracy == 1.0
    assert result.progress.errors == 0
    manifest = read_manifest(tmp_path / "a")
    assert manifest == result.manifest
    assert manifest is not None
    assert (manifest.world, manifest.world_source, manifest.agent) == (mini.name, "mini", "oracle")
    assert manifest.queries == tuple(mini.query)
    episodes = read_episodes(tmp_path / "a")
    assert {episode.key for episode in episodes} == set(manifest.keys)
    assert sum(len(episode.turns) for episode in episodes) == result.progress.turns
    environment = Environment(mini)
    alone = rollout(environment, make_agent("oracle", environment), episodes[0].query_id)
    assert alone.turns == episodes[0].turns


def test_a_run_continues_and_is_the_same_as_an_undisturbed_one(mini: World, tmp_path: Path) -> None:
    run(mini, tmp_path / "whole", agent="random", epochs=2)
    names = tuple(mini.query)
    run(mini, tmp_path / "parts", agent="random", queries=names[3:5])
    run(mini, tmp_path / "parts", agent="random", queries=names[:4], epochs=2)
    result = run(mini, tmp_path / "parts", agent="random", epochs=2)
    assert result.progress.present == 9
    assert records(tmp_path / "parts") == records(tmp_path / "whole")
    again = run(mini, tmp_path / "parts", agent="random", epochs=2)
    assert (again.progress.played, again.progress.present) == (0, 2 * len(names))
    fewer = run(mini, tmp_path / "parts", agent="random", queries=names[:1])
    assert (fewer.progress.total, fewer.progress.played) == (1, 0)
    assert fewer.manifest == again.manifest
    assert fewer.manifest.queries == names


def test_epochs_differ_and_seeds_matter(mini: World, tmp_path: Path) -> None:
    names = list(mini.query)[:1]
    run(mini, tmp_path / "a", agent="random", queries=names, epochs=4)
    run(mini, tmp_path / "b", agent="random", queries=names, epochs=4, agent_seed=1)
    assert len({str(episode.turns) for episode in read_episodes(tmp_path / "a")}) > 1
    assert records(tmp_path / "a") != records(tmp_path / "b")


def test_what_differs_is_refused_and_nothing_is_changed(mini: World, tmp_path: Path) -> None:
    run(mini, tmp_path, agent="oracle", queries=list(mini.query)[:2])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match="agent: oracle → random"):
        run(mini, tmp_path, agent="random")
    with pytest.raises(StoreError, match=r"setting.max_turns: 100 → 9"):
        run(mini, tmp_path, agent="oracle", setting=load_setting("default", ["max_turns=9"]))
    with pytest.raises(StoreError, match=r"agent_seed: 0 → 3"):
        run(mini, tmp_path, agent="oracle", agent_seed=3)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_another_world_is_refused(mini: World, tmp_path: Path) -> None:
    other = World(**{name: getattr(mini, name) for name in mini.__struct_fields__} | {"overview": "Another."})
    run(mini, tmp_path, agent="oracle", queries=list(mini.query)[:1])
    with pytest.raises(StoreError, match="world_fingerprint: "):
        run(other, tmp_path, agent="oracle")


def test_the_worlds_place_does_not_depend_on_the_working_folder(tmp_path: Path) -> None:
    import shutil

    from planbench_xl.world import find_world

    shutil.copytree(find_world("mini"), tmp_path / "copy")
    by_name = run("mini", tmp_path / "a", agent="do-nothing")
    by_path = run("copy", tmp_path / "b", agent="do-nothing")
    assert by_name.manifest.world_source == "mini"
    assert by_path.manifest.world_source == str(tmp_path / "copy")
    assert records(tmp_path / "a") == records(tmp_path / "b")


def test_what_makes_no_sense_is_refused_before_anything_is_written(mini: World, tmp_path: Path) -> None:
    out = tmp_path / "never"
    with pytest.raises(AgentError, match="Did you mean 'oracle'"):
        run(mini, out, agent="orcle")
    with pytest.raises(UsageError, match="Did you mean 'library_query_07'"):
        run(mini, out, agent="oracle", queries=["libary_query_07"])
    with pytest.raises(UsageError, match="No query is asked for"):
        run(mini, out, agent="oracle", queries=[])
    with pytest.raises(UsageError, match="epochs is 0"):
        run(mini, out, agent="oracle", epochs=0)
    with pytest.raises(UsageError, match="workers is -1"):
        run(mini, out, agent="oracle", workers=-1)
    with pytest.raises(PromptError):
        run(mini, out, agent="oracle", prompts=tmp_path / "nothing")
    with pytest.raises(SettingError):
        run(mini, out, agent="oracle", setting=load_setting("default").__class__(max_turns=0))
    assert not out.exists()


def test_episodes_without_a_manifest_are_not_touched(mini: World, tmp_path: Path) -> None:
    run(mini, tmp_path, agent="oracle")
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(StoreError, match=f"has episodes but no {MANIFEST}"):
        run(mini, tmp_path, agent="oracle")


def test_own_prompts_are_another_protocol(mini: World, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "end.md").write_text("Finis.")
    queries = list(mini.query)[:1]
    first = run(mini, tmp_path / "a", agent="oracle", queries=queries, prompts=prompts)
    assert first.manifest.protocol.startswith("text/1+")
    assert read_episodes(tmp_path / "a")[0].protocol == first.manifest.protocol
    with pytest.raises(StoreError, match=r"protocol: text/1\+\w+ → text/1\n"):
        run(mini, tmp_path / "a", agent="oracle", queries=queries)
    (prompts / "end.md").write_text("Over.")
    with pytest.raises(StoreError, match="protocol: "):
        run(mini, tmp_path / "a", agent="oracle", queries=queries, prompts=prompts)


def test_errors_are_stored_and_only_those_are_repeated(
    mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = f"{AGENTS}:Raising"
    monkeypatch.setenv("FIXED", str(tmp_path / "fixed"))
    result = run(mini, tmp_path / "a", agent=agent)
    wrong = len(mini.queries) // 2
    assert result.progress.errors == wrong
    assert result.progress.accuracy == 1.0
    (tmp_path / "fixed").write_text("")
    assert run(mini, tmp_path / "a", agent=agent).progress.played == 0
    result = run(mini, tmp_path / "a", agent=agent, retry_errors=True)
    assert (result.progress.played, result.progress.errors) == (wrong, 0)
    episodes = read_episodes(tmp_path / "a")
    assert {episode.status for episode in episodes} == {Status.SUCCESS}
    assert len(episodes) == len(mini.queries)
    assert run(mini, tmp_path / "a", agent=agent, retry_errors=True).progress.played == 0


def test_ctrl_c_keeps_what_was_played(mini: World, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(mini, tmp_path, agent=f"{AGENTS}:Interrupting")
    assert len(read_episodes(tmp_path)) == 3


def test_a_full_disk_stops_the_run_and_it_continues(
    mini: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = os.write, []

    def write(file: int, data: bytes) -> int:
        if len(written) > 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(len(data))
        return real(file, data)

    run(mini, tmp_path / "whole", agent="oracle")
    monkeypatch.setattr(store.os, "write", write)
    with pytest.raises(StoreError, match="Make room, then start the run again"):
        run(mini, tmp_path / "a", agent="oracle")
    monkeypatch.undo()
    # The first write is the lock's.
    assert len(read_episodes(tmp_path / "a")) == 4
    run(mini, tmp_path / "a", agent="oracle")
    assert records(tmp_path / "a") == records(tmp_path / "whole")


def test_a_faulty_store_is_not_continued(mini: World, tmp_path: Path) -> None:
    run(mini, tmp_path, agent="oracle")
    lines = (tmp_path / EPISODES).read_bytes().split(b"\n")
    (tmp_path / EPISODES).write_bytes(b"\n".join([*lines[:2], lines[0], *lines[2:]]))
    with pytest.raises(StoreError, match=r"line 3: .* already recorded in line 1"):
        run(mini, tmp_path, agent="oracle")


def test_samples_keep_the_order_of_the_world(mini: World) -> None:
    names = tuple(mini.query)
    assert sample_queries(tuple(mini.query), len(names), 42) == names
    assert sample_queries(tuple(mini.query), 3, 42) == tuple(names[i] for i in (0, 1, 10))
    with pytest.raises(UsageError, match="from 1 to 11"):
        sample_queries(tuple(mini.query), 12, 42)
    assert known_queries(mini, [names[2], names[0], names[2]]) == (names[0], names[2])


def test_recorded_samples_are_drawn_the_same_way(release: World, shared: Path) -> None:
    import gzip
    import json

    with gzip.open(shared / "golden" / "default.json.gz") as file:
        recorded = json.load(file)
    sample = recorded["config"]["query_sample"]
    drawn = sample_queries(tuple(release.query), sample["size"], sample["seed"])
    assert list(drawn) == [episode["query_id"] for episode in recorded["episodes"]]


def test_progress_without_episodes() -> None:
    state = Progress(3)
    assert (state.done, state.accuracy, state.errors) == (0, None, 0)
    state.statuses[Status.ERROR] = 1
    assert (state.accuracy, state.errors) == (None, 1)
