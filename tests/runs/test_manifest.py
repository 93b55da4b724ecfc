from pathlib import Path

import msgspec
import pytest

from planbench_xl.environment import Setting
from planbench_xl.episodes import store
from planbench_xl.errors import StoreError
from planbench_xl.runs.manifest import MANIFEST, Manifest, extended, read_manifest, write_manifest
from planbench_xl.runs.presets import load_setting


def manifest(**changes: object) -> Manifest:
    whole = Manifest(
        world="mini",
        world_version="1",
        world_source="mini",
        world_fingerprint="abc",
        agent="oracle",
        agent_seed=0,
        setting=Setting(),
        protocol="text/1",
        queries=("q1", "q3"),
        epochs=1,
        package="0",
        created="2026-01-01T00:00:00+00:00",
    )
    return msgspec.structs.replace(whole, **changes)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    write_manifest(tmp_path, manifest())
    assert read_manifest(tmp_path) == manifest()
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


def test_keys() -> None:
    assert manifest(epochs=2).keys == [("q1", 0), ("q3", 0), ("q1", 1), ("q3", 1)]


def test_a_run_can_be_extended() -> None:
    new = manifest(queries=("q2", "q3"), epochs=3, package="9", created="later", world_source="/elsewhere")
    whole = extended(manifest(), new, ("q1", "q2", "q3"))
    assert whole == manifest(queries=("q1", "q2", "q3"), epochs=3)
    assert extended(whole, manifest(), ("q1", "q2", "q3")) == whole


def test_differences_are_shown() -> None:
    new = manifest(setting=load_setting("one-path", ["seed=7"]), agent="random", agent_seed=1, world_fingerprint="xyz")
    with pytest.raises(StoreError) as caught:
        extended(manifest(), new, ("q1",))
    said = str(caught.value)
    for line in (
        "  world_fingerprint: abc → xyz\n",
        "  agent: oracle → random\n",
        "  agent_seed: 0 → 1\n",
        "  setting.name: default → one-path\n",
        "  setting.seed: 42 → 7\n",
        "  setting.blocking.enabled: false → true\n",
        "choose another folder with --out",
    ):
        assert line in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no manifest of a run"),
        ('{"format": 99, "anything": 1}', "has format 99"),
        ('{"format": 1}', "missing required field"),
        (b"\xff", "is no manifest of a run"),
    ],
)
def test_a_faulty_manifest_is_explained(tmp_path: Path, text: str | bytes, said: str) -> None:
    (tmp_path / MANIFEST).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(StoreError) as caught:
        read_manifest(tmp_path)
    assert said in str(caught.value)
    assert str(tmp_path / MANIFEST) in str(caught.value)


def test_a_manifest_is_never_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    write_manifest(tmp_path, manifest())
    monkeypatch.setattr(store.os, "fsync", fail)
    with pytest.raises(StoreError, match="full"):
        write_manifest(tmp_path, manifest(epochs=2))
    assert read_manifest(tmp_path) == manifest()
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]
