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
    assert all(needed.wanted.startswith(">=") for needed in found.core)
    assert {world.name: world.fingerprint for world in found.worlds} == {
        name: load_world(name).fingerprint for name in packaged_worlds()
    }


def test_every_extra_has_a_purpose() -> None:
    declared = set(metadata.metadata("planbench-xl").get_all("Provides-Extra") or ())
    assert declared - {"all", "test", "dev", "docs"} == {extra.name for extra in doctor.diagnose().extras}


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "gymnasium" else "99")
    with pytest.raises(SystemExit) as ended:
        main(["doctor"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert "gymnasium MISSING" in printed and "pip install 'planbench-xl[gym]'" in printed
    assert "pip install 'planbench-xl[yaml]'" not in printed


def test_an_unfit_version_is_no_installation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_version", lambda name: {"mcp": "3.0.1", "openai": "3.49"}.get(name, "99.0"))
    extras = {extra.name: extra for extra in doctor.diagnose().extras}
    assert not extras["mcp"].installed and not extras["inspect"].installed
    assert extras["gym"].installed
    with pytest.raises(SystemExit):
        main(["doctor"])
    assert "mcp 3.0.1 (wanted: <3,>=2.2)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("2.2", ">=2.2,<3", True),
        ("2.2.0", ">=2.2,<3", True),
        ("2.10.1", ">=2.2,<3", True),
        ("2.1.9", ">=2.2,<3", False),
        ("3.0", "<3,>=2.2", False),
        ("3.0.0rc1", "<3,>=2.2", False),
        ("0.3.285", ">=0.3.280,<0.4", True),
        ("2026.1.post3", ">=18", True),
        ("1", "", True),
    ],
)
def test_versions(version: str, wanted: str, fits: bool) -> None:
    assert doctor._fits(version, wanted) is fits


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
