from __future__ import annotations

import json
from pathlib import Path

import pytest

from .test_submit import status


def test_shards_are_joined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = []
    for number in (1, 2):
        parts.append(str(tmp_path / f"part-{number}"))
        assert status("run", "--world", "mini", "--agent", "oracle", "--shard", f"{number}/2", "--out", parts[-1]) == 0
    capsys.readouterr()
    assert status("merge", *parts, "--out", str(tmp_path / "whole"), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["episodes"], found["expected"], found["missing"]) == (11, 11, [])
    assert status("merge", parts[0], "--out", str(tmp_path / "half")) == 0
    assert "5 of the world's queries are in no shard" in capsys.readouterr().err


def test_missing_episodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("run", "--world", "mini", "--agent", "oracle", "--out", str(tmp_path / "part")) == 0
    store = tmp_path / "part" / "episodes.jsonl"
    store.write_bytes(b"".join(store.read_bytes().splitlines(keepends=True)[1:]))
    assert status("merge", str(tmp_path / "part"), "--out", str(tmp_path / "whole")) == 1
    assert "10 of 11 episodes" in capsys.readouterr().out
