"""The documentation holds: its Python runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from planbench_xl.cli import cli
from planbench_xl.environment import Environment
from planbench_xl.protocols import load_prompts
from planbench_xl.runs.rollout import rollout
from planbench_xl.world import World

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
COMMAND = re.compile(r"(?:^|[\s/])planbench-xl ([^#|>]*)")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def python_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def commands(page: Path) -> list[list[str]]:
    """Return the commands in code blocks of a page, fenced or indented, as words."""
    found, fence = [], None
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            fence = None if fence is not None else line[3:]
        elif fence in ("", "bash") or (fence is None and re.match(r"    (\$ )?planbench-xl ", line)):
            found += COMMAND.findall(line)
    return [shlex.split(re.split(r"\s&&|\s2>|\s;", command)[0]) for command in found]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_exist(page: Path) -> None:
    for words in commands(page):
        command: click.Command = cli
        context = click.Context(cli, info_name="planbench-xl")
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            found = command.get_command(context, words[0])
            if found is None:
                assert command.invoke_without_command, words
                break
            command, words = found, words[1:]
            context = click.Context(command, info_name=command.name, parent=context)
        command.make_parser(context).parse_args(list(words))


def test_there_are_commands_to_check() -> None:
    assert sum(len(commands(page)) for page in PAGES) > 30


def test_the_quick_starts_python(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = python_blocks("docs/index.md")
    exec(compile(code, "docs/index.md", "exec"), {})
    assert "get_" in capsys.readouterr().out


def test_the_agent_of_ones_own(mini: World) -> None:
    (code,) = python_blocks("docs/agents.md")
    names: dict[str, type] = {}
    exec(compile(code, "docs/agents.md", "exec"), names)
    environment = Environment(mini)
    agent = names["FirstTool"](environment)
    episodes = [rollout(environment, agent, query.query_id) for query in mini.queries]
    assert all(episode.turns and episode.cause is None for episode in episodes)


def test_every_template_is_named_in_the_documentation() -> None:
    text = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    for pack in ("text", "native"):
        for template in load_prompts(pack=pack).templates:
            assert f"`{template}`" in text, template
