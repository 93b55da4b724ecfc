"""`planbench-xl conformance`."""

from __future__ import annotations

from pathlib import Path

import click

from planbench_xl.cli.common import examples, json_option, print_json

FAILED = 1


@click.command(
    epilog=examples(
        "planbench-xl conformance ../shared/golden/default.json.gz --world ../shared/release",
        "planbench-xl conformance ../shared/golden/phrase_to_datatype.json --world ../shared/release --json",
        "planbench-xl conformance ../shared/golden/output_folder --world ../shared/release",
    )
)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--world", required=True, metavar="WORLD", help="World that the files were recorded on.")
@json_option
@click.pass_context
def conformance(ctx: click.Context, files: tuple[Path, ...], world: str, as_json: bool) -> None:
    """Replay recorded behaviour of the reference, and show every difference with its place.

    FILE holds recorded episodes of a setting, block plans or phrases with their datatypes, or is an output folder of
    the published release.

    Exit status 0 if there is no difference, 1 otherwise.
    """
    from planbench_xl.runs.conformance import check_file
    from planbench_xl.world import load_world

    loaded = load_world(world)
    found = []
    for file in files:
        checked = check_file(file, loaded)
        found.append(checked)
        if not as_json:
            for difference in checked.differences:
                click.echo(str(difference))
            number = len(checked.differences)
            result = "as recorded" if not number else f"{number} difference{'s' if number > 1 else ''}"
            click.echo(f"{checked.file}: {checked.count} {checked.kind}: {result}.")
    total = sum(len(checked.differences) for checked in found)
    if as_json:
        print_json({"world": loaded.name, "differences": total, "files": found})
    if total:
        ctx.exit(FAILED)
