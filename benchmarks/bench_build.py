"""Measures how long building a packaged domain takes, stage by stage.

python benchmarks/bench_build.py                 retail; should be under 60 s
python benchmarks/bench_build.py hospital 3      another domain, three seeds
"""

from __future__ import annotations

import resource
import sys
import time

from planbench_xl.construct import Knobs, Recipe, build_world, load_domain

LIMIT = 60.0


def measure(name: str, seed: int) -> float:
    """Build one world, print the time of each stage, and return the time of all."""
    domain, digest = load_domain(name)
    starts: dict[str, float] = {}
    ends: dict[str, float] = {}

    def report(stage: str, done: int, total: int) -> None:
        starts.setdefault(stage, time.perf_counter())
        ends[stage] = time.perf_counter()

    began = time.perf_counter()
    world = build_world(domain, Recipe(name, digest, seed, "template", Knobs()), report=report)
    seconds = time.perf_counter() - began
    parts = ", ".join(f"{stage} {ends[stage] - starts[stage]:.1f}" for stage in starts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name}, seed {seed}: {seconds:.1f} s ({parts}), {peak:.0f} MB, {len(world.queries)} queries")
    return seconds


def main() -> int:
    """Measure, and fail if a build takes too long."""
    name = sys.argv[1] if len(sys.argv) > 1 else "retail"
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    return int(max(measure(name, seed) for seed in range(1, seeds + 1)) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
