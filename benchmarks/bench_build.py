"""Measures how long building a packaged domain takes, stage by stage; retail should take less than 60 s."""

from __future__ import annotations

import argparse
import resource
import time

from planbench_xl.construct import Knobs, Recipe, build_world, load_domain


def measure(name: str, seed: int) -> None:
    """Build one world and print the time of each stage."""
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


def main() -> None:
    """Measure some builds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("domain", nargs="?", default="retail", help="packaged domain or domain file")
    parser.add_argument("--seeds", type=int, default=1, help="number of seeds")
    options = parser.parse_args()
    for seed in range(1, options.seeds + 1):
        measure(options.domain, seed)


if __name__ == "__main__":
    main()
