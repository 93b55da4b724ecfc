"""What is installed, what works, and what is missing for what."""

from __future__ import annotations

import platform
import re
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import msgspec

from planbench_xl import __version__
from planbench_xl.errors import PlanBenchError
from planbench_xl.world import load_world, packaged_worlds

DISTRIBUTION = "planbench-xl"

PURPOSES = {
    "inspect": "evaluate models (`run --model`, `build --writer MODEL`), read Inspect logs",
    "report": "intervals, comparisons, figures (`report`, `compare`)",
    "gym": "train through Gymnasium (`planbench_xl.integrations.gym`)",
    "mcp": "serve worlds to MCP clients (`serve mcp`)",
    "parquet": "Parquet tables (`export parquet`)",
    "yaml": "catalogues in YAML (`build --from-openapi`)",
    "dense": "retrieval by embeddings (settings `dense` and `hybrid`)",
    "ray": "play on a cluster (`--engine ray`)",
}
"""What each extra is for."""


class Requirement(msgspec.Struct, frozen=True):
    """A package that something needs.

    Attributes:
        package: Its name.
        wanted: The versions that will do, as in `>=2.2,<3`.
        version: The version here; None if it isn't installed.
        fits: It is installed, in a version that will do.
    """

    package: str
    wanted: str
    version: str | None
    fits: bool


class Extra(msgspec.Struct, frozen=True):
    """An extra: what it is for, what it needs, and whether all of that is installed."""

    name: str
    purpose: str
    requirements: tuple[Requirement, ...]
    installed: bool


class WorldState(msgspec.Struct, frozen=True):
    """A packaged world: its fingerprint, or why it can't be loaded."""

    name: str
    fingerprint: str = ""
    problem: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        version: Version of this package.
        python: Version of Python.
        system: Operating system and machine.
        location: Where the package is installed.
        core: Packages that everything needs.
        extras: The extras.
        worlds: The packaged worlds.
        folder: The working folder.
        writable: Whether runs can be written to it.
    """

    version: str
    python: str
    system: str
    location: str
    core: tuple[Requirement, ...]
    extras: tuple[Extra, ...]
    worlds: tuple[WorldState, ...]
    folder: str
    writable: bool

    @property
    def healthy(self) -> bool:
        """The core works; missing extras are no fault."""
        core = all(needed.fits for needed in self.core)
        return core and self.writable and not any(world.problem for world in self.worlds)


def diagnose(folder: str | Path = ".") -> Diagnosis:
    """Look at the installation, the packaged worlds and a folder for runs."""
    needs = _requirements()
    return Diagnosis(
        version=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        location=str(Path(sys.modules["planbench_xl"].__path__[0])),
        core=needs.get("", ()),
        extras=tuple(
            Extra(name, text, needs[name], all(needed.fits for needed in needs[name]))
            for name, text in PURPOSES.items()
            if name in needs
        ),
        worlds=tuple(map(_world, packaged_worlds())),
        folder=str(Path(folder).resolve()),
        writable=_writable(Path(folder)),
    )


def _requirements() -> dict[str, tuple[Requirement, ...]]:
    """Return what each extra needs, as the installed metadata says; what the core needs under ''."""
    found: dict[str, list[Requirement]] = {}
    for line in requires(DISTRIBUTION) or ():
        parts = re.match(r"([\w.-]+)(?:\[[^\]]*\])?\s*([^;]*)", line)
        extra = re.search(r"extra == ['\"]([\w.-]+)['\"]", line)
        if parts and parts[1] != DISTRIBUTION:
            version = _version(parts[1])
            needed = Requirement(parts[1], parts[2].strip(), version, version is not None and _fits(version, parts[2]))
            found.setdefault(extra[1] if extra else "", []).append(needed)
    return {extra: tuple(needs) for extra, needs in found.items()}


def _fits(version: str, wanted: str) -> bool:
    """Return whether a version is within bounds such as `>=2.2,<3`: all that this package's metadata has."""
    here = _numbers(version)
    at_least, below = re.search(r">=([\d.]+)", wanted), re.search(r"<([\d.]+)", wanted)
    return not (at_least and here < _numbers(at_least[1])) and not (below and here >= _numbers(below[1]))


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version without its zeros at the end, as 2 and 2.0 are the same."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in release[0].split(".")] if release else [0]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _world(name: str) -> WorldState:
    try:
        return WorldState(name, load_world(name).fingerprint)
    except PlanBenchError as error:
        return WorldState(name, problem=str(error))


def _writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
