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
    "gym": "train through Gymnasium",
    "mcp": "serve worlds to MCP clients (`serve mcp`)",
    "parquet": "Parquet tables (`export parquet`)",
    "yaml": "catalogues in YAML (`build --from-openapi`)",
    "dense": "retrieval by embeddings",
    "ray": "play on a cluster (`--engine ray`)",
}
"""What each extra is for."""


class Requirement(msgspec.Struct, frozen=True):
    """A package that an extra needs, and its version here; None if it isn't installed."""

    package: str
    version: str | None


class Extra(msgspec.Struct, frozen=True):
    """An extra: what it is for, and what it needs."""

    name: str
    purpose: str
    requirements: tuple[Requirement, ...]

    @property
    def installed(self) -> bool:
        """Everything that it needs is installed."""
        return all(needed.version is not None for needed in self.requirements)


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
        core = all(needed.version is not None for needed in self.core)
        return core and self.writable and not any(world.problem for world in self.worlds)


def diagnose(folder: str | Path = ".") -> Diagnosis:
    """Look at the installation, the packaged worlds and a folder for runs."""
    needs = _requirements()
    return Diagnosis(
        version=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        location=str(Path(sys.modules["planbench_xl"].__path__[0])),
        core=_installed(needs.get("", ())),
        extras=tuple(Extra(name, text, _installed(needs[name])) for name, text in PURPOSES.items() if name in needs),
        worlds=tuple(map(_world, packaged_worlds())),
        folder=str(Path(folder).resolve()),
        writable=_writable(Path(folder)),
    )


def _requirements() -> dict[str, tuple[str, ...]]:
    """Return the packages that each extra needs, as the installed metadata says; those of the core under ''."""
    found: dict[str, list[str]] = {}
    for line in requires(DISTRIBUTION) or ():
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra == ['\"]([\w.-]+)['\"]", line)
        if name and name[0] != DISTRIBUTION:
            found.setdefault(extra[1] if extra else "", []).append(name[0])
    return {extra: tuple(names) for extra, names in found.items()}


def _installed(names: tuple[str, ...]) -> tuple[Requirement, ...]:
    return tuple(Requirement(name, _version(name)) for name in names)


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
