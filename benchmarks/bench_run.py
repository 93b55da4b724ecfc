"""Measures runs: speed, memory, size of the store, start-up, cost of late turns, and two workers against one.

    python benchmarks/bench_run.py [--world ../shared/release] [--epochs 10]

Wall-clock figures need an idle machine; the processor-time figures beside them say how busy it was.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from planbench_xl.environment import Environment, Setting, call, retrieve
from planbench_xl.protocols import TextProtocol
from planbench_xl.world import World, load_world

CLI = [sys.executable, "-m", "planbench_xl.cli"]

MEASURED = """
import json, resource, sys, time
from planbench_xl.runs.run import run
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import load_world
world = load_world(sys.argv[1])
wall, cpu = time.perf_counter(), time.process_time()
result = run(world, sys.argv[2], agent="oracle", epochs=int(sys.argv[3]), workers=int(sys.argv[4]))
played = time.perf_counter()
score_folder(sys.argv[2], world)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + children.ru_maxrss
print(json.dumps({
    "turns": result.progress.turns,
    "played": played - wall,
    "wall": time.perf_counter() - wall,
    "cpu": time.process_time() - cpu,
    "all": time.process_time() - cpu + children.ru_utime + children.ru_stime,
    "memory": own / 1024,
}))
"""


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="../shared/release")
    parser.add_argument("--epochs", type=int, default=10, help="repetitions for the comparison of workers")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}")
    start_up()
    with tempfile.TemporaryDirectory() as folder:
        whole_command(options.world, folder)
        one_process(options.world, folder)
        workers(options.world, folder, options.epochs)
    late_turns(load_world(options.world))


def start_up() -> None:
    """Print the best of five times for importing the package and for --help."""
    for name, command in (
        ("python -c pass", [sys.executable, "-c", "pass"]),
        ("import planbench_xl", [sys.executable, "-c", "import planbench_xl"]),
        ("planbench-xl --help", [*CLI, "--help"]),
        ("planbench-xl run --help", [*CLI, "run", "--help"]),
    ):
        print(f"{name:<24} {min(timed(command) for _ in range(5)):6.3f} s")


def timed(command: list[str]) -> float:
    """Return the wall-clock time of a command."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def whole_command(world: str, folder: str) -> None:
    """Print time and memory of `planbench-xl run` with the oracle over all queries, and the size of the store."""
    walls, cpus = [], []
    for attempt in range(3):
        out = f"{folder}/command-{attempt}"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append(timed([*CLI, "run", "--world", world, "--agent", "oracle", "--out", out]))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    size = Path(out, "episodes.jsonl").stat().st_size / 1e6
    print(f"whole command            {min(walls):6.2f} s ({min(cpus):.2f} s of processor time), aim < 2 s")
    print(f"store                    {size:6.2f} MB, aim < 10 MB")


def one_process(world: str, folder: str) -> None:
    """Print the rate of one process: the environment made, text rendered, episodes stored and scored."""
    found = min((measure(world, f"{folder}/one-{i}", 1, 1) for i in range(3)), key=lambda m: m["wall"])
    rates = found["turns"] / found["wall"], found["turns"] / found["cpu"]
    print(
        f"played, stored, scored   {rates[0]:6,.0f} turns/s ({rates[1]:,.0f} per second of processor time), aim 6,000"
    )
    print(f"played and stored        {found['turns'] / found['played']:6,.0f} turns/s")
    print(f"peak memory              {found['memory']:6.0f} MB, aim < 200 MB")


def workers(world: str, folder: str, epochs: int) -> None:
    """Print how much faster two workers are than one."""
    one = measure(world, f"{folder}/w1", epochs, 1)
    two = measure(world, f"{folder}/w2", epochs, 2)
    ratio = one["played"] / two["played"]
    print(f"{one['turns']:,.0f} turns, 1 worker     {one['played']:6.2f} s ({one['all']:.2f} s of processor time)")
    print(
        f"{one['turns']:,.0f} turns, 2 workers    {two['played']:6.2f} s ({two['all']:.2f} s), {ratio:.2f} ×, aim 1.6 ×"
    )


def measure(world: str, out: str, epochs: int, workers: int) -> dict[str, float]:
    """Return the measurements of a run in a process of its own."""
    command = [sys.executable, "-c", MEASURED, world, out, str(epochs), str(workers)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def late_turns(world: World, episodes: int = 300) -> None:
    """Print the time of a turn around turn 10 and around turn 100, in episodes that retrieve and call all along."""
    environment = Environment(world, Setting(max_turns=110))
    protocol = TextProtocol()
    names = [datatype.name for datatype in world.datatypes]
    times: dict[int, list[float]] = {turn: [] for turn in range(1, 106)}
    for query in (list(world.query) * episodes)[:episodes]:
        protocol.opening(environment.reset(query))
        tools: dict[str, list[str]] = {}
        for turn, taken in times.items():
            if turn % 2 or not tools:
                action = retrieve(output=names[turn // 2 % len(names)])
            else:
                # The first tool found is called without its inputs, which is as much work; errors must end no episode.
                name, arguments = next(iter(tools.items()))
                action = call(name, dict.fromkeys(arguments, "x"))
                environment.state.call_errors = 0
            started = time.perf_counter()
            observation = environment.step(action)
            protocol.message(observation)
            taken.append(time.perf_counter() - started)
            for tool in observation.tools:
                tools.setdefault(tool.name, list(tool.parameters["properties"]))
    early = statistics.fmean(t for turn in range(7, 13) for t in times[turn])
    late = statistics.fmean(t for turn in range(98, 104) for t in times[turn])
    print(f"a turn at turn 10        {early * 1e6:6.0f} µs")
    print(f"a turn at turn 100       {late * 1e6:6.0f} µs, {late / early:.2f} ×, aim ≤ 1.5 ×")


if __name__ == "__main__":
    main()
