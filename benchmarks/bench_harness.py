"""Measures what the harness costs beside Inspect AI itself, and how busy it keeps a slow server.

    python benchmarks/bench_harness.py turns --world retail     # instant model: cost per turn, log size, memory
    python benchmarks/bench_harness.py harness --epochs 6       # memory over many episodes
    python benchmarks/bench_harness.py busy                     # 256 connections, a server with 2 s latency

`turns` plays every query with an instant scripted model twice: with a trivial solver that only calls the model as often
with the same messages, and with the harness, each in a process of its own. Needs the extra `inspect`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.harness.speaker import Speaker

from planbench_xl.runs.worlds import open_world
from planbench_xl.world import World


def register(speaker: Speaker) -> None:
    """Register the instant model `instant/model`, which speaks the oracle's choices."""
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    @modelapi(name="instant")
    class Instant(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            users = [message for message in input if message.role == "user"]
            turn = sum(message.role == "assistant" for message in input)
            text = speaker.say(users[0].text, turn)
            output = ModelOutput.from_content("instant", text)
            output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
            return output


def trivial(world: World, speaker: Speaker, folder: Path) -> int:
    """Call the model with the messages of the real conversations, and do nothing else; return the number of turns."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import Generate, TaskState, solver

    from planbench_xl.environment import Environment
    from planbench_xl.environment.tags import render
    from planbench_xl.protocols import TextProtocol

    environment, protocol, scripts = Environment(world), TextProtocol(), {}
    for query in world.queries:
        opening = protocol.opening(environment.reset(query.query_id))
        steps = [(render(action), protocol.message(environment.step(action))) for action in speaker.actions[query.text]]
        scripts[query.query_id] = (opening, steps)

    @solver
    def calling() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            opening, steps = scripts[str(state.sample_id)]
            messages: list[Any] = [ChatMessageSystem(content=opening[0].content)]
            messages.append(ChatMessageUser(content=opening[1].content))
            for _, observation in steps:
                state.output = await get_model().generate(messages)
                messages += [state.output.message, ChatMessageUser(content=observation)]
            state.messages = messages
            return state

        return solve

    samples = [Sample(id=query.query_id, input=query.text, target="x") for query in world.queries]
    task = Task(dataset=MemoryDataset(samples), solver=calling(), scorer=includes())
    eval(task, model="instant/model", display="none", log_dir=str(folder), log_realtime=False, ctl_server=False)
    return sum(len(steps) for _, steps in scripts.values())


def harness(source: str, folder: Path, limit: int | None, epochs: int) -> int:
    """Evaluate the model with the harness; return the number of turns."""
    from planbench_xl.harness.request import ModelRequest, run_models
    from planbench_xl.runs.request import Request

    request = Request(world=source, out=str(folder / "run"), limit=limit, epochs=epochs)
    return run_models(request, ModelRequest(model="instant/model")).progress.turns


def measure(kind: str, source: str, limit: int | None, epochs: int) -> None:
    """Run one kind in this process and print what it took as JSON."""
    world = open_world(source)
    if limit is not None:
        world = World(
            **{name: getattr(world, name) for name in world.__struct_fields__} | {"queries": world.queries[:limit]}
        )
    speaker = Speaker(world)
    register(speaker)
    import inspect_ai  # noqa: F401  Loading it isn't measured.

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        # The first evaluation of a process loads much more.
        started, cpu = time.perf_counter(), time.process_time()
        turns = trivial(world, speaker, folder) if kind == "trivial" else harness(source, folder, limit, epochs)
        figures = {
            "kind": kind,
            "queries": len(world.queries),
            "epochs": epochs,
            "turns": turns,
            "seconds": round(time.perf_counter() - started, 2),
            "cpu_ms_per_turn": round(1000 * (time.process_time() - cpu) / turns, 3),
            "largest_log_mb": round(max(path.stat().st_size for path in folder.rglob("*.eval")) / 1e6, 2),
            "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        }
    print(json.dumps(figures))


def serve(pipe: Connection, source: str, latency: float) -> None:
    """Be the slow server, in a process of its own, until told to stop; then tell how busy it was."""
    from tests.harness.server import Server

    with Server(Speaker(open_world(source)).message, latency=latency) as server:
        pipe.send(server.url)
        pipe.recv()
        pipe.send((len(server.bodies), server.busiest, server.busy_seconds))


def busy(connections: int, latency: float, source: str, epochs: int) -> None:
    """Print how many requests a slow server had at a time."""
    from planbench_xl.harness.request import ModelRequest, run_models
    from planbench_xl.runs.request import Request

    os.environ.setdefault("LOCAL_API_KEY", "none")
    ours, theirs = Pipe()
    process = Process(target=serve, args=(theirs, source, latency), daemon=True)
    process.start()
    url = ours.recv()
    with tempfile.TemporaryDirectory() as place:
        request = Request(world=source, out=place + "/run", epochs=epochs)
        models = ModelRequest(
            model="openai-api/local/slow", base_url=url, max_connections=connections, model_args=("max_retries=0",)
        )
        started = time.perf_counter()
        result = run_models(request, models)
        seconds = time.perf_counter() - started
    ours.send(None)
    requests, busiest, busy_seconds = ours.recv()
    figures = {
        "connections": connections,
        "latency": latency,
        "episodes": result.progress.played,
        "requests": requests,
        "busiest": busiest,
        "mean_concurrency": round(busy_seconds / seconds, 1),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(time.process_time(), 1),
        "errors": result.progress.errors,
    }
    print(json.dumps(figures))


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["turns", "busy", "trivial", "harness"])
    parser.add_argument("--world", default="retail")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--epochs", type=int, default=1, help="repetitions, for the harness alone")
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--latency", type=float, default=2.0)
    given = parser.parse_args()
    if given.what == "busy":
        busy(given.connections, given.latency, given.world, given.epochs)
    elif given.what == "turns":
        limit = [] if given.limit is None else ["--limit", str(given.limit)]
        for kind in ("trivial", "harness"):
            subprocess.run([sys.executable, __file__, kind, "--world", given.world, *limit], check=True)
    else:
        measure(given.what, given.world, given.limit, given.epochs)


if __name__ == "__main__":
    main()
