"""Block plans of a world by the exact planner: seconds, blocked tools, missed aims, per aim.

Usage: python benchmarks/bench_blocks.py [WORLD]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import msgspec

from planbench_xl.blocking import BlockingConfig, Planner, check_plan
from planbench_xl.world import load_world

AIMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("one path, any length", {}),
    ("one path, shortest", {"length": "shortest"}),
    ("one path, longest", {"length": "longest"}),
    ("a fifth disabled", {"aim": "disabled_ratio", "disabled_ratio": 0.2}),
    ("two fifths disabled", {"aim": "disabled_ratio", "disabled_ratio": 0.4}),
    ("three fifths disabled", {"aim": "disabled_ratio", "disabled_ratio": 0.6}),
    ("four fifths disabled", {"aim": "disabled_ratio", "disabled_ratio": 0.8}),
    ("three paths", {"remaining_paths": 3}),
    ("three blocked tools", {"aim": "blocked_tools", "blocked_tools": 3}),
    ("L* raised by one", {"aim": "raise_shortest", "raise_shortest": 1}),
    ("one path, reference planner", {"planner": "reference"}),
)


def main() -> None:
    """Plan every task for every aim and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", nargs="?", default="mini")
    world = load_world(parser.parse_args().world)
    print("| aim | plans, s | check, s | blocked: mean | most | miss their aim | not resolved | false claims |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for label, changes in AIMS:
        config = msgspec.structs.replace(BlockingConfig(enabled=True), **changes)
        began = time.perf_counter()
        planner = Planner(world, config, 42)
        plans = [planner.plan(task.task_id) for task in world.tasks]
        planned = time.perf_counter()
        exact = [plan for plan in plans if plan.certificate is not None]
        false = sum(bool(check_plan(world, plan)) for plan in exact)
        checked = time.perf_counter()
        sizes = [len(plan.blocked) for plan in plans]
        missed = sum(1 for plan in exact if plan.certificate and plan.certificate.miss)
        unresolved = sum(not plan.resolved for plan in plans)
        print(
            f"| {label} | {planned - began:.2f} | {checked - planned:.2f} | {sum(sizes) / len(sizes):.2f} "
            f"| {max(sizes)} | {missed} | {unresolved} | {false} |"
        )


if __name__ == "__main__":
    main()
