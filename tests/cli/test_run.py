import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from planbench_xl.episodes import store
from planbench_xl.episodes.store import read_episodes
from planbench_xl.runs import request as requests
from planbench_xl.world import World
from tests.cli.conftest import Call
from tests.runs.conftest import records

METRICS = ["accuracy", "egt_precision", "egt_recall", "turns", "edt", "search_to_call", "itcr", "uirr"]
AGENTS = "tests.runs.agents"


def test_the_first_run_of_a_new_user(call: Call, mini: World) -> None:
    called = call("run")
    assert called.status == 0
    assert f"{len(mini.queries)} of {len(mini.queries)} episodes scored (100.0%)" in called.out
    assert "Acc %" in called.out
    assert called.err.splitlines()[0] == f"{len(mini.queries)} episodes: 0 there already, {len(mini.queries)} to play"
    assert called.err.splitlines()[-1] == "Stored in runs/mini-explorer-default."
    again = call("run")
    assert again.out == called.out
    assert f"{len(mini.queries)} there already, 0 to play" in again.err


def test_json_is_all_there_is_on_standard_output(call: Call) -> None:
    called = call("run", "--agent", "oracle", "--json", "--limit", "2", "--out", "here")
    result = json.loads(called.out)
    assert (result["folder"], result["played"], result["scored"], result["expected"]) == ("here", 2, 2, 2)
    assert all("value" in result["metrics"][name] for name in METRICS)
    assert result["metrics"]["accuracy"]["value"] == 1.0
    assert "to play" in called.err
    again = json.loads(call("run", "--agent", "oracle", "--json", "--limit", "2", "--out", "here").out)
    assert again == result | {"played": 0}
    scored = json.loads(call("score", "here", "--json").out)
    assert scored["metrics"] == result["metrics"]


def test_quiet(call: Call) -> None:
    called = call("run", "--agent", "oracle", "--quiet")
    assert "Acc %" in called.out
    assert called.err == ""


def test_what_is_asked_for_is_played(call: Call, tmp_path: Path) -> None:
    flags = ["--setting", "one-path", "--seed", "7", "--max-turns", "50", "--planner", "reference", "--epochs", "2"]
    flags += ["--set", "blocking.kinds=[explicit]", "--set", "judge=exact", "--queries", "library_query_02"]
    called = call("run", "--agent", "oracle", *flags, "--agent-seed", "3", "--workers", "2", "--out", "a")
    assert called.status == 0
    run = json.loads((tmp_path / "a" / "run.json").read_text())
    assert run["setting"]["seed"] == 7
    assert run["setting"]["max_turns"] == 50
    assert run["setting"]["judge"] == "exact"
    assert run["setting"]["blocking"]["kinds"] == ["explicit"]
    assert (run["agent_seed"], run["epochs"], run["queries"]) == (3, 2, ["library_query_02"])
    assert len(read_episodes(tmp_path / "a")) == 2


def test_samples_and_limits(call: Call, tmp_path: Path, mini: World) -> None:
    call("run", "--agent", "do-nothing", "--limit", "2", "--out", "a")
    call("run", "--agent", "do-nothing", "--limit", "100", "--out", "a")
    call("run", "--agent", "do-nothing", "--sample", "3", "--out", "b")
    assert len(read_episodes(tmp_path / "a")) == len(mini.queries)
    assert [episode.query_id for episode in read_episodes(tmp_path / "b")] == [list(mini.query)[i] for i in (0, 1, 10)]


def test_a_differing_run_is_refused(call: Call, tmp_path: Path) -> None:
    call("run", "--agent", "oracle", "--limit", "1", "--out", "a")
    before = (tmp_path / "a" / "run.json").read_bytes()
    called = call("run", "--agent", "oracle", "--limit", "1", "--out", "a", "--setting", "one-path-longest")
    assert called.status == 1
    assert "setting.blocking.length: any → longest" in called.err
    assert "choose another folder with --out" in called.err
    assert called.out == ""
    assert (tmp_path / "a" / "run.json").read_bytes() == before


