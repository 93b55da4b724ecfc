from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from planbench_xl import doctor
from planbench_xl.cli import main
from planbench_xl.errors import UsageError
from planbench_xl.world import load_world, packaged_worlds


def test_it_says_what_is_here(tmp_path: Path) -> None:
    found = doctor.diagnose(tmp_path)
    assert found.healthy
    assert {needed.package for needed in found.core} == {"click", "msgspec", "rich"}
    assert {world.name: world.fingerprint for world in found.worlds} == {
        name: load_world(name).fingerprint for name in packaged_worlds()
    }


def test_every_extra_has_a_purpose() -> None:
    declared = set(metadata.metadata("planbench-xl").get_all("Provides-Extra") or ())
    assert declared - {"all", "test", "dev", "docs"} == {extra.name for extra in doctor.diagnose().extras}


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "gymnasium" else "1.0")
    with pytest.raises(SystemExit) as ended:
        main(["doctor"])
    assert ended.value.code == 0
    assert "pip install 'planbench-xl[gym]'" in capsys.readouterr().out


def test_faults(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def broken(name: str) -> None:
        raise UsageError(f"{name} is damaged")

    monkeypatch.setattr(doctor, "load_world", broken)
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--folder", str(tmp_path / "none"), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert ended.value.code == 1
    assert not found["healthy"]
    assert not found["writable"]
    assert found["worlds"][0]["problem"].endswith("is damaged")
