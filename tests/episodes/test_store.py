import errno
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from planbench_xl.episodes import store
from planbench_xl.episodes.record import EPISODE_VERSION, Episode, Status, Turn
from planbench_xl.episodes.store import (
    EPISODES,
    EpisodeWriter,
    encode_episode,
    iter_episodes,
    read_episodes,
    read_heads,
)
from planbench_xl.errors import StoreError


def episode(query: str = "q1", epoch: int = 0, *, status: Status = Status.SUCCESS, version: int = 1) -> Episode:
    return Episode(
        version=version,
        query_id=query,
        task_id="t",
        epoch=epoch,
        world="w",
        setting="default",
        protocol="text/1",
        judge="contains",
        package="0",
        status=status,
        turns=(Turn(action="invalid", raw="ä\n\u2028"),),
    )


def fill(folder: Path, *episodes: Episode) -> Path:
    with EpisodeWriter(folder) as writer:
        writer.write(episodes)
    return folder / EPISODES


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    written = [episode("q2"), episode("q1", 1), episode("q1")]
    fill(tmp_path / "a" / "b", *written)
    assert list(iter_episodes(tmp_path / "a" / "b")) == written
    assert read_episodes(tmp_path / "a" / "b") == [written[2], written[1], written[0]]
    assert set(read_heads(tmp_path / "a" / "b")) == {("q1", 0), ("q1", 1), ("q2", 0)}


def test_writers_add(tmp_path: Path) -> None:
    fill(tmp_path, episode("q1"))
    path = fill(tmp_path, episode("q2"))
    assert [e.query_id for e in iter_episodes(tmp_path)] == ["q1", "q2"]
    assert path.read_bytes().count(b"\n") == 2


def test_every_cut_of_the_last_line_is_mended(tmp_path: Path) -> None:
    whole = fill(tmp_path, episode("q1"), episode("q2")).read_bytes()
    first = whole.index(b"\n") + 1
    for end in range(first, len(whole)):
        (tmp_path / EPISODES).write_bytes(whole[:end])
        kept = ["q1"] if end < len(whole) - 1 else ["q1", "q2"]
        assert [e.query_id for e in iter_episodes(tmp_path)] == kept
        assert [key[0] for key in read_heads(tmp_path)] == kept
        fill(tmp_path, episode("q3"))
        assert [e.query_id for e in iter_episodes(tmp_path)] == [*kept, "q3"]


def test_a_long_torn_line_is_cut_off(tmp_path: Path) -> None:
    path = fill(tmp_path, episode("q1"))
    with path.open("ab") as file:
        file.write(b'{"query_id":"' + b"x" * 300_000)
    fill(tmp_path)
    assert path.read_bytes() == encode_episode(episode("q1"))


def test_a_store_that_is_all_torn_becomes_empty(tmp_path: Path) -> None:
    (tmp_path / EPISODES).write_bytes(b"\0" * 10)
    assert list(iter_episodes(tmp_path)) == []
    assert fill(tmp_path).read_bytes() == b""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{broken}\n", "line 2: is no episode record"),
        (b"\n", "line 2: is no episode record"),
        (b'{"query_id":"q2"}\n', "missing required field"),
        (b"\xff\xfe\n", "line 2"),
        (encode_episode(episode("q1")), "line 2: query 'q1', epoch 0 is already recorded in line 1"),
        (encode_episode(episode("q2", version=EPISODE_VERSION + 1)), f"has version {EPISODE_VERSION + 1}"),
        (b'{"version":99,"new":"layout"}\n', "has version 99"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    path = fill(tmp_path, episode("q1"))
    path.write_bytes(path.read_bytes() + line + encode_episode(episode("q3")))
    with pytest.raises(StoreError) as caught:
        list(iter_episodes(tmp_path))
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_heads_notice_duplicates_too(tmp_path: Path) -> None:
    fill(tmp_path, episode("q1"), episode("q1"))
    with pytest.raises(StoreError, match="already recorded"):
        read_heads(tmp_path)


def test_a_folder_without_store(tmp_path: Path) -> None:
    assert read_heads(tmp_path) == {}
    with pytest.raises(StoreError, match="holds no run"):
        read_episodes(tmp_path)


def test_one_writer_per_folder(tmp_path: Path) -> None:
    with EpisodeWriter(tmp_path) as writer:
        with pytest.raises(StoreError, match=f"is being written by process {os.getpid()}"):
            EpisodeWriter(tmp_path)
        code = f"from planbench_xl.episodes.store import EpisodeWriter; EpisodeWriter({str(tmp_path)!r})"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert f"is being written by process {os.getpid()}. Wait until it ends" in other.stderr
        # Reading must not let go of the lock.
        writer.write([episode()])
        read_episodes(tmp_path)
        assert "is being written" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    EpisodeWriter(tmp_path).close()


def test_a_lock_left_by_a_dead_process_is_no_obstacle(tmp_path: Path) -> None:
    code = (
        "import os; from planbench_xl.episodes.store import EpisodeWriter; "
        f"w = EpisodeWriter({str(tmp_path)!r}); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code])
    fill(tmp_path, episode())


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def write(file: int, data: bytes) -> int:
        # Half of what is asked for still fits.
        if len(data) > 20 and not full:
            full.append(1)
            return real(file, bytes(data)[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with EpisodeWriter(tmp_path) as writer:
        writer.write([episode("q1")])
        full: list[int] = []
        monkeypatch.setattr(store.os, "write", write)
        with pytest.raises(StoreError, match=r"disk or its quota is full. Make room, then start the run again"):
            writer.write([episode("q2")])
        monkeypatch.undo()
        assert [e.query_id for e in iter_episodes(tmp_path)] == ["q1"]
        assert writer.path.read_bytes().endswith(b"\n")
        writer.write([episode("q2")])
    assert len(read_episodes(tmp_path)) == 2


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_a_read_only_folder_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    fill(tmp_path, episode())
    real = os.open

    def refuse(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(code, os.strerror(code))
        return real(path, flags, mode)

    monkeypatch.setattr(store.os, "open", refuse)
    with pytest.raises(StoreError, match=r"read-only for you. Choose another folder or change its permissions"):
        EpisodeWriter(tmp_path)
    assert len(read_episodes(tmp_path)) == 1


def test_a_file_in_place_of_the_folder_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(StoreError, match="a file is in its place"):
            EpisodeWriter(folder)


def test_dropped_episodes_are_gone_and_the_writer_goes_on(tmp_path: Path) -> None:
    with EpisodeWriter(tmp_path) as writer:
        writer.write([episode("q1", status=Status.ERROR), episode("q2")])
        writer.drop([("q1", 0)])
        writer.write([episode("q1")])
    assert [(e.query_id, e.status) for e in iter_episodes(tmp_path)] == [("q2", "success"), ("q1", "success")]
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", EPISODES]


def test_a_full_disk_while_dropping_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with EpisodeWriter(tmp_path) as writer:
        writer.write([episode("q1"), episode("q2")])
        monkeypatch.setattr(store.os, "fsync", fail)
        with pytest.raises(StoreError, match="full"):
            writer.drop([("q1", 0)])
        monkeypatch.undo()
    assert len(read_episodes(tmp_path)) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", EPISODES]


def test_values_survive(tmp_path: Path) -> None:
    turn = Turn(action="call", raw="\U0001f600\0", request={"a": [1, None, {"b": 2.5}]}, value={"x": True})
    written = msgspec.structs.replace(episode(), turns=(turn,), blocked={"tool": ("explicit",)})
    fill(tmp_path, written)
    assert read_episodes(tmp_path) == [written]
