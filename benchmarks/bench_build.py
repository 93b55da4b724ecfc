"""Measures building: a packaged domain over some seeds, or ever larger ecosystems; retail should take less than 60 s.

python benchmarks/bench_build.py retail --seeds 3
python benchmarks/bench_build.py retail --scale 2000 5000 10000 20000 --out worlds --workers 2
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from math import ceil
from pathlib import Path

from planbench_xl.construct import Knobs, Recipe, build_world, load_domain
from planbench_xl.world import save_world

TOOLS_EACH = 9
"""An executable tool, its distractors and its block alternatives."""

BRANCH_TOOLS = 230
"""Executable tools of one branch, as in the packaged worlds."""


def measure(name: str, seed: int, knobs: Knobs, workers: int = 1, out: Path | None = None) -> dict[str, object]:
    """Build one world; return what it holds, the seconds of each stage and the peak memory of this process."""
    domain, digest = load_domain(name)
    starts: dict[str, float] = {}
    ends: dict[str, float] = {}

    def report(stage: str, done: int, total: int) -> None:
        starts.setdefault(stage, time.perf_counter())
        ends[stage] = time.perf_counter()

    began = time.perf_counter()
    used = os.times()
    world = build_world(domain, Recipe(name, digest, seed, "template", knobs), report=report, workers=workers)
    seconds = time.perf_counter() - began
    now = os.times()
    if out is not None:
        save_world(world, out)
    return {
        "domain": name,
        "seed": seed,
        "branches": knobs.branches,
        "datatypes": len(world.datatypes),
        "tools": len(world.tools),
        "tasks": len(world.tasks),
        "queries": len(world.queries),
        "seconds": round(seconds, 1),
        # Of all processes: the workers have ended.
        "processor_seconds": round(sum(now[:4]) - sum(used[:4]), 1),
        "workers": workers,
        "fingerprint": world.fingerprint[:12],
        "stages": {stage: round(ends[stage] - starts[stage], 1) for stage in starts},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def sized(tools: int) -> Knobs:
    """Return the knobs of an ecosystem with so many tools of all roles, a query for every four."""
    executable = ceil(tools / TOOLS_EACH)
    return Knobs(tools=executable, branches=max(1, round(executable / BRANCH_TOOLS)), queries=tools // 4)


def main() -> None:
    """Measure some builds, one process each: peak memory is a process's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain", nargs="?", default="retail", help="packaged domain or domain file")
    parser.add_argument("--seeds", type=int, default=1, help="number of seeds")
    parser.add_argument("--scale", type=int, nargs="+", default=[], metavar="N", help="numbers of tools of all roles")
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    parser.add_argument("--out", type=Path, help="keep the worlds of --scale in this folder")
    options = parser.parse_args()
    if len(options.scale) > 1:
        for tools in options.scale:
            more = ["--workers", str(options.workers), *(["--out", str(options.out)] if options.out else [])]
            subprocess.run([sys.executable, __file__, options.domain, "--scale", str(tools), *more], check=True)
    elif options.scale:
        (tools,) = options.scale
        folder = options.out and options.out / str(tools)
        print(json.dumps(measure(options.domain, 1, sized(tools), options.workers, folder)), flush=True)
    else:
        for seed in range(1, options.seeds + 1):
            print(json.dumps(measure(options.domain, seed, Knobs(), options.workers)), flush=True)


if __name__ == "__main__":
    main()
