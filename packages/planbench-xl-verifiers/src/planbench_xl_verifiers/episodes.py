"""Takes episodes out of traces, into a run folder that `planbench-xl score` and all its other commands read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import msgspec

from planbench_xl.environment import Setting
from planbench_xl.episodes.record import Episode
from planbench_xl.episodes.store import EpisodeWriter
from planbench_xl.errors import PlanBenchError, StoreError
from planbench_xl.runs.run import begin, new_manifest
from planbench_xl.world import load_world

TRACES = "traces.jsonl"


class Played(msgspec.Struct, frozen=True):
    """What a trace's `info` has of its episode.

    Attributes:
        world: Name or folder of the world.
        setting: The setting.
        episode: The episode.
    """

    world: str
    setting: Setting
    episode: Episode


class _Info(msgspec.Struct, frozen=True):
    planbench_xl: Played | None = None


class _Agent(msgspec.Struct, frozen=True):
    model: str | None = None


class _Seat(msgspec.Struct, frozen=True):
    config: _Agent = _Agent()


class _Trace(msgspec.Struct, frozen=True):
    info: _Info = _Info()
    agent: _Seat | None = None


class _Line(msgspec.Struct, frozen=True):
    traces: tuple[_Trace, ...] = ()


def read_traces(path: Path) -> Iterator[tuple[str, Played]]:
    """Yield the model and the episode of each trace in a file of verifiers that has one.

    Raises:
        StoreError: The file can't be read; the message names the line.
    """
    decoder = msgspec.json.Decoder(_Line)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    traces = decoder.decode(line).traces
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise StoreError(f"{path}, line {number}: is no trace of this environment ({error}).") from error
                for trace in traces:
                    if trace.info.planbench_xl is not None:
                        model = trace.agent.config.model if trace.agent else None
                        yield model or "model", trace.info.planbench_xl
    except OSError as error:
        raise StoreError(f"{path} can't be read ({error.strerror}). Give the folder of an evaluation.") from error


def write_run(traces: Iterable[tuple[str, Played]], out: Path) -> int:
    """Write episodes into a new run folder; a query that was played several times has several epochs.

    Returns:
        Number of episodes.

    Raises:
        StoreError: There are no episodes, they aren't of one model, world and setting, or the folder holds a run.
    """
    found = list(traces)
    if not found:
        raise StoreError("The traces hold no episodes of this benchmark.")
    model, first = found[0]
    if any((name, played.world, played.setting) != (model, first.world, first.setting) for name, played in found):
        raise StoreError("The traces are of several models, worlds or settings. Evaluate each into its own folder.")
    epochs: Counter[str] = Counter()
    episodes = []
    for _, played in found:
        query_id = played.episode.query_id
        episodes.append(msgspec.structs.replace(played.episode, epoch=epochs[query_id]))
        epochs[query_id] += 1
    world = load_world(first.world)
    manifest = new_manifest(
        world,
        first.world,
        agent=model,
        agent_seed=0,
        setting=first.setting,
        protocol=first.episode.protocol,
        queries=tuple(query_id for query_id in world.query if query_id in epochs),
        epochs=max(epochs.values()),
    )
    with EpisodeWriter(out) as writer:
        if begin(writer, manifest, tuple(world.query), False)[1]:
            raise StoreError(f"{out} holds episodes already. Choose another folder.")
        writer.write(episodes)
    return len(episodes)


@click.command(
    epilog="\b\nExample:\n  planbench-xl-verifiers outputs/my-run --out runs/my-run\n  planbench-xl score runs/my-run"
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The run folder to write.")
def main(folder: Path, out: Path) -> None:
    """Take the episodes out of an evaluation's FOLDER (with traces.jsonl), into a run folder of planbench-xl."""
    try:
        count = write_run(read_traces(folder / TRACES), out)
    except PlanBenchError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{out}: {count} episodes. Score them with: planbench-xl score {out}")
