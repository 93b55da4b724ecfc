"""Reads runs of any kind to be compared or reported: run folders, output folders of the release, Inspect logs.

Finding runs is apart from reading them: a report of hundreds of runs holds the episodes of one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from planbench_xl.environment import Setting
from planbench_xl.episodes.record import Episode
from planbench_xl.errors import SettingError, StoreError, UsageError
from planbench_xl.runs.manifest import MANIFEST, read_manifest
from planbench_xl.runs.presets import presets
from planbench_xl.world import World, load_world

LOGS = (".eval", ".json")
"""Endings of the logs of Inspect."""

DEPTH = 2
"""How deep a folder is searched for runs: a folder of suites has them two levels down."""

Found = tuple[Path, Literal["run", "release", "log"]]


class RunSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run is.

    Attributes:
        label: What tells it apart from the other runs found with it.
        path: Its folder or file.
        kind: A run folder, an output folder of the release, or a log of Inspect.
        world: Name or folder of the world to read it with; empty for the one that the run names.
    """

    label: str
    path: str
    kind: Literal["run", "release", "log"]
    world: str = ""


class LoadedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its episodes.

    Attributes:
        label: What tells it apart from the other runs loaded with it.
        agent: Name of the agent or model.
        setting: Name of the setting.
        protocol: Name of the protocol.
        world: The world it was played on.
        episodes: Its episodes, sorted by query, then epoch.
        expected: Number of episodes that it should have; None if unknown.
        details: The whole setting; None where the source doesn't tell it.
        problems: What was passed over in reading.
    """

    label: str
    agent: str
    setting: str
    protocol: str
    world: World
    episodes: tuple[Episode, ...]
    expected: int | None = None
    details: Setting | None = None
    problems: tuple[str, ...] = ()


class Worlds:
    """Worlds by the name they were asked for, each loaded once."""

    def __init__(self) -> None:
        self._loaded: dict[str, World] = {}

    def __call__(self, name: str) -> World:
        """Return a world by the name of a packaged one or by its folder."""
        if name not in self._loaded:
            self._loaded[name] = load_world(name)
        return self._loaded[name]


def load_runs(paths: Iterable[str | Path], world: str | None = None) -> list[LoadedRun]:
    """Find and load runs, each world once; see `find_runs` and `load_run`."""
    worlds = Worlds()
    return [load_run(source, worlds) for source in find_runs(paths, world)]


def find_runs(paths: Iterable[str | Path], world: str | None = None) -> list[RunSource]:
    """Find runs.

    Args:
        paths: Run folders, folders of several (as a suite makes, also a folder of suites), output folders of the
            release, or logs of Inspect.
        world: Name or folder of the world they were played on; None for the one that each names.

    Raises:
        StoreError: There is no run at a path.
        UsageError: A run is named twice.
    """
    found = [run for path in paths for run in _runs_at(Path(path))]
    places = [path.resolve() for path, _ in found]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise UsageError(f"{found[number][0]} is named twice; name each run once.")
    return [
        RunSource(label=label, path=str(path), kind=kind, world=world or "")
        for label, (path, kind) in zip(_labels(places), found, strict=True)
    ]


def load_run(source: RunSource, worlds: Worlds | None = None) -> LoadedRun:
    """Read a run and its world.

    Raises:
        StoreError: It can't be read.
        UsageError: It doesn't name its world, and none is given.
        WorldError: The world can't be found or read.
    """
    worlds = worlds or Worlds()
    if source.kind == "release":
        return _release_output(source, worlds)
    return _log(source, worlds) if source.kind == "log" else _run_folder(source, worlds)


def _runs_at(path: Path) -> list[Found]:
    """Return the runs at a path that was named, or in it."""
    if path.is_file() and path.suffix in LOGS:
        return [(path, "log")]
    if path.is_file():
        raise StoreError(f"{path} is no run. Give a run folder, an output folder of the release, or a log of Inspect.")
    found = _runs_in(path, DEPTH)
    if not found:
        raise StoreError(f"{path} holds no run: {MANIFEST} is missing. Give the folder of a run.")
    return found


def _runs_in(path: Path, depth: int) -> list[Found]:
    """Return the runs at or in a path, passing over whatever else lies there."""
    from planbench_xl.episodes.release_output import is_release_output

    if path.is_file():
        return [(path, "log")] if path.suffix == ".eval" else []
    if (path / MANIFEST).exists():
        return [(path, "run")]
    if is_release_output(path):
        return [(path, "release")]
    if not path.is_dir() or depth == 0:
        return []
    return [run for entry in sorted(path.iterdir()) for run in _runs_in(entry, depth - 1)]


def _labels(places: Sequence[Path]) -> list[str]:
    """Return the shortest tails of the paths that tell all of them apart."""
    longest = max((len(place.parts) for place in places), default=1)
    tails = [["/".join(place.parts[-length:]) for place in places] for length in range(1, longest + 1)]
    return next((names for names in tails if len(set(names)) == len(names)), [str(place) for place in places])


def _run_folder(source: RunSource, worlds: Worlds) -> LoadedRun:
    from planbench_xl.episodes.store import read_episodes

    manifest = read_manifest(source.path)
    if manifest is None:
        raise StoreError(f"{source.path} holds no run: {MANIFEST} is missing. Give the folder of a run.")
    return LoadedRun(
        label=source.label,
        agent=manifest.agent,
        setting=manifest.setting.name,
        protocol=manifest.protocol,
        world=worlds(source.world or manifest.world_source),
        episodes=tuple(read_episodes(source.path)),
        expected=len(manifest.queries) * manifest.epochs,
        details=manifest.setting,
    )


def _release_output(source: RunSource, worlds: Worlds) -> LoadedRun:
    from planbench_xl.runs.conformance.output import read_output
    from planbench_xl.runs.release_config import from_release_config

    if not source.world:
        raise UsageError(
            f"{source.path} is an output folder of the release, which doesn't name its world; give --world."
        )
    output = read_output(Path(source.path), worlds(source.world))
    try:
        details = from_release_config(output.config)
    except SettingError:  # `read_output` has told of it.
        details = None
    return LoadedRun(
        label=source.label,
        agent=_model(output.config) or source.label,
        setting=(preset_of(details) if details else None) or str(output.config.get("run_id") or "release"),
        protocol="release",
        world=worlds(source.world),
        episodes=output.episodes,
        expected=output.expected,
        details=details,
        problems=output.problems,
    )


def preset_of(setting: Setting) -> str | None:
    """Return the preset that plays the same game: the same aims of blocking and failures, whatever seed and planner."""
    game = _game(setting)
    return next((name for name, preset in presets().items() if _game(preset.setting) == game), None)


def _game(setting: Setting) -> tuple[object, ...]:
    blocking = setting.blocking
    blocks: tuple[object, ...] = ()
    if blocking.enabled:
        kinds = blocking.kinds if blocking.alternatives == "listed" else (blocking.kinds_drawn,)
        blocks = (blocking.aim, getattr(blocking, blocking.aim), blocking.length, blocking.alternatives, set(kinds))
    searches = setting.retrieval
    tools = (setting.all_tools, searches.retriever, searches.free_text, searches.distractors)
    return tools, setting.exploration_budget, setting.failures, *blocks


def _model(config: dict[str, object]) -> str:
    model = config.get("model")
    return str(model.get("model_name") or "") if isinstance(model, dict) else ""


def _log(source: RunSource, worlds: Worlds) -> LoadedRun:
    try:
        from planbench_xl.harness.logs import read_inspect_log
    except ImportError as error:
        raise UsageError(
            f"{source.path} is a log of Inspect, and reading one needs it. Run: pip install 'planbench-xl[inspect]'"
        ) from error
    run = read_inspect_log(source.path, world=worlds(source.world) if source.world else None)
    return msgspec.structs.replace(run, label=source.label)
