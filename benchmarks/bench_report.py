"""Measures `score` of one run and a report of 20 models × 13 settings × 327 episodes.

    python benchmarks/bench_report.py [--world ../shared/release] [--models 20] [--folder /tmp/bench-report]

The runs are played by scripted agents; further models are copies of their folders. What is in the folder already is
used again. Wall-clock figures need an idle machine; the processor-time figures beside them say how busy it was.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

CLI = [sys.executable, "-m", "planbench_xl.cli"]

AGENTS = ("explorer", "forward", "backward", "random")

SETTINGS = (
    "default", "one-path", "one-path-explicit", "one-path-implicit", "one-path-misleading", "one-path-shortest",
    "one-path-longest", "disabled-0.2", "disabled-0.4", "disabled-0.6", "disabled-0.8", "enforced-3", "enforced-5",
)  # fmt: skip


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="../shared/release")
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--folder", default="/tmp/bench-report")
    options = parser.parse_args()
    folder = Path(options.folder)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}")
    models = [make(folder / f"model-{number:02}", AGENTS[number % len(AGENTS)], options.world, folder)
              for number in range(options.models)]  # fmt: skip
    best = min((measured([*CLI, "score", str(models[0] / "default")]) for _ in range(5)), key=lambda m: m[0])
    print(f"score of one run         {best[0]:6.2f} s ({best[1]:.2f} s of processor time), aim < 1 s")
    for name, more in (("with the page", []), ("without the page", ["--no-page"])):
        out = folder / "report"
        shutil.rmtree(out, ignore_errors=True)
        wall, cpu = measured([*CLI, "report", *map(str, models), "--out", str(out), "--workers", "2", *more])
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"report {name:<17} {wall:6.2f} s ({cpu:.2f} s of processor time), aim < 60 s")
        print(f"largest process          {largest:6.0f} MB (of three), aim < 2,000 MB together")


def make(place: Path, agent: str, world: str, folder: Path) -> Path:
    """Return the folder of a model's runs, played or copied from the agent's."""
    source = folder / "played" / agent
    for setting in SETTINGS:
        if not (source / setting / "run.json").exists():
            command = ["run", "--world", world, "--agent", agent, "--setting", setting, "--out", str(source / setting)]
            subprocess.run([*CLI, *command, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    if not place.exists():
        shutil.copytree(source, place)
    return place


def measured(command: list[str]) -> tuple[float, float]:
    """Return wall-clock and processor time of a command and its children, in seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - started, cpu


if __name__ == "__main__":
    main()
