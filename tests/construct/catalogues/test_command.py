"""`build --from-openapi` and `--from-mcp`, and the worlds that their drafts give."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planbench_xl.audit import audit
from planbench_xl.cli import cli
from planbench_xl.construct import DomainError
from planbench_xl.construct.catalogues import CatalogueError, Trial, draft_domain, to_toml, try_draft
from planbench_xl.errors import Fault
from planbench_xl.world import load_world
from planbench_xl.world.validate import validate
from tests.construct.catalogues.conftest import BIKES, DESK, KENNEL, LIBRARY, catalogue

SMALL = ["--records", "80", "--tools", "90", "--queries", "20", "--lengths", "5=10,6=6,7=4"]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["build", *arguments])


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the trial, which takes longer than all the rest."""
    found = Trial("", 7, {5: 3, 6: 1})
    monkeypatch.setattr("planbench_xl.construct.catalogues.try_draft", lambda path, report: found)


def test_from_a_catalogue_to_a_world_that_is_in_order(tmp_path: Path, untried: None) -> None:
    draft, folder = tmp_path / "draft.toml", tmp_path / "world"
    result = call("--from-openapi", str(BIKES), "--out", str(draft))
    assert result.exit_code == 0, result.output
    assert "8 operations with 65 values, 31 fields after unifying them; 8 entities with 31 datatypes" in result.output
    assert "Doubtful: 17, marked with CHECK" in result.output
    assert "tasks by L*: 5: 3, 6: 1" in result.output
    assert f"Next: planbench-xl build {draft} --seed 1 --out my-world\n" in result.output
    # Exit status 1 would say that the audit found an error.
    result = call(str(draft), "--out", str(folder), *SMALL)
    assert result.exit_code == 0, result.output
    world = load_world(folder)
    assert not validate(world)
    assert len(world.queries) == 20 and min(task.shortest_length for task in world.tasks) >= 5


def test_json_says_what_is_doubtful(tmp_path: Path, untried: None) -> None:
    result = call("--from-mcp", str(DESK), "--out", str(tmp_path / "d.toml"), "--json")
    facts = json.loads(result.stdout)
    assert (facts["operations"], facts["fields"], facts["datatypes"], facts["entities"]) == (4, 13, 13, 5)
    reasons = {doubt["reason"] for doubt in facts["doubtful"] if doubt["field"].endswith("_contract_monthly_fee")}
    assert reasons == {"the catalogue gives no range"}
    assert facts["trial"]["tasks"] == {"5": 3, "6": 1}


def test_a_file_is_only_overwritten_with_force(tmp_path: Path, untried: None) -> None:
    file = tmp_path / "d.toml"
    file.write_text("mine")
    arguments = ("--from-openapi", str(KENNEL), "--out", str(file))
    result = call(*arguments)
    assert result.exit_code == 2 and "exists. Name another file, or overwrite it with --force" in result.output
    assert file.read_text() == "mine"
    assert call(*arguments, "--force").exit_code == 0
    assert tomllib.loads(file.read_text())["name"] == "kennel"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from-openapi", str(BIKES)], "Missing option '--out': name a file for the draft"),
        (["--from-openapi", str(BIKES), "--out", "."], "is a folder. Name a file"),
        (["--from-openapi", str(BIKES), "--out", "no/such/d.toml"], "There is no folder"),
        (["--from-openapi", str(BIKES), "--from-mcp", str(DESK), "--out", "d.toml"], "can't be used together"),
        (["--from-mcp", str(DESK), "--out", "d.toml", "--tag", "a"], "MCP tools have neither"),
        (["retail", "--from-mcp", str(DESK), "--out", "d.toml"], "Leave DOMAIN out"),
    ],
)
def test_a_wrong_call_is_explained(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert result.exit_code == 2 and says in result.output
    assert not list(tmp_path.iterdir())


def test_a_catalogue_of_the_wrong_kind_leaves_no_file(tmp_path: Path) -> None:
    result = call("--from-mcp", str(BIKES), "--out", str(tmp_path / "d.toml"))
    assert isinstance(result.exception, CatalogueError)
    assert not list(tmp_path.iterdir())


def test_a_trial_falls_back_to_shorter_tasks_and_says_what_would_help(tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    file.write_text(to_toml(draft_domain(catalogue(KENNEL)), "kennel.json"))
    trial = try_draft(file)
    assert trial.options == "--queries 100 --lengths 2=20,3=30,4=30,5=20"
    assert trial.tasks and max(trial.tasks) < 5
    assert "no task of the lengths" in trial.problem and "Longer chains need" in trial.remedy


def test_a_trial_of_what_gives_nothing_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DomainError([Fault("domain file", "", "", "is no good", "Mend it")])

    monkeypatch.setattr("planbench_xl.construct.catalogues.trial.build_world", fail)
    file = tmp_path / "d.toml"
    result = call("--from-openapi", str(KENNEL), "--out", str(file))
    assert result.exit_code == 1 and file.exists()
    assert (
        "Tried with the usual lengths: domain file: is no good. Mend it." in result.output
        and "Next:" not in result.output
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", [BIKES, LIBRARY, DESK, KENNEL], ids=lambda path: path.name)
def test_every_draft_builds_as_the_command_says(path: Path, tmp_path: Path) -> None:
    if path.suffix == ".yaml":
        pytest.importorskip("yaml")
    draft, folder = tmp_path / "draft.toml", tmp_path / "world"
    option = "--from-mcp" if "mcp" in path.name else "--from-openapi"
    facts = json.loads(call(option, str(path), "--out", str(draft), "--json").stdout)
    result = call(str(draft), "--out", str(folder), *facts["trial"]["options"].split())
    assert result.exit_code == 0, result.output
    world = load_world(folder)
    assert sum(facts["trial"]["tasks"].values()) == len(world.tasks)
    assert not validate(world) and not [one for one in audit(world).findings if one.level.value == "error"]
