from pathlib import Path

import pytest

from planbench_xl.errors import SettingError, UsageError
from planbench_xl.runs.request import Request, run_request
from planbench_xl.world import World


def test_flags_are_fields_of_the_setting() -> None:
    request = Request(seed=7, max_turns=9, planner="reference", overrides=("blocking.length=longest",))
    setting = request.setting("one-path")
    assert (setting.seed, setting.max_turns, setting.blocking.length) == (7, 9, "longest")
    assert request.setting("one-path", ["seed=1"]).seed == 7
    with pytest.raises(SettingError, match=r"`blocking\.planner`"):
        Request(planner="refrence").setting("one-path")


def test_queries(mini: World) -> None:
    names = tuple(mini.query)
    assert Request().chosen(mini, 42) == names
    assert Request(limit=2).chosen(mini, 42) == names[:2]
    assert Request(limit=1000).chosen(mini, 42) == names
    assert len(Request(sample=3).chosen(mini, 42)) == 3
    assert Request(queries=f" {names[3]}, {names[1]},").chosen(mini, 42) == (names[1], names[3])
    with pytest.raises(UsageError, match="exclude each other"):
        Request(limit=1, sample=1).chosen(mini, 42)
    with pytest.raises(UsageError, match="No query"):
        Request(queries=",").chosen(mini, 42)


def test_the_default_folder_can_always_be_made(mini: World) -> None:
    assert Request().folder(mini, "one-path") == Path("runs/mini-explorer-one-path")
    assert Request(agent="pkg.mod:make/it").folder(mini, "x") == Path("runs/mini-pkg.mod_make_it-x")
    with pytest.raises(UsageError, match="--out is empty"):
        Request(out="").folder(mini, "x")
    assert Request(out="a/b").folder(mini, "x") == Path("a/b")


def test_running_it(tmp_path: Path) -> None:
    result = run_request(Request(world="mini", agent="oracle", limit=2), "one-path")
    assert result.folder == Path("runs/mini-oracle-one-path")
    assert (tmp_path / result.folder / "run.json").exists()
    assert result.progress.played == 2


def test_splits(mini: World) -> None:
    import msgspec

    divided = msgspec.structs.replace(
        mini,
        queries=tuple(msgspec.structs.replace(q, split="dev" if n < 4 else "test") for n, q in enumerate(mini.queries)),
    )
    names = tuple(mini.query)
    assert Request(split="dev").chosen(divided, 42) == names[:4]
    assert Request(split="test", limit=2).chosen(divided, 42) == names[4:6]
    assert set(Request(split="dev", sample=3).chosen(divided, 42)) < set(names[:4])
    with pytest.raises(UsageError, match=r"no split 'train'\. It has dev, test"):
        Request(split="train").chosen(divided, 42)
    with pytest.raises(UsageError, match="It isn't divided: leave out --split"):
        Request(split="dev").chosen(mini, 42)
