"""Measure the path engine: on the published release and on generated tool sets.

python benchmarks/bench_paths.py release --shared ../shared
python benchmarks/bench_paths.py generated --sizes 1000 10000 100000 --time-limit 10
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from planbench_xl.paths import (
    ToolGraph,
    count_minimal,
    longest,
    minimal_tool_sets,
    reachable,
    shortest,
    some_minimal_set,
    summarise,
    useful,
)

Answer = TypeVar("Answer")
Spec = tuple[str, list[str], list[str]]


clock = time.perf_counter


def timed(question: Callable[[], Answer]) -> tuple[Answer, float]:
    """Return an answer and the seconds it took."""
    begin = clock()
    answer = question()
    return answer, clock() - begin


def table(title: str, rows: Iterable[Iterable[object]]) -> None:
    """Print rows in aligned columns."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in texts) for i in range(len(texts[0]))]
    print(f"\n{title}")
    for row in texts:
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        print("  " + "  ".join(cells))


def release(shared: Path) -> None:
    """Ask every question about all tasks of the release."""
    folder = shared / "release"
    tools = json.loads((folder / "baseline_tools.json").read_text(encoding="utf-8"))
    tasks = [
        (task["input_datatypes"], [task["target_datatype"]])
        for task in json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    ]
    graph = ToolGraph((t["name"], t["input_datatypes"], [t["output_datatype"]]) for t in tools)

    def up_to_nine(start: list[str], targets: list[str]) -> tuple[int, bool]:
        sets = minimal_tool_sets(graph, start, targets, max_tools=9)
        return sum(1 for _ in sets), sets.complete

    rows: list[tuple[object, ...]] = [("question", "seconds", "slowest task", "exact", "total")]

    def ask(name: str, question: Callable[[list[str], list[str]], tuple[int, bool]]) -> None:
        answers = [timed(lambda s=s, t=t: question(s, t)) for s, t in tasks]  # type: ignore[misc]
        rows.append(
            (
                name,
                f"{sum(seconds for _, seconds in answers):.2f}",
                f"{max(seconds for _, seconds in answers):.3f}",
                f"{sum(exact for (_, exact), _ in answers)}/{len(tasks)}",
                f"{sum(value for (value, _), _ in answers):,}",
            )
        )

    def shortest_size(start: list[str], targets: list[str]) -> tuple[int, bool]:
        best = shortest(graph, start, targets)
        return best.size or 0, best.exact

    def count(start: list[str], targets: list[str]) -> tuple[int, bool]:
        found = count_minimal(graph, start, targets)
        return found.value, found.exact

    def longest_size(start: list[str], targets: list[str]) -> tuple[int, bool]:
        top = longest(graph, start, targets)
        return top.size or 0, top.exact

    def useful_tools(start: list[str], targets: list[str]) -> tuple[int, bool]:
        found = useful(graph, start, targets)
        return len(found.tools), found.exact

    def summary(start: list[str], targets: list[str]) -> tuple[int, bool]:
        found = summarise(graph, start, targets)
        return found.count.value, found.count.exact and found.useful.exact

    ask("reachable (datatypes)", lambda start, targets: (len(reachable(graph, start)), True))
    ask("one minimal set (tools)", lambda s, t: (len(some_minimal_set(graph, s, t) or ()), True))
    ask("L* (tools)", shortest_size)
    ask("all sets of at most 9 tools (sets)", up_to_nine)
    ask("number of all sets (sets)", count)
    ask("longest set (tools)", longest_size)
    ask("useful tools (tools)", useful_tools)
    ask("summary: the last four and L* at once (sets)", summary)
    table(f"Release: {len(graph)} tools, {len(tasks)} tasks", rows)


