"""Scores and analyses runs for a report, one at a time in each process: memory doesn't grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from planbench_xl import __version__
from planbench_xl.analysis import EpisodeAnalysis, PathSet, analyse_episodes, summarise
from planbench_xl.engines import Crew
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.episodes.store import uncollected
from planbench_xl.errors import UsageError
from planbench_xl.metrics import EpisodeScore, Figure, RunScore
from planbench_xl.report.data import EpisodeRow, ReportData, ReportRun, Slice
from planbench_xl.report.failures import failures_of
from planbench_xl.runs.loading import LoadedRun, RunSource, Worlds, load_run, preset_of
from planbench_xl.runs.presets import presets
from planbench_xl.runs.scores import score_loaded
from planbench_xl.world import World

LONGEST_SLICE = 8
"""Tasks of this length or longer are one slice, as in the paper."""

Visit = Callable[[LoadedRun, RunScore, Sequence[EpisodeAnalysis]], None]
"""What else is done with a run while its episodes are in memory."""

_worlds = Worlds()
"""The worlds of a worker process."""


def collect(
    sources: Sequence[RunSource],
    *,
    judge: str | None = None,
    paths: PathSet = "exact",
    crew: Crew | None = None,
    visit: Visit | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ReportData:
    """Score and analyse runs.

    Args:
        sources: Where they are.
        judge: Name of the judge that judges all answers anew; None for the one used during each run.
        paths: What progress is judged by: all paths that remain, or the listed ones as in the paper (`reference`).
        crew: Who does the work; None for this process.
        visit: Called with each run, its score and the analysis of each episode, in the process that works on the run:
            it must be fit to be sent there.
        progress: Called with the number of runs that are done and of all.

    Raises:
        StoreError: A run can't be read.
        UsageError: Two runs have the same label, or a world is missing or isn't the one that was played on.
        WorldError: A world is faulty.
    """
    crew = crew or Crew()
    place = {source.label: number for number, source in enumerate(sources)}
    if len(place) < len(sources):
        label, count = Counter(source.label for source in sources).most_common(1)[0]
        raise UsageError(f"{count} runs have the label '{label}'; give each a label of its own.")
    work = partial(_each, judge=judge, paths=paths, visit=visit)
    runs: list[ReportRun] = []
    for found in crew.spread(work, alike(sources, crew.workers)):
        runs += found
        if progress is not None:
            progress(len(runs), len(sources))
    runs.sort(key=lambda run: place[run.label])
    return ReportData(runs=tuple(_in_order(_with_models(runs))), package=__version__)


def alike(sources: Sequence[RunSource], workers: int) -> list[list[RunSource]]:
    """Divide runs into parts, those in folders of the same name together.

    Suites name a run's folder after its setting. What is worked out for a task with some tools blocked serves all runs
    of a setting, so that one process should have them. There are several parts for each worker all the same.
    """
    size = max(1, len(sources) // (4 * workers)) if workers > 1 else 1
    named: dict[str, list[RunSource]] = {}
    for source in sources:
        named.setdefault(Path(source.path).name, []).append(source)
    return [runs[i : i + size] for runs in named.values() for i in range(0, len(runs), size)]


def report_run(
    source: RunSource,
    loaded: LoadedRun,
    judge: str | None = None,
    paths: PathSet = "exact",
    visit: Visit | None = None,
) -> ReportRun:
    """Return what a report holds of a run; arguments as in `collect`."""
    from planbench_xl.statistics import with_intervals

    score, scores = score_loaded(loaded, judge)
    score = with_intervals(score, scores)
    analyses = analyse_episodes(loaded.world, loaded.episodes, judge, paths=paths, scores=scores)
    if visit is not None:
        visit(loaded, score, analyses)
    details = loaded.details
    return ReportRun(
        label=loaded.label,
        model=loaded.agent,
        agent=loaded.agent,
        setting=loaded.setting,
        preset=(preset_of(details) if details else None) or loaded.setting,
        seed=None if details is None else details.seed,
        protocol=loaded.protocol,
        judge=score.judge,
        world=loaded.world.name,
        fingerprint=loaded.world.fingerprint,
        source=source,
        score=score,
        analysis=summarise(analyses, paths),
        failures=failures_of(analyses),
        slices=slices_of(loaded.world, loaded.episodes, scores),
        episodes=tuple(map(_row, loaded.episodes, scores, analyses)),
        problems=loaded.problems,
    )


def slices_of(world: World, episodes: Iterable[Episode], scores: Iterable[EpisodeScore]) -> tuple[Slice, ...]:
    """Return the accuracy by L*; lengths from 8 are one slice."""
    import numpy as np

    from planbench_xl.statistics.bootstrap import figures_of_sums

    sums: dict[int, dict[str, list[int]]] = {}
    for episode, score in zip(episodes, scores, strict=True):
        if score.status is not Status.ERROR:
            length = min(world.task[episode.task_id].shortest_length, LONGEST_SLICE)
            sums.setdefault(length, {}).setdefault(score.query_id, []).append(score.success)
    found = []
    for length, outcomes in sorted(sums.items()):
        above = np.array([[sum(outcomes[query])] for query in sorted(outcomes)], dtype=np.float64)
        below = np.array([[len(outcomes[query])] for query in sorted(outcomes)], dtype=np.float64)
        accuracy: Figure = figures_of_sums(above, below, [True], ["accuracy"])["accuracy"]
        found.append(Slice(str(length) if length < LONGEST_SLICE else f"≥ {length}", len(outcomes), accuracy))
    return tuple(found)


def _each(sources: Sequence[RunSource], judge: str | None, paths: PathSet, visit: Visit | None) -> list[ReportRun]:
    with uncollected():
        return [report_run(source, load_run(source, _worlds), judge, paths, visit) for source in sources]


def _row(episode: Episode, score: EpisodeScore, analysis: EpisodeAnalysis) -> EpisodeRow:
    return EpisodeRow(
        query_id=episode.query_id,
        epoch=episode.epoch,
        task_id=episode.task_id,
        status=analysis.status,
        reason=score.reason,
        cause=score.cause,
        category=analysis.category,
        ending=analysis.ending,
        turns=score.turns,
        shortest_length=analysis.shortest_length,
        inputs=analysis.inputs,
        flow=analysis.flow,
        regret=analysis.regret,
        first_wrong_turn=analysis.first_wrong_turn,
        unresolved=score.unresolved,
    )


def _with_models(runs: Sequence[ReportRun]) -> list[ReportRun]:
    """Name models so that no two runs have the same model and setting.

    Where an agent played a setting twice, the folder above the run tells its models apart, else the run's label does.
    """
    several = len({run.fingerprint for run in runs}) > 1
    names = [f"{run.agent} on {run.world}" if several else run.agent for run in runs]
    for longer in (_with_folder, _with_label):
        doubled = _doubled(names, runs)
        names = [longer(name, run) if name in doubled else name for name, run in zip(names, runs, strict=True)]
    return [msgspec.structs.replace(run, model=name) for run, name in zip(runs, names, strict=True)]


def _doubled(names: Sequence[str], runs: Sequence[ReportRun]) -> set[str]:
    counts = Counter(zip(names, (run.setting for run in runs), strict=True))
    return {name for (name, _), count in counts.items() if count > 1}


def _with_folder(name: str, run: ReportRun) -> str:
    return f"{name} ({Path(run.source.path).resolve().parent.name})"


def _with_label(name: str, run: ReportRun) -> str:
    return run.label


def _in_order(runs: Sequence[ReportRun]) -> list[ReportRun]:
    """Return runs model by model, in the order in which models were named, each in the order of the presets."""
    models = list(dict.fromkeys(run.model for run in runs))
    order = {name: number for number, name in enumerate(presets())}
    return sorted(runs, key=lambda run: (models.index(run.model), order.get(run.preset, len(order)), run.seed != 42))
