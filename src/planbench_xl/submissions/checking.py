"""Checks a submission from its episodes and the world alone: nothing that it claims is taken on trust."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from planbench_xl.environment import Environment
from planbench_xl.episodes.record import EPISODE_VERSION, Episode
from planbench_xl.errors import PlanBenchError, SubmissionError
from planbench_xl.protocols import parse_raw
from planbench_xl.runs.manifest import Manifest
from planbench_xl.runs.presets import check_setting
from planbench_xl.runs.replay import replay
from planbench_xl.submissions.claim import CLAIM, EPISODES, FORMAT, RUN, Claim, Figures, figures_by_judge
from planbench_xl.world import World, load_world, packaged_worlds

MAX_BYTES = 2**30
"""A submission that unpacks to more than this is refused, in bytes."""

TOLERANCE = 1e-9
"""Relative difference by which figures of another platform may differ."""

Report = Callable[[int, int], None]
"""Told how many episodes have been replayed, of how many."""

T = TypeVar("T")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a check.

    Attributes:
        file: Name of the archive.
        claim: What it says of itself.
        run: What the run was.
        problems: What is wrong with it; nothing if it holds good.
        replayed: Number of episodes that came out as recorded when they were played again.
        figures: The figures worked out from the episodes, by judge; nothing if they can't be.
    """

    file: str
    claim: Claim
    run: Manifest
    problems: tuple[str, ...] = ()
    replayed: int = 0
    figures: dict[str, Figures] = {}

    @property
    def valid(self) -> bool:
        """Nothing is wrong."""
        return not self.problems


def verify(path: str | Path, world: World | None = None, report: Report | None = None) -> Verdict:
    """Check a submission: every episode is played again, and every figure worked out anew.

    Args:
        path: The archive.
        world: The world it must have been played on; the packaged world of that name if not given.
        report: Told how far the check is.

    Raises:
        SubmissionError: The file is no submission, or its world is none of the packaged ones and not given.
    """
    path = Path(path)
    files = _read(path)
    claim = _decode(path, CLAIM, files[CLAIM], Claim)
    run = _decode(path, RUN, files[RUN], Manifest)
    episodes = list(_episodes(path, files[EPISODES]))
    problems = [*_identity(claim, run, files)]
    world = world or _world(path, claim.world)
    verdict = Verdict(file=path.name, claim=claim, run=run)
    if world.fingerprint != run.world_fingerprint:
        problems.append(
            f"it was played on another world: its fingerprint is {run.world_fingerprint[:12]}…, that of "
            f"'{world.name}' here is {world.fingerprint[:12]}…"
        )
        return msgspec.structs.replace(verdict, problems=tuple(problems))
    problems += _completeness(run, world, episodes)
    if problems:
        return msgspec.structs.replace(verdict, problems=tuple(problems))
    found = _replay(world, run, episodes, report)
    figures = figures_by_judge(world, episodes, len(run.keys))
    problems += found
    problems += _differences(claim.figures, figures)
    return msgspec.structs.replace(
        verdict, problems=tuple(problems), replayed=len(episodes) - len(found), figures=figures
    )


def read_claim(path: str | Path) -> Claim:
    """Return what a submission says of itself, unchecked.

    Raises:
        SubmissionError: The file is no submission.
    """
    return _decode(Path(path), CLAIM, _read(Path(path))[CLAIM], Claim)


