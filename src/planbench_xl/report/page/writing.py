"""Writes the page: the app, and its data in files small enough to be read one at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.analysis.model import EpisodeAnalysis
from planbench_xl.engines import crew
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.metrics import RunScore
from planbench_xl.report.collect import collect
from planbench_xl.report.page.data import EpisodeRow, RunData, RunHead
from planbench_xl.report.page.making import (
    Numbers,
    episode_data,
    episode_row,
    overview,
    run_head,
    run_key,
    world_data,
    world_key,
)
from planbench_xl.runs.loading import LoadedRun, RunSource
from planbench_xl.world.storage import write_atomically

INDEX = "index.html"
DATA = "data"
APP = "app"
WORLDS = "worlds"
RUNS = "runs"
HEADS = "heads"
"""Heads of the runs added so far; they aren't part of the page."""

CHUNK_EPISODES = 20
CHUNK_BYTES = 1 << 20
"""A chunk of episodes ends with whichever is reached first."""

_encoder = msgspec.json.Encoder()


def write_page(sources: Sequence[RunSource], out: str | Path, *, judge: str | None = None, workers: int = 1) -> Path:
    """Score and analyse runs, write the page of them into a folder, and return its `index.html`.

    Args:
        sources: Where the runs are.
        out: The folder; made if it is missing.
        judge: Name of the judge that judges all answers anew; None for the one used during each run.
        workers: Number of processes.

    Raises:
        PlanBenchError: A run can't be read or scored, or the folder can't be written.
    """
    page = PageWriter(out)
    with crew(min(workers, len(sources))) as gathered:
        report = collect(sources, judge=judge, crew=gathered, visit=page.add)
    return page.finish({run.label: run.model for run in report.runs})


def is_page(folder: str | Path) -> bool:
    """Whether a folder holds a page that was written before."""
    return (Path(folder) / INDEX).is_file() and (Path(folder) / DATA / "overview.js").is_file()


class PageWriter:
    """Writes the report page into a folder, one run after the other, so that no two need be in memory at once.

    The folder needs no server and no network: the page works from disk. Nothing of an earlier page is touched before
    `finish`, which puts the new data in the place of the old ones in one step. Other files in the folder stay.

    Args:
        out: The folder; made if it is missing.

    Raises:
        StoreError: The folder can't be written.
    """

    def __init__(self, out: str | Path) -> None:
        self.folder = Path(out)
        self._fresh = self.folder / f".{DATA}.new"
        with _explained(self.folder):
            shutil.rmtree(self._fresh, ignore_errors=True)
            for name in (HEADS, RUNS, WORLDS):
                (self._fresh / name).mkdir(parents=True)

    def add(self, run: LoadedRun, score: RunScore, analyses: Sequence[EpisodeAnalysis]) -> None:
        """Write the data of a run; several processes may write different runs at the same time.

        What was written of a run with the same label is replaced: a worker that was killed left half of it.

        Args:
            run: The run.
            score: Its score; its intervals are shown as far as it has any.
            analyses: The analysis of each episode, in the order of the run's episodes.

        Raises:
            StoreError: The folder can't be written.
        """
        numbers = Numbers(run.world)
        world = self._fresh / WORLDS / f"{world_key(run.world)}.js"
        with _explained(self.folder):
            if not world.exists():
                write_atomically(world, _script(world, world_data(run.world, numbers)))
            self._write_run(run, analyses, numbers)
            (self._fresh / HEADS / run_key(run.label)).write_bytes(_encoder.encode(run_head(run, score, analyses)))

    def _write_run(self, run: LoadedRun, analyses: Sequence[EpisodeAnalysis], numbers: Numbers) -> None:
        folder = self._fresh / RUNS / run_key(run.label)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        rows: list[EpisodeRow] = []
        for chunk, (encoded, new) in enumerate(_chunks(run, analyses, numbers)):
            (folder / f"{chunk}.js").write_bytes(script(f"{RUNS}/{folder.name}/{chunk}", encoded))
            rows += new
        path = folder.with_suffix(".js")
        path.write_bytes(_script(path, RunData(rows=tuple(rows))))

    def finish(self, models: Mapping[str, str], *, title: str = "PlanBench-XL") -> Path:
        """Write the rest, put everything in place, and return the page's `index.html`.

        Args:
            models: The model of each run that was added, by label, in the order to be shown: what tells its agent from
                those of the others.
            title: Heading of the page.

        Raises:
            UsageError: There is no run, or one of them wasn't added.
            StoreError: The folder can't be written.
        """
        if not models:
            raise UsageError("There is nothing to show: name at least one run.")
        heads = [self._head(label, model) for label, model in models.items()]
        with _explained(self.folder):
            path = self._fresh / "overview.js"
            path.write_bytes(_script(path, overview(title, heads)))
            shutil.rmtree(self._fresh / HEADS)
            _replace(self._fresh, self.folder / DATA)
            _write_app(self.folder)
        return self.folder / INDEX

    def _head(self, label: str, model: str) -> RunHead:
        try:
            head = msgspec.json.decode((self._fresh / HEADS / run_key(label)).read_bytes(), type=RunHead)
        except FileNotFoundError:
            raise UsageError(f"The run '{label}' wasn't added to the page.") from None
        return msgspec.structs.replace(head, agent=model)


def script(name: str, encoded: bytes) -> bytes:
    """Return a script that hands JSON to the page.

    No `<` is left in it, and neither are the two characters that end a line in a script but not in JSON: nothing in it
    can end the script, whoever puts it where.
    """
    encoded = (
        encoded.replace(b"<", b"\\u003c").replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    )
    return b'planbench("' + name.encode() + b'",' + encoded + b");\n"


def _chunks(
    run: LoadedRun, analyses: Sequence[EpisodeAnalysis], numbers: Numbers
) -> Iterator[tuple[bytes, list[EpisodeRow]]]:
    """Yield the episodes of a run in chunks: their JSON, and the row of each."""
    parts: list[bytes] = []
    rows: list[EpisodeRow] = []
    chunk = size = 0
    for episode, analysis in zip(run.episodes, analyses, strict=True):
        part = _encoder.encode(episode_data(run.world, episode, analysis, numbers))
        if parts and (len(parts) == CHUNK_EPISODES or size + len(part) > CHUNK_BYTES):
            yield b"[" + b",".join(parts) + b"]", rows
            parts, rows, size, chunk = [], [], 0, chunk + 1
        parts.append(part)
        rows.append(episode_row(episode, analysis, chunk))
        size += len(part)
    if parts:
        yield b"[" + b",".join(parts) + b"]", rows


def _script(path: Path, value: Any) -> bytes:
    """Return a data file that lies directly in the data's folder or in one of its folders."""
    name = path.stem if path.stem == "overview" else f"{path.parent.name}/{path.stem}"
    return script(name, _encoder.encode(value))


def _replace(fresh: Path, place: Path) -> None:
    old = place.with_name(f".{place.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def _write_app(folder: Path) -> None:
    assets = resources.files("planbench_xl.report.page") / "assets"
    (folder / APP).mkdir(exist_ok=True)
    index = b""
    for asset in assets.iterdir():
        if asset.name == INDEX:
            index = asset.read_bytes()
        else:
            write_atomically(folder / APP / asset.name, asset.read_bytes())
    write_atomically(folder / INDEX, index)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn a failure to write into an error that says what to do."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder} can't be written ({error.strerror}). Choose another folder.") from error
