from __future__ import annotations

import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.runs.run import run
from planbench_xl.submissions import pack

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "explorer"
    run("mini", folder, agent="explorer")
    return folder


@pytest.fixture(scope="session")
def archive(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack(run_folder, tmp_path_factory.mktemp("packs") / "explorer.pbxl.zip")


@pytest.fixture
def tampered(archive: Path, tmp_path: Path) -> Callable[[Change], Path]:
    """Return a function that makes a copy of the archive with changed content, and hashes that fit it."""

    def make(change: Change) -> Path:
        content = read(archive)
        change(content)
        return write(tmp_path / "tampered.zip", content)

    return make


def read(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        return {
            "claim": msgspec.json.decode(archive.read("submission.json")),
            "run": msgspec.json.decode(archive.read("run.json")),
            "episodes": [msgspec.json.decode(line) for line in archive.read("episodes.jsonl").splitlines()],
        }


def write(path: Path, content: dict[str, Any]) -> Path:
    run_data = msgspec.json.encode(content["run"])
    episodes = b"".join(msgspec.json.encode(episode) + b"\n" for episode in content["episodes"])
    hashes = {"run.json": sha256(run_data).hexdigest(), "episodes.jsonl": sha256(episodes).hexdigest()}
    content["claim"]["files"] = hashes | content.get("hashes", {})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("submission.json", msgspec.json.encode(content["claim"]))
        archive.writestr("run.json", run_data)
        archive.writestr("episodes.jsonl", episodes)
    return path
