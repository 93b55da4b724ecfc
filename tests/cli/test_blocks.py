from __future__ import annotations

import json
from pathlib import Path

import pytest

from planbench_xl.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


@pytest.mark.parametrize("planner", ["exact", "reference"])
def test_plans_as_json(capsys: pytest.CaptureFixture[str], planner: str) -> None:
    status, out, _ = run(capsys, "blocks", "--planner", planner, "--json")
    assert status == 0
    plans = json.loads(out)
    assert len(plans) == 8
    for plan in plans:
        assert {"task_id", "status", "blocked", "kept_path", "remaining"} <= set(plan)
        assert plan["status"] == "success"
        assert plan["remaining"] == 1
        assert all(kinds == ["explicit", "implicit", "misleading"] for kinds in plan["blocked"].values())
        assert not set(plan["blocked"]) & set(plan["kept_path"])
        assert (plan["certificate"] is not None) == (planner == "exact")


def test_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = run(capsys, "blocks", "--json")
    file = tmp_path / "plans.json"
    file.write_text(out)
    assert run(capsys, "blocks", "check", str(file))[:2] == (0, "8 plans, 0 with false claims.\n")
    plans = json.loads(out)
    plans[2]["remaining"] = 2
    file.write_text(json.dumps(plans))
    status, out, _ = run(capsys, "blocks", "check", str(file))
    assert status == 1
    assert plans[2]["task_id"] in out and "paths remain, not 2" in out
    status, out, _ = run(capsys, "blocks", "check", str(file), "--json")
    assert (status, list(json.loads(out)["problems"])) == (1, [plans[2]["task_id"]])
    file.write_text("[{}]")
    status, _, err = run(capsys, "blocks", "check", str(file))
    assert status == 1 and "blocks --json" in err


def test_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "blocks", "--task", "library_task_07", "--seed", "1")
    assert status == 0
    assert out.count("library_task") == 1
    assert "kept" in out and "L* 5" in out and "1 tasks: 1 success" in out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--setting", "default"), "blocks nothing"),
        (("--task", "library_task_7"), "library_task_07"),
        (("--world", "mimi"), "mini"),
        (("--setting", "one-pth"), "one-path"),
        (("--planner", "exakt"), "exact"),
        (("--set", "blocking.lenght=longest"), "length"),
        (("--jsn",), "--json"),
    ],
)
def test_typos(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], hint: str) -> None:
    status, _, err = run(capsys, "blocks", *arguments)
    assert status == 2
    assert hint in err
