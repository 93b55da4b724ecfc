"""Measure the failure analysis on recorded runs, of any number of agents and settings on one world.

planbench-xl suite paper --world ../shared/release --agent explorer --out /tmp/bench/explorer     (and other agents)
python benchmarks/bench_analysis.py /tmp/bench

The runs are read and analysed one after the other, as a report does. What is remembered of a world is shared: an agent
pays for the states that no agent before it has met.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import defaultdict
from pathlib import Path

from planbench_xl.analysis import analyse_episodes, slices, summarise
from planbench_xl.runs.loading import Worlds, find_runs, load_run


def main() -> None:
    """Print a line per agent and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="run folders, or folders of them")
    parser.add_argument("--world", help="the world they were played on, if it has moved")
    options = parser.parse_args()
    worlds = Worlds()
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0, 0.0])
    print(
        f"{'agent':24} {'runs':>5} {'episodes':>9} {'turns':>6} {'read ms':>8} {'analysis ms':>12}   per episode, CPU"
    )
    sources = find_runs(options.folders, options.world)
    for source in sources:
        begin = time.process_time()
        run = load_run(source, worlds)
        _ = run.world.fingerprint
        read = time.process_time() - begin
        begin = time.process_time()
        analyses = analyse_episodes(run.world, run.episodes)
        summarise(analyses)
        slices(analyses)
        spent = time.process_time() - begin
        turns = sum(len(episode.turns) for episode in run.episodes)
        for name in (run.agent, "all"):
            sums = totals[name]
            for place, value in enumerate((1, len(run.episodes), turns, read, spent)):
                sums[place] += value
    for name in [*(name for name in totals if name != "all"), "all"]:
        runs, episodes, turns, read, spent = totals[name]
        cells = f"{turns / episodes:6.1f} {1000 * read / episodes:8.3f} {1000 * spent / episodes:12.3f}"
        print(f"{name:24} {runs:5.0f} {episodes:9.0f} {cells}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"CPU in all {totals['all'][3] + totals['all'][4]:.1f} s, peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