def _read(path: Path) -> dict[str, bytes]:
    """Return the three files of an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if sorted(names) != sorted((CLAIM, RUN, EPISODES)):
                raise _no_submission(path, f"it must hold {CLAIM}, {RUN} and {EPISODES}, each once, and nothing else")
            if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
                raise _no_submission(path, f"it unpacks to more than {MAX_BYTES:,} bytes")
            return {name: archive.read(name) for name in names}
    except FileNotFoundError:
        raise SubmissionError(f"There is no file {path}. Give an archive that `submit pack` made.") from None
    except (OSError, zipfile.BadZipFile, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise _no_submission(path, str(error)) from error


def _no_submission(path: Path, problem: str) -> SubmissionError:
    return SubmissionError(f"{path} is no submission: {problem}. Make one with `planbench-xl submit pack RUN`.")


def _decode(path: Path, name: str, data: bytes, kind: type[T]) -> T:
    try:
        found = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _no_submission(path, f"{name} can't be read ({error})") from error
    if isinstance(found, Claim) and found.format > FORMAT:
        raise SubmissionError(
            f"{path}: {name} has format {found.format}, this package reads up to {FORMAT}. "
            "Verify it with the version of planbench-xl that made it, or a later one."
        )
    return found


def _episodes(path: Path, data: bytes) -> Iterator[Episode]:
    for number, line in enumerate(data.splitlines(), 1):
        episode = _decode(path, f"{EPISODES}, line {number},", line, Episode)
        if episode.version > EPISODE_VERSION:
            raise SubmissionError(
                f"{path}: {EPISODES}, line {number} has version {episode.version}, this package reads up to "
                f"{EPISODE_VERSION}. Verify it with a later version of planbench-xl."
            )
        yield episode


def _world(path: Path, name: str) -> World:
    if name not in packaged_worlds():
        raise SubmissionError(f"{path} was played on world '{name}', which isn't packaged. Give it with --world.")
    return load_world(name)


def _identity(claim: Claim, run: Manifest, files: Mapping[str, bytes]) -> Iterator[str]:
    for name in (RUN, EPISODES):
        if claim.files.get(name) != sha256(files[name]).hexdigest():
            yield f"{name} isn't the file that {CLAIM} speaks of: its SHA-256 differs"
    pairs = {
        "world": (claim.world, run.world),
        "world_fingerprint": (claim.world_fingerprint, run.world_fingerprint),
        "setting": (claim.setting, run.setting.name),
        "protocol": (claim.protocol, run.protocol),
    }
    for field, (claimed, actual) in pairs.items():
        if claimed != actual:
            yield f"{CLAIM} says `{field}` is '{claimed}', {RUN} says '{actual}'"


def _completeness(run: Manifest, world: World, episodes: list[Episode]) -> Iterator[str]:
    """Say what is missing, doubled or of another run."""
    left_out = set(world.query) - set(run.queries)
    if left_out:
        yield f"{len(left_out)} of the world's {len(world.queries)} queries are left out, '{min(left_out)}' for one"
    unknown = set(run.queries) - set(world.query)
    if unknown:
        yield f"the world has no query '{min(unknown)}'"
    expected, seen = set(run.keys), set()
    for episode in episodes:
        place = _name(episode)
        if episode.key in seen:
            yield f"{place} is there twice"
        seen.add(episode.key)
        if episode.key not in expected:
            yield f"{place} isn't part of the run"
        of_run = (run.world_fingerprint, run.setting.name, run.protocol, run.setting.judge)
        if (episode.world, episode.setting, episode.protocol, episode.judge) != of_run:
            yield f"{place} was played otherwise: another world, setting, protocol or judge than {RUN} says"
    missing = sorted(expected - seen)
    if missing:
        yield f"{len(missing)} episodes are missing, that of query '{missing[0][0]}', epoch {missing[0][1]} for one"


def _replay(world: World, run: Manifest, episodes: list[Episode], report: Report | None) -> list[str]:
    try:
        check_setting(run.setting)
        parse = partial(parse_raw, run.protocol)
        parse("")
    except PlanBenchError as error:
        return [f"its episodes can't be played again: {error}"]
    environment = Environment(world, run.setting)
    problems = []
    for number, episode in enumerate(episodes, 1):
        difference = replay(environment, episode, parse)
        if difference:
            problems.append(f"{_name(episode)}, {difference}")
        if report:
            report(number, len(episodes))
    return problems


def _name(episode: Episode) -> str:
    return f"episode of query '{episode.query_id}', epoch {episode.epoch}"


def _differences(claimed: Mapping[str, Figures], actual: Mapping[str, Figures]) -> Iterator[str]:
    """Say which claimed figures aren't those of the episodes."""
    for judge in sorted({*claimed, *actual}):
        if judge not in claimed or judge not in actual:
            yield f"figures under judge '{judge}' are {'not claimed' if judge in actual else 'of no use'}"
            continue
        then, now = (_flat(figures[judge]) for figures in (claimed, actual))
        for name in sorted({*then, *now}):
            if not _same(then.get(name), now.get(name)):
                yield f"`{name}` under judge '{judge}' is claimed as {then.get(name)}, but is {now.get(name)}"


def _flat(figures: Figures) -> dict[str, float | None]:
    flat: dict[str, float | None] = {name: getattr(figures, name) for name in ("scored", "succeeded", "errors")}
    for group in ("metrics", "metrics_errors_as_failures"):
        flat |= {f"{group}.{name}": value for name, value in getattr(figures, group).items()}
    return flat


def _same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