def generate(size: int, seed: int, outputs: int = 1, far: float = 0.0) -> list[Spec]:
    """Make a tool set shaped like the release: local cycles, a quarter of the tools with 2-5 inputs.

    A datatype is made from datatypes up to 12 before it or 4 after it, so chains are long and there are
    ways back. There are about three tools per datatype. A share `far` of the tools takes its inputs from
    anywhere instead: then nearly everything matters to every task.
    """
    rng = random.Random(seed)
    datatypes = max(8, size * 3 // 10)
    tools: list[Spec] = []
    for index in range(size):
        output = index % datatypes if index < datatypes else rng.randrange(datatypes)
        near = [d for d in range(output - 12, output + 5) if 0 <= d < datatypes and d != output]
        if rng.random() < far:
            near = rng.sample(range(datatypes), 8)
        inputs = rng.sample(near, min(len(near), 1 if rng.random() < 0.75 else rng.randint(2, 5)))
        gives = [output] + [rng.choice(near) for _ in range(outputs - 1)]
        tools.append((f"t{index}", [f"d{d}" for d in inputs], [f"d{d}" for d in gives]))
    return tools


def pick_target(graph: ToolGraph, start: list[str], tools: int) -> str | None:
    """Return a datatype whose derivation, found greedily, takes this many tools or a few more."""
    for datatype in sorted(reachable(graph, start), key=lambda name: int(name[1:])):
        found = some_minimal_set(graph, start, [datatype])
        if found is not None and len(found) >= tools:
            return datatype
    return None


def generated(sizes: list[int], time_limit: float, seed: int, outputs: int, far: float) -> None:
    """Ask every question about one task of each of several generated tool sets."""
    reach_rows: list[tuple[object, ...]] = [("tools", "datatypes", "edges", "build s", "reach s", "µs/edge", "MB")]
    rows: list[tuple[object, ...]] = [("tools", "steps", "question", "seconds", "answer")]
    for size in sizes:
        tools = generate(size, seed, outputs, far)
        start = ["d0", "d1", "d2"]
        edges = sum(len(needs) + len(gives) for _, needs, gives in tools)
        graph, building = timed(lambda tools=tools: ToolGraph(tools))  # type: ignore[misc]
        _, seconds = timed(lambda graph=graph, start=start: reachable(graph, start))  # type: ignore[misc]
        tracemalloc.start()
        reached = reachable(ToolGraph(tools), start)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        reach_rows.append(
            (
                f"{size:,}",
                f"{len(reached):,}/{len(graph.datatypes):,}",
                f"{edges:,}",
                f"{building:.3f}",
                f"{seconds:.3f}",
                f"{1e6 * seconds / edges:.2f}",
                f"{peak:.0f}",
            )
        )
        for steps in (6, 9, 15):
            target = pick_target(graph, start, steps)
            if target is None:
                continue
            for question, (answer, spent) in questions(graph, start, [target], time_limit):
                rows.append((f"{size:,}", steps, question, f"{spent:.2f}", answer))
    table("Generated tool sets: reachability (build and reach, peak memory of both)", reach_rows)
    table(f"Generated tool sets: one task each, time limit {time_limit:g} s a question", rows)


def questions(
    graph: ToolGraph, start: list[str], targets: list[str], limit: float
) -> Iterable[tuple[str, tuple[str, float]]]:
    """Ask what can be asked of one task; every answer says if it is only a bound."""

    def best() -> str:
        found = shortest(graph, start, targets, time_limit=limit)
        return str(found.size) if found.exact else f"{found.lower} to {found.size}"

    def nine() -> str:
        sets = minimal_tool_sets(graph, start, targets, max_tools=9, limit=100_000, time_limit=limit)
        listed = sum(1 for _ in sets)
        return f"{listed:,}" if sets.complete else f"more than {listed:,} (complete to {sets.complete_to})"

    def count() -> str:
        return short(count_minimal(graph, start, targets, time_limit=limit))

    def top() -> str:
        found = longest(graph, start, targets, time_limit=limit)
        return f"{found.size}" if found.exact else f"at least {found.size}"

    def tools() -> str:
        found = useful(graph, start, targets, time_limit=limit)
        unsure = "" if found.exact else f", {len(found.undecided):,} undecided"
        return f"{len(found.tools):,}{unsure}"

    yield "one minimal set", timed(lambda: str(len(some_minimal_set(graph, start, targets) or ())))
    yield "L*", timed(best)
    yield "sets of at most 9 tools", timed(nine)
    yield "number of all sets", timed(count)
    yield "longest set", timed(top)
    yield "useful tools", timed(tools)


def short(count: object) -> str:
    """Shorten a long number."""
    text = str(count)
    return text if len(text) < 40 else f"{text[:24]}… ({sum(c.isdigit() for c in text)} digits)"


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["release", "generated", "all"], nargs="?", default="all")
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("PLANBENCH_XL_SHARED", "../shared")))
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds per question")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--outputs", type=int, default=1, help="outputs per generated tool")
    parser.add_argument("--far", type=float, default=0.0, help="share of tools with inputs from anywhere")
    parser.add_argument("--cpu", action="store_true", help="measure CPU time: steadier on a busy machine")
    arguments = parser.parse_args()
    if arguments.cpu:
        global clock
        clock = time.process_time
    if arguments.what in ("release", "all"):
        release(arguments.shared)
    if arguments.what in ("generated", "all"):
        generated(arguments.sizes, arguments.time_limit, arguments.seed, arguments.outputs, arguments.far)


if __name__ == "__main__":
    main()
