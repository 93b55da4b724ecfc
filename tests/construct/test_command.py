"""The command `build`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planbench_xl.cli import cli
from planbench_xl.construct import DomainError
from planbench_xl.world import World, load_world
from tests.construct.conftest import TINY

KNOBS = ["--records", "60", "--tools", "36", "--queries", "20", "--lengths", "3=10,4=6,5=4"]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["build", *arguments])


def test_builds_audits_and_says_so(tmp_path: Path, world: World) -> None:
    result = call(str(TINY), "--seed", "7", "--out", str(tmp_path / "w"), *KNOBS, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["world"]["fingerprint"] == world.fingerprint == load_world(tmp_path / "w").fingerprint
    assert facts["recipe"]["seed"] == 7
    assert facts["audit"] is not None
    assert not (tmp_path / "w" / "stages").exists()


def test_keeps_stages_and_builds_again_into_its_own_folder(tmp_path: Path) -> None:
    arguments = (str(TINY), "--out", str(tmp_path / "w"), *KNOBS, "--no-audit")
    assert call(*arguments, "--keep-stages").exit_code == 0
    assert len(list((tmp_path / "w" / "stages").iterdir())) == 5
    result = call(*arguments)
    assert result.exit_code == 0
    assert "20 queries" in result.output


def test_the_bytes_depend_on_no_number_of_workers(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        more = ("--out", str(tmp_path / workers), "--workers", workers, "--keep-stages", "--no-audit")
        assert call(str(TINY), *KNOBS, *more).exit_code == 0
    one, two = (
        {path.relative_to(tmp_path / workers): path.read_bytes() for path in (tmp_path / workers).rglob("*.json*")}
        for workers in ("1", "2")
    )
    assert len(one) > 10
    assert one == two


def test_the_example_is_a_domain_file(tmp_path: Path) -> None:
    result = call("--example")
    assert result.output == TINY.read_text()


def test_only_checks() -> None:
    result = call(str(TINY), "--check")
    assert result.exit_code == 0
    assert "no faults" in result.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Missing DOMAIN: a domain file, or one of hospital, retail"),
        ([str(TINY)], "Missing option '--out'"),
        ([str(TINY), "--out", "w", "--lengths", "many"], "is not of the form 5=100,6=80"),
        ([str(TINY), "--out", "tests"], "wasn't built here"),
    ],
)
def test_a_wrong_call_is_explained(arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    result = call(*arguments)
    assert result.exit_code == 2
    assert says in result.output


def test_an_unknown_domain_is_an_error_with_a_name() -> None:
    result = call("hospitl", "--out", "w")
    assert isinstance(result.exception, DomainError)
    assert "closest: 'hospital'" in str(result.exception)
