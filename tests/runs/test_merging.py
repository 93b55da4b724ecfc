from __future__ import annotations

from pathlib import Path

import pytest

from planbench_xl.environment import Setting
from planbench_xl.episodes.store import EPISODES, read_episodes
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.runs.merging import merge
from planbench_xl.runs.request import Request, run_request
from planbench_xl.runs.run import run, shard_queries
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World


def shards(tmp_path: Path, count: int) -> list[Path]:
    found = []
    for number in range(1, count + 1):
        folder = tmp_path / f"part-{number}"
        run_request(Request(world="mini", agent="random", shard=f"{number}/{count}", epochs=2, out=str(folder)))
        found.append(folder)
    return found


def test_merged_shards_are_the_whole_run(tmp_path: Path, mini: World) -> None:
    merged = merge(shards(tmp_path, 3), tmp_path / "merged")
    run("mini", tmp_path / "whole", agent="random", epochs=2)
    parts, whole = (read_episodes(tmp_path / name) for name in ("merged", "whole"))
    assert [e.key for e in parts] == [e.key for e in whole]
    assert [(e.status, e.turns) for e in parts] == [(e.status, e.turns) for e in whole]
    assert score_folder(tmp_path / "merged") == score_folder(tmp_path / "whole")
    assert merged.missing == ()
    assert merged.left_out == 0
    assert list(merged.counts.values()) == [8, 8, 6]
    assert sum(merged.counts.values()) == 2 * len(mini.queries)


def test_missing_episodes_are_named(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    lines = (parts[1] / EPISODES).read_bytes().splitlines(keepends=True)
    (parts[1] / EPISODES).write_bytes(b"".join(lines[1:]))
    merged = merge(parts, tmp_path / "merged")
    assert len(merged.missing) == 1
    assert not score_folder(tmp_path / "merged").complete


def test_a_shard_that_was_not_started(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    (parts[1] / EPISODES).unlink()
    merged = merge(parts, tmp_path / "merged")
    assert merged.counts[str(parts[1])] == 0
    assert len(merged.missing) == 10
    assert merge(parts[:1], tmp_path / "alone").left_out == 5


def test_refused(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    with pytest.raises(UsageError, match="No run is named"):
        merge([], tmp_path / "x")
    with pytest.raises(UsageError, match="named twice"):
        merge([parts[0], parts[0]], tmp_path / "x")
    with pytest.raises(StoreError, match="holds no run"):
        merge([parts[0], tmp_path / "none"], tmp_path / "x")
    with pytest.raises(StoreError, match="holds a run already"):
        merge(parts, parts[0])
    run("mini", tmp_path / "whole", agent="random", epochs=2)
    with pytest.raises(StoreError, match=r"is in .*part-1 and in .*whole"):
        merge([parts[0], tmp_path / "whole"], tmp_path / "x")
    run("mini", tmp_path / "other", agent="random", setting=Setting(seed=1))
    with pytest.raises(StoreError, match=r"parts of different runs(.|\n)*seed"):
        merge([parts[0], tmp_path / "other"], tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/0", "a/b", "-1/2"])
def test_no_shards(shard: str) -> None:
    with pytest.raises(UsageError, match="names no shard"):
        shard_queries(["a", "b"], shard)


def test_empty_shards() -> None:
    assert shard_queries(["a", "b", "c"], "2/2") == ("b",)
    with pytest.raises(UsageError, match="at most 1 shards"):
        shard_queries(["a"], "2/2")
