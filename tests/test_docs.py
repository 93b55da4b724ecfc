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
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("packages/*/*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
COMMAND = re.compile(r"(?:^|[\s/])planbench-xl ([^#|>]*)")
FENCE = re.compile(r"```(\w*)$")
NOT_RUN = re.compile(r"<!-- not run: (.+) -->$")
BY_CI = re.compile(r"<!-- (test|run) command -->$")
FIRST = re.compile(r"<!-- first: (.+) -->$")
SCRIPT = re.compile(r"\bpython3? (\w+(?:/\w+)+\.py)")
PROGRAMS = re.compile(
    r"^(\$ )?([A-Z_]+=\S+ )*(\.venv/bin/|\./)?(planbench-xl|inspect|python3?|pip|pytest) ", re.MULTILINE
)

KINDS = {"python", "bash", "console", "json", "toml", "text"}
"""What stands after a fence; `docs/contributing.md` says what is done with each."""

PUBLISHED = {"path/to/release": "release", "path/to/golden": "golden"}
"""What the pages call the published data and the recorded behaviour, and their folders in the shared data."""

FILES = {
    "docs/building.md": {"my-domain.toml": ROOT / "src/planbench_xl/construct/example.toml"},
    "docs/catalogues.md": {
        "api.json": ROOT / "tests/construct/catalogues/bikes.json",
        "tools.json": ROOT / "tests/construct/catalogues/desk.mcp.json",
    },
    "docs/your-agent.md": {"own_agent.py": ROOT / "examples/own_agent.py"},
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
    first: str
    """Commands that a test runs before it, which readers don't see."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    opened: tuple[int, str] | None = None
    reason, first, inside = "", list[str](), list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if opened is not None and line == "```":
            yield Block(name(page), *opened, "\n".join(inside) + "\n", reason, "\n".join(first))
            opened, reason, first, inside = None, "", [], []
        elif opened is not None:
            inside.append(line)
        elif fence:
            opened = (number, fence[1])
        elif marker := NOT_RUN.match(line):
            reason = marker[1]
        elif BY_CI.match(line):
            reason = "a script in .ci runs it"
        elif marker := FIRST.match(line):
            first.append(marker[1])
        elif line.strip():
            reason, first = "", []
    assert opened is None, f"{name(page)}:{opened and opened[0]} has no end"


BLOCKS = [block for page in PAGES for block in blocks(page)]


def to_run(*kinds: str) -> dict[str, list[Block]]:
    """Return the blocks of some kinds that are run, by page."""
    found: dict[str, list[Block]] = {}
    for block in BLOCKS:
        if block.kind in kinds and not block.reason:
            found.setdefault(block.page, []).append(block)
    return found


PYTHON, COMMANDS = to_run("python"), to_run("bash", "console")


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
        match block.kind:
            case "json":
                msgspec.json.decode(block.text)
            case "toml":
                tomllib.loads(block.text)
            case "python":
                compile(block.text, place, "exec")
            case "console":
                assert block.text.startswith("$ "), f"{place}: the first line is no command"
            case "text":
                assert not PROGRAMS.search(block.text), f"{place}: commands are `bash`, or `console` with their output"
        for test in re.findall(r"tests/\S+\.py", block.reason):
            assert (ROOT / test).exists() or (ROOT / block.page).parent.joinpath(test).exists(), f"{place}: {test}"
        for script in SCRIPT.findall(block.text):
            assert (ROOT / script).exists(), f"{place}: {script}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_code_is_fenced(page: Path) -> None:
    """No test would see an indented block. The reference's options are the only indented lines."""
    fenced, options = False, False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.startswith("```")
        if line and not line.startswith(" "):
            options = line.startswith("::: ")
        assert fenced or options or not line.startswith("    "), f"{name(page)}:{number}: use a fence"


def commands(page: Path) -> list[list[str]]:
    """Return the commands in code blocks of a page, as words."""
    shown = [block for block in blocks(page) if block.kind in ("bash", "console")]
    lines = [line for block in shown for line in block.text.replace("\\\n", " ").splitlines()]
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


def put_files(page: str, folder: Path) -> None:
    for file, source in FILES.get(page, {}).items():
        shutil.copy(source, folder / file)


@pytest.mark.parametrize("page", PYTHON)
def test_python_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANBENCH_XL_WORLD", "mini")
    put_files(page, tmp_path)
    names: dict[str, object] = {"__name__": "documentation"}
    missing = set()
    for block in PYTHON[page]:
        try:
            exec(compile("\n" * block.line + block.text, page, "exec", dont_inherit=True), names)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("planbench_xl"):
                raise
            missing.add(error.name)
    if missing:
        pytest.skip(f"needs {missing}")


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as a reader would, with `mini` as the default world."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PLANBENCH_XL_WORLD": "mini", "COLUMNS": "100"}
    command = ["bash", "-euo", "pipefail", "-c", script]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )


def check_console(block: Block, folder: Path) -> None:
    """Run the commands of a block, and compare what they print with what it shows; `…` stands for anything."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        done = shell(command, folder)
        printed = plain(done.stdout + done.stderr)
        assert (done.returncode != 0) == any(line.startswith("Error:") for line in shown), f"{command}\n{printed}"
        pattern = ".*".join(re.escape(words.strip()) for words in plain("\n".join(shown)).split("…"))
        assert re.search(pattern, printed, re.DOTALL), f"{block.page}:{block.line} {command}\n{printed}"


def plain(text: str) -> str:
    """Return a text without the layout that depends on the terminal's width."""
    return " ".join(text.replace("─", "").split())


@pytest.mark.slow
@pytest.mark.parametrize("page", COMMANDS)
def test_commands_run(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """All blocks of a page in order, as someone would who reads it."""
    put_files(page, tmp_path)
    text = "\n".join(block.first + block.text for block in COMMANDS[page])
    for place, folder in PUBLISHED.items():
        if place in text:
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).symlink_to(request.getfixturevalue("shared") / folder)
    for block in COMMANDS[page]:
        bash = block.text if block.kind == "bash" else ""
        done = shell(f"{block.first}\n{bash}", tmp_path)
        assert done.returncode == 0, f"{page}:{block.line}\n{done.stdout}\n{done.stderr}"
        if block.kind == "console":
            check_console(block, tmp_path)


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
