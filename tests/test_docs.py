"""The documentation holds: its code runs or says why not, its commands exist, its links lead somewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import click
import msgspec
import pytest

from planbench_xl.agents import make_agent
from planbench_xl.cli import cli
from planbench_xl.environment import Environment
from planbench_xl.protocols import load_prompts
from planbench_xl.runs.presets import find_preset, flat_fields, presets
from planbench_xl.runs.rollout import rollout
from planbench_xl.world import World

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
COMMAND = re.compile(r"(?:^|[\s/])planbench-xl ([^#|>]*)")
INDENTED = re.compile(r"    (\$ )?planbench-xl ")
FENCE = re.compile(r"```(\w*)$")
NOT_RUN = re.compile(r"<!-- not run: (.+) -->$")
SCRIPT = re.compile(r"\bpython3? (\w+(?:/\w+)+\.py)")
PROGRAMS = re.compile(
    r"^(\$ )?([A-Z_]+=\S+ )*(\.venv/bin/|\./)?(planbench-xl|inspect|python3?|pip|pytest) ", re.MULTILINE
)

KINDS = {"python", "bash", "", "json", "toml", "text"}
"""What may stand after a fence; `docs/contributing.md` says what is done with each."""

FILES = {
    "docs/building.md": {"my-domain.toml": ROOT / "src/planbench_xl/construct/example.toml"},
    "docs/catalogues.md": {"api.json": ROOT / "tests/construct/catalogues/bikes.json"},
}
"""Files that the code of a page reads."""


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    line: int
    kind: str
    text: str
    reason: str
    """Why it isn't run; empty if it is."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    opened: tuple[int, str, str] | None = None
    reason, inside = "", list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if opened is not None and line == "```":
            start, kind, why = opened
            yield Block(name(page), start, kind, "\n".join(inside) + "\n", why)
            opened, reason, inside = None, "", []
        elif opened is not None:
            inside.append(line)
        elif fence:
            opened = (number, fence[1], reason)
        elif line.strip():
            marker = NOT_RUN.match(line)
            reason = marker[1] if marker else ""
    assert opened is None, f"{name(page)}:{opened and opened[0]} has no end"


BLOCKS = [block for page in PAGES for block in blocks(page)]


def pages_with(kind: str) -> list[str]:
    """Return the pages of the site that have blocks of a kind to run. The README's two are what CI runs."""
    found = (block.page for block in BLOCKS if block.kind == kind and not block.reason)
    return list(dict.fromkeys(page for page in found if page.startswith("docs/")))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        assert re.search(rf"[ :-] {page.relative_to(DOCS).as_posix()}$", navigation, re.MULTILINE), page


def test_every_block_is_run_or_read_or_says_why_not() -> None:
    for block in BLOCKS:
        place = f"{block.page}:{block.line}"
        assert block.kind in KINDS, f"{place}: a block may be one of {sorted(KINDS)}"
        if not block.reason:
            assert block.kind or PROGRAMS.search(block.text), f"{place}: no command; if it is output, say `text`"
        match block.kind:
            case "json":
                msgspec.json.decode(block.text)
            case "toml":
                tomllib.loads(block.text)
            case "python":
                compile(block.text, place, "exec")
        for script in SCRIPT.findall(block.text):
            assert (ROOT / script).exists(), f"{place}: {script}"


def commands(page: Path) -> list[list[str]]:
    """Return the commands in code blocks of a page, fenced or indented, as words."""
    lines = [line for block in blocks(page) if block.kind in ("", "bash") for line in block.text.splitlines()]
    fenced = {line for block in blocks(page) for line in block.text.splitlines()}
    text = page.read_text(encoding="utf-8").splitlines()
    lines += [line for line in text if INDENTED.match(line) and line not in fenced]
    found = [command for line in lines for command in COMMAND.findall(line)]
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
    assert sum(len(commands(page)) for page in PAGES) > 80


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANBENCH_XL_WORLD", "mini")
    for file, source in FILES.get(page, {}).items():
        shutil.copy(source, file)
    names: dict[str, object] = {"__name__": "documentation"}
    missing = set()
    for block in BLOCKS:
        if (block.page, block.kind, block.reason) == (page, "python", ""):
            try:
                exec(compile("\n" * block.line + block.text, page, "exec", dont_inherit=True), names)
            except ModuleNotFoundError as error:
                if (error.name or "").startswith("planbench_xl"):
                    raise
                missing.add(error.name)
    if missing:
        pytest.skip(f"needs {missing}")


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("bash"))
def test_commands_run(page: str, tmp_path: Path) -> None:
    """All blocks of a page in order, as someone would who reads it."""
    for file, source in FILES.get(page, {}).items():
        shutil.copy(source, tmp_path / file)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PLANBENCH_XL_WORLD": "mini"}
    for block in BLOCKS:
        if (block.page, block.kind, block.reason) == (page, "bash", ""):
            shell = ["bash", "-euo", "pipefail", "-c", block.text]
            done = subprocess.run(shell, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, f"{page}:{block.line}\n{done.stdout}\n{done.stderr}"


@pytest.mark.slow
def test_the_site_is_built_strictly(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings_handlers.python")
    # Not with `--quiet`: that hides warnings from `--strict` too.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def the_python_of(page: str) -> CodeType:
    (block,) = (block for block in BLOCKS if (block.page, block.kind) == (page, "python"))
    return compile(block.text, page, "exec")


def test_the_quick_starts_python(capsys: pytest.CaptureFixture[str]) -> None:
    exec(the_python_of("docs/index.md"), {})
    assert "RC-40718-K" in capsys.readouterr().out


def test_the_agent_of_ones_own(mini: World) -> None:
    names: dict[str, type] = {}
    exec(the_python_of("docs/agents.md"), names)
    environment = Environment(mini)
    agent = names["FirstTool"](environment)
    episodes = [rollout(environment, agent, query.query_id) for query in mini.queries]
    assert all(episode.turns and episode.cause is None for episode in episodes)


def test_the_worked_query(capsys: pytest.CaptureFixture[str]) -> None:
    exec(the_python_of("docs/concepts.md"), {})
    assert capsys.readouterr().out == "error_untrusted_input\n"


def test_the_walk_through_the_worked_query(mini: World) -> None:
    """Its table has the values that the oracle obtains."""
    page = " ".join((DOCS / "concepts.md").read_text(encoding="utf-8").split())
    environment = Environment(mini, find_preset("one-path").setting)
    episode = rollout(environment, make_agent("oracle", environment), "library_query_01")
    assert f"in {len(episode.turns)} turns" in page
    values = [str(turn.value) for turn in episode.turns if turn.value is not None]
    assert values and all(value in page for value in values)


def test_the_drawing_is_that_of_the_world(mini: World) -> None:
    spec = importlib.util.spec_from_file_location("worked_query", DOCS / "img/worked_query.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.draw(mini) == module.TARGET.read_text(encoding="utf-8"), "run docs/img/worked_query.py"


def test_every_template_is_named_in_the_documentation() -> None:
    text = (DOCS / "prompts.md").read_text(encoding="utf-8")
    for pack in ("text", "native"):
        for template in load_prompts(pack=pack).templates:
            assert f"`{template}`" in text, template


def test_every_setting_is_named_in_the_documentation() -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    for preset in presets():
        start, _, end = preset.rpartition("-")
        assert f"`{preset}`" in text or (f"`{start}-" in text and f"`-{end}`" in text) or preset[:-1] == "enforced-"
    for field in flat_fields(msgspec.to_builtins(find_preset("default").setting)):
        assert f"`{field.rpartition('.')[2]}`" in text or field == "name", field
