"""Finds everything that is wrong with a world, each with its place and a remedy."""

from __future__ import annotations

from pathlib import Path

from planbench_xl.errors import Fault, WorldError
from planbench_xl.world.checks.entries import check_datatypes, check_head, check_names, check_records
from planbench_xl.world.checks.queries import check_lookups, check_queries
from planbench_xl.world.checks.report import OWN, RELEASE, Layout, Report
from planbench_xl.world.checks.tasks import check_paths, check_tasks
from planbench_xl.world.checks.tools import check_tools
from planbench_xl.world.loading import find_world, load_world
from planbench_xl.world.lookups import Lookups
from planbench_xl.world.model import World
from planbench_xl.world.storage import (
    MANIFEST,
    Manifest,
    encode_manifest,
    manifest,
    read_manifest,
    read_parts,
    write_atomically,
)

__all__ = ["OWN", "RELEASE", "Layout", "stamp", "validate", "validate_folder"]


def validate(world: World, layout: Layout = OWN) -> list[Fault]:
    """Return every fault of a world, in file order; an empty list means that it can be used.

    Args:
        world: The world.
        layout: How the folder that it came from names files and fields: `OWN` or `RELEASE`.
    """
    report = Report(world, layout)
    check_head(report)
    check_names(report)
    check_datatypes(report)
    check_tools(report)
    check_records(report)
    check_tasks(report)
    check_paths(report)
    lookups = Lookups(world)
    check_lookups(report, lookups)
    check_queries(report, lookups)
    return report.faults()


def validate_folder(name_or_path: str | Path) -> tuple[World | None, list[Fault]]:
    """Load and check a packaged world or a folder in our format or in the release's.

    Returns:
        The world, or None if it could not be loaded, and every fault found. Bad content never raises.
    """
    try:
        folder = find_world(name_or_path)
        world = load_world(folder)
        own = (folder / MANIFEST).exists()
        stated = read_manifest(folder).fingerprint if own else world.fingerprint
    except WorldError as error:
        return None, list(error.faults)
    except OSError as error:
        problem = f"can't be read ({error.strerror})"
        return None, [Fault(str(name_or_path), "", "", problem, "Check the path and its permissions")]
    faults = validate(world, OWN if own else RELEASE)
    if stated != world.fingerprint:
        problem = f"is {stated[:12]}…, but the content's is {world.fingerprint[:12]}…"
        remedy = (
            f"Restore the files, or run `planbench-xl world validate --stamp {name_or_path}` if the change is meant"
        )
        faults.insert(0, Fault(MANIFEST, "", "fingerprint", problem, remedy))
    return world, faults


def stamp(folder: Path) -> Manifest:
    """Bring the counts and the fingerprint of a folder's manifest in line with its content.

    For a change that is meant: nothing is written unless all the rest is valid.

    Returns:
        The new manifest.

    Raises:
        WorldError: The folder is not in our format, has other faults or can't be written.
    """
    world, faults = read_parts(folder, read_manifest(folder))
    faults = faults or validate(world)
    if faults:
        raise WorldError(faults)
    try:
        write_atomically(folder / MANIFEST, encode_manifest(world))
    except OSError as error:
        fault = Fault(MANIFEST, "", "", f"can't be written ({error.strerror})", "Check the folder's permissions")
        raise WorldError([fault]) from error
    return manifest(world)
