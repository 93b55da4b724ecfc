"""`planbench-xl score`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import examples, json_option, print_json, print_table

if TYPE_CHECKING:
    from planbench_xl.metrics import RunScore
    from planbench_xl.world import World

FAILED = 1


@click.command(
    epilog=examples(
        "planbench-xl score runs/mini-explorer-default",
        "planbench-xl score runs/a runs/b --judge exact",
        "planbench-xl score runs/paper --json",
        "planbench-xl score ../shared/golden/output_folder --world ../shared/release",
    )
)
@click.argument("folders", metavar="DIR…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--world", metavar="WORLD", help="World they were played on. [default: the one the run names]")
@click.option(
    "--judge", type=click.Choice(["contains", "exact"]), help="Judge all answers anew. [default: the run's own judge]"
)
@click.option("--exact-paths", is_flag=True, help="Add EGT on all solution paths, listed or not (may take a minute).")
@json_option
@click.pass_context
def score(
    ctx: click.Context,
    folders: tuple[Path, ...],
    world: str | None,
    judge: str | None,
    exact_paths: bool,
    as_json: bool,
) -> None:
    """Score run folders from their episodes, and print the paper's main table: a row per run.

    DIR is a run folder, a folder of several (as a suite makes), or an output folder of the published release, which
    needs --world.

    Exit status 1 if an episode comes out otherwise than recorded.
    """
    from planbench_xl.report import as_dict

    paths = [run for folder in folders for run in _runs(folder)]
    labels = _labels(paths)
    loaded: dict[str, World] = {}
    rows = [(label, _score(path, world, judge, exact_paths, loaded)) for label, path in zip(labels, paths, strict=True)]
    if as_json:
        dicts = [as_dict(label, result) for label, result in rows]
        print_json(dicts[0] if len(folders) == 1 and paths == list(folders) else {"runs": dicts})
    else:
        print_table(rows)
    if any(result.disagreements for _, result in rows):
        ctx.exit(FAILED)


def _runs(folder: Path) -> list[Path]:
    """Return a folder, or the run folders in it if it is none itself."""
    from planbench_xl.episodes.release_output import is_release_output
    from planbench_xl.runs.manifest import MANIFEST

    if (folder / MANIFEST).exists() or is_release_output(folder):
        return [folder]
    return sorted(path.parent for path in folder.glob(f"*/{MANIFEST}")) or [folder]


def _labels(paths: list[Path]) -> list[str]:
    names = [path.resolve().name for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _score(path: Path, world: str | None, judge: str | None, exact_paths: bool, loaded: dict[str, World]) -> RunScore:
    from planbench_xl.episodes.release_output import is_release_output
    from planbench_xl.errors import UsageError
    from planbench_xl.runs.conformance.output import score_output
    from planbench_xl.runs.manifest import read_manifest
    from planbench_xl.runs.scores import score_folder
    from planbench_xl.world import load_world

    manifest = read_manifest(path)
    source = world or (manifest.world_source if manifest else None)
    if source is not None and source not in loaded:
        loaded[source] = load_world(source)
    if manifest is not None or not is_release_output(path):
        return score_folder(path, loaded.get(source or ""), judge, exact_paths=exact_paths)
    if source is None:
        raise UsageError(f"{path} is an output folder of the release, which doesn't name its world; give --world.")
    result, problems = score_output(path, loaded[source], judge, exact_paths=exact_paths)
    for problem in problems:
        click.echo(f"Warning: {problem}.", err=True)
    return result
