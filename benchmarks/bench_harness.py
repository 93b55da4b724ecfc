"""Measures what the harness costs beside Inspect AI itself, and how busy it keeps a slow server.

    python benchmarks/bench_harness.py turns --world retail     # instant model: cost per turn, log size, memory
    python benchmarks/bench_harness.py turns --latency 0.3      # the same through a server
    python benchmarks/bench_harness.py harness --epochs 6       # memory over many episodes
    python benchmarks/bench_harness.py busy                     # 256 connections, a server with 2 s latency
    python benchmarks/bench_harness.py dense                    # a retriever that asks an endpoint
    python benchmarks/bench_harness.py busy --where 40          # the functions that take the most of a turn's time

`turns` plays every query with a scripted model twice: with a trivial solver that only calls the model as often with the
same messages, and with the harness, each in a process of its own. The model is instant and part of the process, or,
with `--latency`, a server in another process. `busy` is the harness with a server. Needs the extra `inspect`.
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
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sampling import sampled
from tests.harness.speaker import Speaker

from planbench_xl.runs.worlds import open_world
from planbench_xl.world import World

if TYPE_CHECKING:
    from planbench_xl.harness.request import ModelRequest


Told = Callable[[float], dict[str, float]]


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


def trivial(world: World, speaker: Speaker, folder: Path, epochs: int, models: ModelRequest) -> int:
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
    model = get_model(models.model, base_url=models.base_url, **({"max_retries": 0} if models.model_args else {}))
    limits = {"max_connections": models.max_connections, "max_samples": models.max_connections}
    eval(
        task,
        model=model,
        epochs=epochs,
        display="none",
        log_dir=str(folder),
        log_realtime=False,
        ctl_server=False,
        temperature=0.0,
        timeout=models.timeout,
        **{name: limit for name, limit in limits.items() if limit is not None},
    )
    return epochs * sum(len(steps) for _, steps in scripts.values())


def harness(source: str, folder: Path, limit: int | None, epochs: int, models: ModelRequest) -> int:
    """Evaluate the model with the harness; return the number of turns."""
    from planbench_xl.harness.request import run_models
    from planbench_xl.runs.request import Request

    request = Request(world=source, out=str(folder / "run"), limit=limit, epochs=epochs)
    progress = run_models(request, models).progress
    if progress.errors:
        sys.exit(f"{progress.errors} episodes ended with an error.")
    return progress.turns


def measure(
    kind: str, source: str, limit: int | None, epochs: int, latency: float | None, connections: int, where: int
) -> None:
    """Run one kind in this process and print what it took as JSON; with a latency, the model is a server."""
    world = open_world(source)
    if limit is not None:
        world = World(
            **{name: getattr(world, name) for name in world.__struct_fields__} | {"queries": world.queries[:limit]}
        )
    speaker = Speaker(world)
    # Loads Inspect too, which isn't measured.
    register(speaker)
    with tempfile.TemporaryDirectory() as place, asked(source, latency, connections) as (models, told):
        folder = Path(place)
        # The first evaluation of a process loads much more.
        started, cpu = time.perf_counter(), time.process_time()
        with sampled() if where else nullcontext(Counter[str]()) as looks:
            if kind == "trivial":
                turns = trivial(world, speaker, folder, epochs, models)
            else:
                turns = harness(source, folder, limit, epochs, models)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        figures = {
            "kind": kind,
            "queries": len(world.queries),
            "epochs": epochs,
            "turns": turns,
            "seconds": round(seconds, 2),
            "cpu_ms_per_turn": round(1000 * cpu / turns, 3),
            "largest_log_mb": round(max(path.stat().st_size for path in folder.rglob("*.eval")) / 1e6, 2),
            "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            **told(seconds),
        }
    print(json.dumps(figures))
    for name, count in looks.most_common(where + 1)[1:]:
        print(f"{1000 * cpu / turns * count / looks['']:6.2f} ms a turn in {name}")


@contextmanager
def asked(source: str, latency: float | None, connections: int) -> Iterator[tuple[ModelRequest, Told]]:
    """Yield how the model is asked, and what tells how busy its server was, given for how many seconds it was asked."""
    from planbench_xl.harness.request import ModelRequest

    if latency is None:
        yield ModelRequest(model="instant/model"), lambda seconds: {}
        return
    os.environ.setdefault("LOCAL_API_KEY", "none")
    ours, theirs = Pipe()
    Process(target=serve, args=(theirs, source, latency), daemon=True).start()
    url = ours.recv()

    def told(seconds: float) -> dict[str, float]:
        ours.send(None)
        requests, busiest, busy = ours.recv()
        counted = {"latency": latency, "connections": connections, "requests": requests, "busiest": busiest}
        return {**counted, "mean_concurrency": round(busy / seconds, 1)}

    yield (
        ModelRequest(
            model="openai-api/local/slow",
            base_url=url,
            max_connections=connections,
            model_args=("max_retries=0",),
        ),
        told,
    )


def serve(pipe: Connection, source: str, latency: float) -> None:
    """Be the slow server, in a process of its own, until told to stop; then tell how busy it was."""
    from tests.harness.server import Server

    with Server(Speaker(open_world(source)).message, latency=latency) as server:
        pipe.send(server.url)
        pipe.recv()
        pipe.send((len(server.bodies), server.busiest, server.busy_seconds))


def dense(latency: float) -> None:
    """Print how long episodes of `mini` take if embeddings are asked for ahead, and if every step waits for its own."""
    from tests.harness.server import Server

    from planbench_xl.environment.actions import answer, retrieve
    from planbench_xl.environment.tags import render
    from planbench_xl.harness.ahead import Ahead
    from planbench_xl.harness.request import ModelRequest, run_models
    from planbench_xl.runs.request import Request

    os.environ.setdefault("LOCAL_API_KEY", "none")

    def speak(body: dict[str, Any]) -> dict[str, Any]:
        opening = next(message["content"] for message in body["messages"] if message["role"] == "user")
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        action = answer("no idea") if turn == 5 else retrieve(output=f"{turn} {opening[-60:]}")
        return {"role": "assistant", "content": render(action)}

    def embed(texts: list[str]) -> list[list[float]]:
        if len(texts) == 1:
            time.sleep(latency)
        return [[float(len(text)), 1.0] for text in texts]

    async def wait(self: Ahead, action: Any) -> None:
        """Ask for nothing ahead."""

    ahead = Ahead.ask
    for name, ask in {"first": ahead, "ahead": ahead, "every step waits": wait}.items():
        Ahead.ask = ask  # type: ignore[method-assign]
        with tempfile.TemporaryDirectory() as place, Server(speak, latency=latency, embed=embed) as server:
            os.environ["PLANBENCH_XL_CACHE"] = place
            chosen = ("retrieval.retriever=dense", "retrieval.model=m", f"retrieval.endpoint={server.url}")
            request = Request(world="mini", out=place + "/run", overrides=chosen)
            models = ModelRequest(model="openai-api/local/slow", base_url=server.url, max_connections=40)
            progress = run_models(request, models).progress
        # The first evaluation of a process loads much more.
        if name != "first":
            print(json.dumps({"kind": name, "episodes": progress.played, "seconds": round(progress.seconds, 1)}))


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["turns", "busy", "dense", "trivial", "harness"])
    parser.add_argument("--world", default="retail")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--epochs", type=int, default=1, help="repetitions")
    parser.add_argument("--connections", type=int, default=256, help="calls at a time, of a server")
    parser.add_argument(
        "--latency", type=float, help="ask a server that takes so many seconds; 2 for busy, 0.2 for dense"
    )
    parser.add_argument("--where", type=int, default=0, help="list so many functions that take the most time")
    given = parser.parse_args()
    if given.what == "turns":
        rest = [argument for argument in sys.argv[1:] if argument != "turns"]
        for kind in ("trivial", "harness"):
            subprocess.run([sys.executable, __file__, kind, *rest], check=True)
    elif given.what == "dense":
        dense(0.2 if given.latency is None else given.latency)
    else:
        latency = 2.0 if given.what == "busy" and given.latency is None else given.latency
        measure(given.what, given.world, given.limit, given.epochs, latency, given.connections, given.where)


if __name__ == "__main__":
    main()
