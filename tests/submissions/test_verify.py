from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.errors import SubmissionError
from planbench_xl.runs.run import run
from planbench_xl.submissions import pack, verify
from planbench_xl.world import World, load_world

from .conftest import Change, read, write

Tamper = Callable[[Change], Path]


def one_problem(path: Path) -> str:
    problems = verify(path).problems
    assert len(problems) == 1, problems
    return problems[0]


@pytest.mark.parametrize("agent", ["explorer", "oracle", "random", "list-everything", "do-nothing"])
@pytest.mark.parametrize("setting", ["one-path", "flaky", "enforced-2"])
def test_honest_runs_verify(agent: str, setting: str, tmp_path: Path) -> None:
    from planbench_xl.runs.presets import load_setting

    run("mini", tmp_path / "run", agent=agent, setting=load_setting(setting), epochs=2)
    verdict = verify(pack(tmp_path / "run"))
    assert verdict.valid, verdict.problems
    assert verdict.replayed == 2 * len(load_world("mini").queries)


def test_progress(archive: Path) -> None:
    seen = []
    verify(archive, report=lambda done, total: seen.append((done, total)))
    assert seen == [(n, len(seen)) for n in range(1, len(seen) + 1)]


def test_better_figures_than_earned(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        content["claim"]["figures"]["exact"]["metrics"]["accuracy"] = 1.0

    assert "`metrics.accuracy` under judge 'exact' is claimed as 1.0, but is" in one_problem(tampered(change))


def test_figures_left_out(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        del content["claim"]["figures"]["exact"]
        content["claim"]["figures"]["kind"] = content["claim"]["figures"]["contains"]

    problems = verify(tampered(change)).problems
    assert problems == (
        "figures under judge 'exact' are not claimed",
        "figures under judge 'kind' are of no use",
    )


def test_missing_query(tampered: Tamper) -> None:
    assert "1 episodes are missing" in one_problem(tampered(lambda content: content["episodes"].pop()))


def test_query_left_out_of_the_run(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        query = content["run"]["queries"].pop()
        content["episodes"] = [e for e in content["episodes"] if e["query_id"] != query]

    assert "queries are left out" in one_problem(tampered(change))


def test_doubled_query(tampered: Tamper) -> None:
    problem = one_problem(tampered(lambda content: content["episodes"].append(content["episodes"][0])))
    assert "is there twice" in problem


def test_foreign_episode(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        content["episodes"].append({**content["episodes"][0], "epoch": 7})

    assert "isn't part of the run" in one_problem(tampered(change))


def test_unknown_query(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        content["run"]["queries"].append("nonsense")
        content["episodes"].append({**content["episodes"][0], "query_id": "nonsense"})

    assert "the world has no query 'nonsense'" in one_problem(tampered(change))


@pytest.mark.parametrize(("field", "value"), [("setting", "one-path"), ("judge", "exact"), ("world", "0" * 64)])
def test_episode_of_another_run(tampered: Tamper, field: str, value: str) -> None:
    assert "was played otherwise" in one_problem(
        tampered(lambda content: content["episodes"][0].update({field: value}))
    )


def test_foreign_world(archive: Path, mini: World) -> None:
    other = msgspec.structs.replace(mini, overview="Another world.")
    assert "it was played on another world" in verify(archive, other).problems[0]


def test_unpackaged_world(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        content["claim"]["world"] = content["run"]["world"] = "mine"

    with pytest.raises(SubmissionError, match=r"isn't packaged\. Give it with --world"):
        verify(tampered(change))


def test_impossible_value(tampered: Tamper) -> None:
    """A value that no tool returned."""

    def change(content: dict[str, Any]) -> None:
        turn = next(t for e in content["episodes"] for t in e["turns"] if t.get("success"))
        turn["value"] = "made up"

    problems = verify(tampered(change)).problems
    assert '`value` is recorded as "made up", but comes out as' in problems[0]


def test_changed_action(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        content["episodes"][0]["turns"][0]["raw"] = "nothing"

    assert "turn 1: `action` is recorded" in verify(tampered(change)).problems[0]


def test_turns_after_the_end(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        content["episodes"][0]["turns"].append(content["episodes"][0]["turns"][-1])

    assert "comes after the end" in verify(tampered(change)).problems[0]


def test_turns_cut_off(tampered: Tamper) -> None:
    problems = verify(tampered(lambda content: content["episodes"][0]["turns"].pop())).problems
    assert "`status` is recorded as" in problems[0]
    assert "comes out as None" in problems[0]


def test_failure_called_an_error(tampered: Tamper) -> None:
    """Failures can't be hidden as the infrastructure's errors: the episode was over."""

    def change(content: dict[str, Any]) -> None:
        content["episodes"][0].update(status="error", cause="time_out")

    assert "was over by its last turn" in verify(tampered(change)).problems[0]


def test_wrong_outcome(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        success = next(e for e in content["episodes"] if e["status"] == "success")
        success.update(status="failure", reason="wrong_answer")

    assert "`status` is recorded as failure, but comes out as success" in verify(tampered(change)).problems[0]


def test_hashes(tampered: Tamper) -> None:
    assert "its SHA-256 differs" in one_problem(tampered(lambda content: content.update(hashes={"run.json": "0"})))


@pytest.mark.parametrize("field", ["world", "world_fingerprint", "setting", "protocol"])
def test_claim_and_run_disagree(tampered: Tamper, field: str) -> None:
    path = tampered(lambda content: content["claim"].update({field: "mini" if field == "setting" else "other"}))
    world = load_world("mini")
    assert f"says `{field}` is" in verify(path, world).problems[0]


def test_unknown_protocol(tampered: Tamper) -> None:
    def change(content: dict[str, Any]) -> None:
        content["claim"]["protocol"] = content["run"]["protocol"] = "telepathy/1"
        for episode in content["episodes"]:
            episode["protocol"] = "telepathy/1"

    assert "can't be played again" in verify(tampered(change)).problems[0]


def test_no_archive(tmp_path: Path, archive: Path) -> None:
    with pytest.raises(SubmissionError, match="There is no file"):
        verify(tmp_path / "none.zip")
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(SubmissionError, match="is no submission"):
        verify(tmp_path / "text.zip")
    (tmp_path / "cut.zip").write_bytes(archive.read_bytes()[:-200])
    with pytest.raises(SubmissionError, match="is no submission"):
        verify(tmp_path / "cut.zip")


def test_other_files_in_the_archive(archive: Path, tmp_path: Path) -> None:
    content = read(archive)
    path = write(tmp_path / "more.zip", content)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("../evil", b"x")
    with pytest.raises(SubmissionError, match="nothing else"):
        verify(path)


def test_unreadable_parts(tampered: Tamper) -> None:
    with pytest.raises(SubmissionError, match=r"episodes.jsonl, line 1, can't be read"):
        verify(tampered(lambda content: content["episodes"].insert(0, {"nonsense": 1})))
    with pytest.raises(SubmissionError, match=r"submission\.json can't be read"):
        verify(tampered(lambda content: content["claim"].pop("name")))


def test_newer_versions(tampered: Tamper) -> None:
    with pytest.raises(SubmissionError, match="has format 99"):
        verify(tampered(lambda content: content["claim"].update(format=99)))
    with pytest.raises(SubmissionError, match="line 1 has version 99"):
        verify(tampered(lambda content: content["episodes"][0].update(version=99)))


def test_too_large(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planbench_xl.submissions.checking.MAX_BYTES", 100)
    with pytest.raises(SubmissionError, match="unpacks to more than 100 bytes"):
        verify(archive)
