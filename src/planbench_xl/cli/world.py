"""`planbench-xl world`."""

from __future__ import annotations

import click

from planbench_xl.cli.audit import audit
from planbench_xl.cli.common import SuggestingGroup, examples, json_option, print_json
from planbench_xl.cli.compare_worlds import compare
from planbench_xl.cli.paths import paths
from planbench_xl.cli.retrieval_check import retrieval_check


@click.group(
    cls=SuggestingGroup,
    epilog=examples(
        "planbench-xl world info mini",
        "planbench-xl world validate ../shared/release --json",
    ),
)
def world() -> None:
    """Describe or check a world: a packaged one by name, a folder of this format, or the published release."""


@world.command(
    epilog=examples(
        "planbench-xl world info mini",
        "planbench-xl world info ../shared/release --json",
    )
)
@click.argument("path")
@json_option
def info(path: str, as_json: bool) -> None:
    """Show what a world holds."""
    from planbench_xl.runs.worlds import describe, open_world

    facts = describe(open_world(path))
    if as_json:
        print_json(facts)
        return
    width = max(map(len, facts))
    for name, value in ((name, value) for name, value in facts.items() if value != {}):
        text = ", ".join(f"{key}: {number}" for key, number in value.items()) if isinstance(value, dict) else value
        click.echo(f"{name.replace('_', ' '):<{width}}  {text}")


@world.command(
    epilog=examples(
        "planbench-xl world validate mini",
        "planbench-xl world validate my-world --stamp",
    )
)
@click.argument("path")
@click.option("--stamp", "write", is_flag=True, help="Write counts and fingerprint into the manifest anew.")
@json_option
@click.pass_context
def validate(ctx: click.Context, path: str, write: bool, as_json: bool) -> None:
    """Check everything about a world. Every fault is shown with its file, entry, field and remedy.

    Exit status 0 if there is none, 1 otherwise.
    """
    from planbench_xl.report.counting import counted
    from planbench_xl.runs.worlds import find_folder
    from planbench_xl.world.validate import stamp, validate_folder

    folder = find_folder(path)
    if write:
        stamp(folder)
    found, faults = validate_folder(folder)
    if as_json:
        print_json({"valid": not faults, "fingerprint": found.fingerprint if found else None, "faults": faults})
    else:
        for fault in faults:
            click.echo(str(fault))
        count = counted(len(faults), "fault") if faults else "no faults"
        click.echo(f"{folder}: {count}.")
    ctx.exit(1 if faults else 0)


# Their modules import what they need when they run.
world.add_command(paths)
world.add_command(audit)
world.add_command(compare)
world.add_command(retrieval_check)
