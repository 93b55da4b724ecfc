"""`planbench-xl submit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import SuggestingGroup, examples, json_option, print_json

if TYPE_CHECKING:
    from planbench_xl.submissions import Verdict
    from planbench_xl.world import World

FAILED = 1
SHOWN = 10


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "planbench-xl submit pack runs/retail-explorer-default --name 'My agent'",
        "planbench-xl submit verify retail-explorer-default.pbxl.zip",
        "planbench-xl submit board submissions --out leaderboard",
    ),
)
def submit() -> None:
    """Pack a run into one file, verify such files, and make a leaderboard of them."""


@submit.command(epilog=examples("planbench-xl submit pack runs/retail-explorer-default --name 'My agent'"))
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The archive. [default: RUN.pbxl.zip]")
@click.option("--name", default="", metavar="TEXT", help="What a leaderboard shall call it. [default: the agent]")
@click.option("--world", metavar="WORLD", help="World it was played on. [default: the one that the run names]")
@json_option
def pack(run: Path, out: Path | None, name: str, world: str | None, as_json: bool) -> None:
    """Make one archive of a run that has been played on all queries of its world.

    It holds the episodes, what the run was, and its figures; no paths of this machine. The same run gives the same
    bytes.
    """
    from planbench_xl.runs.worlds import open_world
    from planbench_xl.submissions import pack as make

    path = make(run, out, name=name, world=open_world(world) if world else None)
    if as_json:
        print_json({"file": str(path), "bytes": path.stat().st_size})
    else:
        click.echo(f"{path}: {path.stat().st_size:,} bytes. Check it with `planbench-xl submit verify {path}`.")


@submit.command(
    epilog=examples(
        "planbench-xl submit verify retail-explorer-default.pbxl.zip",
        "planbench-xl submit verify release-explorer-default.pbxl.zip --world ../shared/release",
    )
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--world", metavar="WORLD", help="World it must be of. [default: the packaged world of that name]")
@json_option
@click.pass_context
def verify(ctx: click.Context, file: Path, world: str | None, as_json: bool) -> None:
    """Play every episode of a submission again and work out every figure anew.

    Exit status 1 if a figure, an episode or the world isn't what the submission says.
    """
    from planbench_xl.runs.worlds import open_world
    from planbench_xl.submissions import verify as check

    verdict = check(file, open_world(world) if world else None)
    if as_json:
        print_json(_plain(verdict))
    else:
        _show(verdict)
    ctx.exit(0 if verdict.valid else FAILED)


@submit.command(epilog=examples("planbench-xl submit board submissions --out leaderboard"))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder for the page.")
@click.option("--world", "names", multiple=True, metavar="DIR", help="A world that isn't packaged; several times.")
@json_option
@click.pass_context
def board(ctx: click.Context, folder: Path, out: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Verify every archive of a folder and write a static leaderboard page of those that hold good.

    Exit status 1 if one doesn't; the page lists it with the reason.
    """
    from planbench_xl.runs.worlds import open_world
    from planbench_xl.submissions import write_board

    worlds: dict[str, World] = {world.fingerprint: world for world in map(open_world, names)}
    verdicts = write_board(folder, out, worlds=worlds)
    if as_json:
        print_json({"page": str(out / "index.html"), "submissions": [_plain(verdict) for verdict in verdicts]})
    else:
        for verdict in verdicts:
            _show(verdict)
        click.echo(f"Written: {out / 'index.html'}")
    ctx.exit(0 if all(verdict.valid for verdict in verdicts) else FAILED)


def _plain(verdict: Verdict) -> dict[str, object]:
    import msgspec

    return {"valid": verdict.valid, **msgspec.to_builtins(verdict)}


def _show(verdict: Verdict) -> None:
    from planbench_xl.report.counting import counted

    if verdict.valid:
        errors = verdict.figures["exact"].errors
        note = f" {errors} of them were ended by the infrastructure." if errors else ""
        played = counted(verdict.replayed, "episode")
        click.echo(f"{verdict.file}: verified. {played} played again, all figures as claimed.{note}")
        return
    click.echo(f"{verdict.file}: NOT verified, {counted(len(verdict.problems), 'problem')}:")
    for problem in verdict.problems[:SHOWN]:
        click.echo(f"  {problem}.")
    if len(verdict.problems) > SHOWN:
        click.echo(f"  … and {len(verdict.problems) - SHOWN} more.")