def test_errors_and_their_repetition(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mini: World) -> None:
    monkeypatch.setenv("FIXED", str(tmp_path / "fixed"))
    wrong = len(mini.queries) // 2
    called = call("run", "--agent", f"{AGENTS}:Raising", "--out", "a")
    assert called.status == 0
    assert "INCOMPLETE" in called.out
    assert f"{wrong} errors" in called.err
    (tmp_path / "fixed").write_text("")
    called = call("run", "--agent", f"{AGENTS}:Raising", "--out", "a", "--retry-errors", "--json")
    result = json.loads(called.out)
    assert (result["played"], result["errors"], result["complete"]) == (wrong, 0, True)


def test_ctrl_c(call: Call, tmp_path: Path) -> None:
    called = call("run", "--agent", f"{AGENTS}:Interrupting", "--out", "a")
    assert called.status == 130
    assert "run the same command again to continue" in called.err
    assert called.out == ""
    assert len(read_episodes(tmp_path / "a")) == 3


def test_an_agent_in_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from planbench_xl.agents.simple import DoNothing as Mine\n")
    code = "import sys; sys.path.remove(''); from planbench_xl.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "run", "--agent", "mine:Mine", "--limit", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_full_disk(call: Call, tmp_path: Path) -> None:
    """With a limit on the size of files, writing fails as on a full disk, in the middle of an episode."""
    command = [sys.executable, "-m", "planbench_xl.cli", "run", "--agent", "oracle", "--out", "a"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (25_000, 25_000))  # noqa: E731
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 1
    assert "the disk or its quota is full. Make room, then start the run again" in done.stderr
    assert "Traceback" not in done.stderr
    stored = len(read_episodes(tmp_path / "a"))
    assert stored > 0
    assert (tmp_path / "a" / "episodes.jsonl").read_bytes().endswith(b"\n")
    assert call("score", "a").status == 0
    assert f"{stored} there already" in call("run", "--agent", "oracle", "--out", "a").err
    call("run", "--agent", "oracle", "--out", "b")
    assert records(tmp_path / "a") == records(tmp_path / "b")


def test_a_read_only_folder(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("run", "--agent", "oracle", "--out", "a", "--limit", "1")
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, mode)

    monkeypatch.setattr(store.os, "open", refuse)
    called = call("run", "--agent", "oracle", "--out", "a")
    assert called.status == 1
    assert "is read-only for you. Choose another folder" in called.err
    assert call("score", "a").status == 0


def test_a_file_in_place_of_the_folder(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    called = call("run", "--out", "a")
    assert called.status == 1
    assert "a file is in its place" in called.err


def test_a_broken_world_is_a_failure(call: Call, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    called = call("run", "--world", "w")
    assert called.status == 1
    assert "has neither manifest.json nor" in called.err


def test_an_unexpected_failure_of_the_system_is_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files", "x")

    monkeypatch.setattr(requests, "run_request", fail)
    called = call("run")
    assert called.status == 1
    assert called.err == "Error: [Errno 24] Too many open files: 'x'\n"


def test_the_published_data(call: Call, shared: Path) -> None:
    called = call("run", "--world", str(shared / "release"), "--agent", "oracle", "--limit", "20", "--json")
    result = json.loads(called.out)
    assert result["folder"] == "runs/retail-release-oracle-default"
    assert result["metrics"]["accuracy"]["value"] == 1.0


def test_protocol_and_handles(call: Call, tmp_path: Path) -> None:
    called = call("run", "--agent", "oracle", "--protocol", "native", "--tool-ids", "--limit", "2", "--out", "a")
    assert called.status == 0 and "protocol native/1," in called.out
    stored = json.loads((tmp_path / "a" / "run.json").read_text())
    assert (stored["protocol"], stored["setting"]["tool_ids"]) == ("native/1", True)
    other = call("run", "--agent", "oracle", "--tool-ids", "--limit", "2", "--out", "a")
    assert other.status == 1 and "protocol: native/1 → text/1" in other.err


def test_a_run_from_before_a_field_of_the_setting_is_continued(call: Call, tmp_path: Path) -> None:
    call("run", "--agent", "oracle", "--limit", "2", "--out", "a")
    path = tmp_path / "a" / "run.json"
    stored = json.loads(path.read_text())
    del stored["setting"]["all_tools"]
    path.write_text(json.dumps(stored))
    called = call("run", "--agent", "oracle", "--limit", "3", "--out", "a")
    assert called.status == 0 and "2 there already, 1 to play" in called.err
