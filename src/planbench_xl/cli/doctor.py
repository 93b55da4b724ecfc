"""`planbench-xl doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planbench_xl.cli.common import examples, json_option, print_json

if TYPE_CHECKING:
    from planbench_xl.doctor import Diagnosis, Requirement

FAILED = 1


@click.command(epilog=examples("planbench-xl doctor", "planbench-xl doctor --json"))
@click.option("--folder", default=".", metavar="DIR", help="Where runs are to be written. [default: working folder]")
@json_option
@click.pass_context
def doctor(ctx: click.Context, folder: str, as_json: bool) -> None:
    """Print versions, extras, worlds and write access, and what is missing for what.

    Exit status 1 if the core doesn't work; a missing extra is no fault.
    """
    import msgspec

    from planbench_xl.doctor import diagnose

    found = diagnose(folder)
    if as_json:
        print_json({"healthy": found.healthy, **msgspec.to_builtins(found)})
    else:
        _show(found)
    ctx.exit(0 if found.healthy else FAILED)


def _show(found: Diagnosis) -> None:
    click.echo(f"planbench-xl {found.version}, Python {found.python}, {found.system}")
    click.echo(f"Installed in {found.location}")
    click.echo(f"Core: {_listed(found.core)}")
    click.echo("Extras:")
    for extra in found.extras:
        state = "installed" if extra.installed else "missing"
        click.echo(f"  {extra.name:8} {state:9}  {extra.purpose}")
        click.echo(f"  {'':8} {'':9}  {_listed(extra.requirements)}")
        if not extra.installed:
            click.echo(f"  {'':8} {'':9}  pip install 'planbench-xl[{extra.name}]'")
    click.echo("Worlds:")
    for world in found.worlds:
        click.echo(f"  {world.name:8} {world.fingerprint[:12] or 'BROKEN: ' + world.problem}")
    state = "can be written to" if found.writable else "CAN'T BE WRITTEN TO: choose another with --out"
    click.echo(f"Folder {found.folder}: {state}")


def _listed(requirements: tuple[Requirement, ...]) -> str:
    return ", ".join(map(_stated, requirements))


def _stated(needed: Requirement) -> str:
    if needed.fits:
        return f"{needed.package} {needed.version}"
    return f"{needed.package} {needed.version or 'MISSING'} (wanted: {needed.wanted or 'any'})"
