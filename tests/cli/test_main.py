"""What holds for every command."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

import click
import pytest

from planbench_xl import __version__
from planbench_xl.cli import COMMANDS, cli
from tests.cli.conftest import Call

REPOSITORY = Path(__file__).parent.parent.parent


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = dict(commands(cli))
FLAGS = [
    (words, flag)
    for words, command in ALL.items()
    for parameter in command.params
    if isinstance(parameter, click.Option)
    for flag in parameter.opts
    if flag.startswith("--")
]


def spawn(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Call the command line in a process of its own."""
    command = [sys.executable, "-m", "planbench_xl.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return]


def test_every_command_is_there() -> None:
    assert {words[0] for words in ALL} == set(COMMANDS)


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help(words: tuple[str, ...], call: Call) -> None:
    called = call(*words, "--help")
    assert called.status == 0
    assert called.out.startswith(f"Usage: planbench-xl {' '.join(words)}")
    assert f"planbench-xl {' '.join(words)}" in called.out.partition("Examples:")[2]
    assert called.err == ""
    assert call(*words, "-h").out == called.out


def test_the_list_of_commands(call: Call) -> None:
    for arguments in (["--help"], ["-h"]):
        called = call(*arguments)
        assert called.status == 0
        for name, line in COMMANDS.items():
            assert f"  {name}" in called.out
            assert line in called.out
    assert call("--version").out == f"planbench-xl {__version__}\n"


def test_no_command(call: Call) -> None:
    called = call()
    assert called.status == 2
    assert "Commands:" in called.err


@pytest.mark.parametrize(
    ("words", "flag"), FLAGS, ids=lambda value: value if isinstance(value, str) else " ".join(value)
)
def test_a_typo_in_every_flag(words: tuple[str, ...], flag: str, call: Call) -> None:
    middle = len(flag) // 2
    for typo in (f"{flag[:middle]}{flag[middle + 1 :]}", f"{flag}x", f"{flag[:-2]}{flag[-1]}{flag[-2]}"):
        called = call(*words, typo)
        assert called.status == 2, called
        assert called.out == ""
        assert f"No such option {typo!r}." in called.err
        near = [other for other_words, other in FLAGS if other_words == words and other in called.err]
        assert near, called.err
        best = max((other for w, other in FLAGS if w == words), key=lambda o: SequenceMatcher(None, typo, o).ratio())
        assert best in near


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_a_typo_in_every_command(words: tuple[str, ...], call: Call) -> None:
    name = words[-1]
    called = call(*words[:-1], name[:2] + name[3:])
    assert called.status == 2
    assert f"Did you mean '{name}'?" in called.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--world", "mnii"], "There is no world 'mnii'. Did you mean 'mini'?"),
        (["run", "--agent", "orakle"], "There is no agent 'orakle'. Did you mean 'oracle'?"),
        (["run", "--setting", "onepath"], "There is no setting 'onepath'. Did you mean 'one-path'?"),
        (["run", "--planner", "refrence"], "`blocking.planner`: invalid enum value 'refrence'"),
        (["run", "--set", "blocking.lenth=any"], "Did you mean 'blocking.length'?"),
        (["run", "--set", "seed"], "Write it as field=value"),
        (["run", "--queries", "library_quer_01"], "Did you mean 'library_query_01'?"),
        (["run", "--limit", "0"], "Invalid value for '--limit'"),
        (["run", "--limit", "1", "--sample", "1"], "exclude each other"),
        (["run", "--sample", "12"], "from 1 to 11"),
        (["run", "--epochs", "x"], "Invalid value for '--epochs'"),
        (["run", "--workers", "0"], "Invalid value for '--workers'"),
        (["run", "--max-turns", "0"], "`max_turns`: 0 is out of range"),
        (["run", "--seed", "-1"], "`seed`: -1 is out of range"),
        (["run", "--prompts", "nowhere"], "nowhere is no folder"),
        (["run", "mini"], "Got unexpected extra argument (mini)"),
        (["suite", "papr"], "There is no suite 'papr'. Did you mean 'paper'?"),
        (["suite"], "Missing argument"),
        (["settings", "defalt"], "There is no setting 'defalt'. Did you mean 'default'?"),
        (["world", "info", "mnii"], "Did you mean 'mini'?"),
        (["world", "validate", "mnii"], "Did you mean 'mini'?"),
    ],
)
def test_a_wrong_call(arguments: list[str], said: str, call: Call, tmp_path: Path) -> None:
    called = call(*arguments)
    assert called.status == 2
    assert said in called.err
    assert called.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m planbench_xl.cli settings one-path --json | head -1"
    shown = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert shown.stdout == "{\n"
    assert shown.stderr == ""


def test_a_terminal_without_unicode(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = spawn("run", "--agent", "oracle", "--limit", "1", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr


def test_start_is_fast() -> None:
    # Processor time, because the machine may be busy.
    assert min(spent("--help") for _ in range(3)) < 0.3


def spent(*arguments: str) -> float:
    """Return the processor time that a call takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert spawn(*arguments).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_imports_no_more_than_it_needs() -> None:
    code = (
        "import sys; from planbench_xl.cli import cli; cli.main(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"rich", "sqlite3", "planbench_xl.world", "planbench_xl.runs"} & set(loaded)
