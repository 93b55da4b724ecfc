"""Records in lines: whole or not there, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from planbench_xl.episodes import lines
from planbench_xl.episodes.lines import Lines, append, open_to_append
from planbench_xl.errors import StoreError


class Word(msgspec.Struct):
    text: str


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal" / "words.jsonl"


def half_then_fail(code: int, real: Callable[[int, bytes], int]) -> Callable[[int, bytes], int]:
    """Return what writes half of what it is given first, and fails from then on."""
    written: list[int] = []

    def write(file: int, data: bytes) -> int:
        if written:
            raise OSError(code, os.strerror(code))
        written.append(real(file, bytes(data)[: len(data) // 2]))
        return written[-1]

    return write


def test_records_come_back_in_order(path: Path) -> None:
    words = Lines(path, Word)
    assert words.read() == []
    words.add(Word("one"))
    words.add(Word("two"), Word("three\n\u2028"))
    assert Lines(path, Word).read() == [Word("one"), Word("two"), Word("three\n\u2028")]
    words.remove()
    words.remove()
    assert words.read() == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("before", [0, 2])
def test_a_write_cut_short_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch, before: int, code: int) -> None:
    words = Lines(path, Word)
    for number in range(before):
        words.add(Word(str(number)))
    data = path.read_bytes() if before else b""
    monkeypatch.setattr(lines.os, "write", half_then_fail(code, os.write))
    with pytest.raises(StoreError, match="start the run again: it continues"):
        words.add(Word("lost"), Word("lost too"))
    assert path.read_bytes() == data
    monkeypatch.undo()
    words.add(Word("kept"))
    assert [word.text for word in Lines(path, Word).read()] == [*map(str, range(before)), "kept"]


def test_a_write_that_is_interrupted_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Lines(path, Word)
    words.add(Word("kept"))
    real = os.write

    def write(file: int, data: bytes) -> int:
        real(file, bytes(data)[:3])
        raise KeyboardInterrupt

    monkeypatch.setattr(lines.os, "write", write)
    with pytest.raises(KeyboardInterrupt):
        words.add(Word("lost"))
    assert words.read() == [Word("kept")]


def test_short_writes_go_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(lines.os, "write", lambda file, data: real(file, bytes(data)[:3]))
    Lines(path, Word).add(Word("a long word"))
    assert Lines(path, Word).read() == [Word("a long word")]


def test_a_torn_line_is_cut_off_and_a_faulty_one_refused(path: Path) -> None:
    words = Lines(path, Word, "Ask a friend.")
    words.add(Word("kept"))
    with path.open("ab") as file:
        file.write(b'{"text": "torn')
    assert words.read() == [Word("kept")]
    words.add(Word("next"))
    assert words.read() == [Word("kept"), Word("next")]
    path.write_bytes(b'{"text": "kept"}\n{"text": 5}\n')
    with pytest.raises(StoreError, match=r"words.jsonl, line 2: can't be used \(.*\). Ask a friend."):
        words.read()


def test_a_file_that_cannot_be_cut_keeps_the_first_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.parent.mkdir()
    file = open_to_append(path)

    def refuse(file: int, size: int) -> None:
        raise OSError(errno.EIO, "worse")

    monkeypatch.setattr(lines.os, "write", half_then_fail(errno.ENOSPC, os.write))
    monkeypatch.setattr(lines.os, "ftruncate", refuse)
    with pytest.raises(OSError, match="No space left"):
        append(file, b"a line\n")
    os.close(file)
    monkeypatch.undo()
    assert Lines(path, Word).read() == []
    assert path.read_bytes() == b""
