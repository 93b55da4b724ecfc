"""Construction with models of Inspect AI: its own mock, and a provider that writes as a test says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result

from planbench_xl.construct.completion import REPLIES, Prompt, guide
from planbench_xl.construct.errors import CompletionError
from planbench_xl.world import load_world
from tests.construct.conftest import TINY
from tests.construct.scripted import good

pytest.importorskip("inspect_ai")

import anyio
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from planbench_xl.cli import cli
from planbench_xl.harness.completion import InspectCompleter

PROMPTS = [
    Prompt(f"lookups/{number}", guide("lookups").system, f"{number}", guide("lookups").schema) for number in range(6)
]
KNOBS = ["--records", "60", "--tools", "34", "--queries", "20", "--lengths", "3=8,4=5,5=3", "--seed", "7"]


def output(text: str) -> ModelOutput:
    found = ModelOutput.from_content("mock", text)
    found.usage = ModelUsage()
    return found


class Writing(ModelAPI):
    """Writes and judges so that no rule is broken; fails from a call on."""

    asked: ClassVar[list[str]] = []
    fails_at = 10_000

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        Writing.asked.append(input[1].text)
        if len(Writing.asked) > Writing.fails_at:
            raise RuntimeError("the [bold]quota[/bold] is used up")
        return output(good(Prompt("", input[0].text, input[1].text, "")))


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    return Writing


@pytest.fixture(autouse=True)
def fresh() -> None:
    Writing.asked, Writing.fails_at = [], 10_000


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["build", str(TINY), *KNOBS, *arguments])


def test_prompts_reach_the_model_with_their_schema() -> None:
    seen: list[tuple[Any, GenerateConfig]] = []

    def reply(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        seen.append((messages, config))
        return output(f"reply to {messages[1].text}")

    completer = InspectCompleter("mockllm/model", custom_outputs=reply)
    found: dict[str, str] = {}
    for _ in range(2):  # each batch has an event loop of its own
        completer.complete(PROMPTS, lambda prompt, text: found.update({prompt.id: text}))
    assert found == {f"lookups/{number}": f"reply to {number}" for number in range(6)}
    messages, config = seen[0]
    assert [message.role for message in messages] == ["system", "user"]
    assert messages[0].text == PROMPTS[0].system
    assert (config.temperature, config.seed) == (0, 42)
    assert config.response_schema is not None
    schema = config.response_schema.json_schema.model_dump(exclude_none=True)
    assert schema == json.loads(PROMPTS[0].schema)


def test_prompts_are_under_way_together() -> None:
    most = 0
    running = 0

    async def reply(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        nonlocal most, running
        running += 1
        most = max(most, running)
        await anyio.sleep(0.01)
        running -= 1
        return output("x")

    completer = InspectCompleter("mockllm/model", at_once=3, custom_outputs=reply)
    completer.complete(PROMPTS, lambda prompt, text: None)
    assert most == 3


def test_a_failure_names_the_model_and_waits_for_the_others() -> None:
    def reply(messages: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        if messages[1].text == "2":
            raise RuntimeError("the quota is used up")
        return output("x")

    completer = InspectCompleter("mockllm/model", at_once=2, custom_outputs=reply)
    arrived: list[str] = []
    with pytest.raises(CompletionError, match=r"'mockllm/model' failed: the quota is used up\. The replies so far"):
        completer.complete(PROMPTS, lambda prompt, text: arrived.append(prompt.user))
    assert {"0", "1"} <= set(arrived)
    assert "2" not in arrived
    assert len(arrived) < 5


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("tempalte", r"'tempalte' can't be used: Model name 'tempalte' should be in the format"),
        ("nobody/model", r"'nobody/model' can't be used: Model API nobody .* not recognized"),
    ],
)
def test_a_model_that_can_not_be_used_is_named(model: str, says: str) -> None:
    with pytest.raises(CompletionError, match=says):
        InspectCompleter(model)


def test_without_inspect_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planbench_xl.harness.completion.find_spec", lambda name: None)
    with pytest.raises(CompletionError, match=r"pip install 'planbench-xl\[inspect\]'"):
        InspectCompleter("openai/gpt-4o")


def test_the_command_builds_with_a_model(tmp_path: Path) -> None:
    models = ("--writer", "scripted/writer", "--filter", "scripted/filter", "--cache", str(tmp_path / "replies"))
    result = call("--out", str(tmp_path / "one"), *models, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert [part["role"] for part in facts["models"]] == ["filter", "writer"]
    asked = len(Writing.asked)
    assert sum(part["calls"] for part in facts["models"]) == asked > 30
    assert facts["audit"] is not None
    world = load_world(tmp_path / "one")
    assert world.recipe is not None
    assert (world.recipe["writer"], world.recipe["filter"]) == ("scripted/writer", "scripted/filter")
    assert all(tool.description.startswith("In short: ") for tool in world.tools)

    again = call("--out", str(tmp_path / "two"), *models, "--no-audit")
    assert again.exit_code == 0, again.output
    assert len(Writing.asked) == asked
    assert load_world(tmp_path / "two").fingerprint == world.fingerprint
    assert "Filter 'scripted/filter' dropped 0 of" in again.output
    assert f"0 calls, {facts['models'][1]['calls']} replies remembered." in again.output


def test_a_build_that_broke_off_goes_on(tmp_path: Path) -> None:
    Writing.fails_at = 15
    arguments = ("--out", str(tmp_path / "w"), "--writer", "scripted/writer", "--no-audit")
    broken = call(*arguments)
    assert isinstance(broken.exception, CompletionError)
    assert "Model 'scripted/writer' failed: the quota is used up." in str(broken.exception)
    kept = len((tmp_path / "w" / "stages" / REPLIES).read_text().splitlines())
    assert kept == 15
    Writing.asked, Writing.fails_at = [], 10_000
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    assert f"{len(Writing.asked)} calls, 15 replies remembered." in result.output
    assert (tmp_path / "w" / "stages" / REPLIES).exists()


def test_a_dry_run_asks_nobody(tmp_path: Path) -> None:
    result = call("--writer", "openai/gpt-4o", "--filter", "nobody/model", "--dry-run")
    assert result.exit_code == 0, result.output
    assert "Filter 'nobody/model': " in result.output
    assert "Writer 'openai/gpt-4o': 36 calls (34 about tools and 2 about queries)" in result.output
    found = json.loads(call("--writer", "openai/gpt-4o", "--dry-run", "--json").stdout)
    assert found[0]["calls"] == {"tools": 34, "queries": 2}


def test_a_dry_run_without_a_model_is_explained() -> None:
    result = call("--dry-run")
    assert result.exit_code == 2
    assert "Name one with --writer or --filter" in result.output
