"""Two runs against each other, on the queries that both have scored."""

from __future__ import annotations

import msgspec

from planbench_xl.episodes.record import Status
from planbench_xl.errors import UsageError
from planbench_xl.metrics import EpisodeScore, Figure
from planbench_xl.report.counting import counted
from planbench_xl.report.data import Cell, Column, TableData
from planbench_xl.report.wording import METRIC_COLUMNS
from planbench_xl.runs.loading import LoadedRun
from planbench_xl.runs.scores import score_loaded
from planbench_xl.statistics import AccuracyTest, Comparison, compare_scores, detectable_unpaired


class Versus(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs compared.

    Attributes:
        first: Label of the first run.
        second: Label of the second.
        world: Name of their world.
        fingerprint: Its fingerprint.
        settings: Their settings.
        judges: The judges that the figures are under.
        comparison: Every figure and the test of the accuracy.
        left_out: Scored queries of the first and of the second run that the other hasn't scored.
        detectable_unpaired: Smallest difference in accuracy that as many different queries could show.
        finding: What that says about accuracy, in a sentence.
        warnings: What else differs between the runs.
    """

    first: str
    second: str
    world: str
    fingerprint: str
    settings: tuple[str, str]
    judges: tuple[str, str]
    comparison: Comparison
    left_out: tuple[int, int]
    detectable_unpaired: float | None
    finding: str
    warnings: tuple[str, ...]


def compare_runs(first: LoadedRun, second: LoadedRun, judge: str | None = None, *, exact_paths: bool = False) -> Versus:
    """Compare two runs.

    Args:
        first: The first run.
        second: The second; differences are second minus first.
        judge: Name of the judge that judges all answers anew; None for the one used during each run.
        exact_paths: Add the figures on all paths of the tasks, listed or not.

    Raises:
        UsageError: The runs were played on different worlds, or have no scored query in common.
    """
    if first.world.fingerprint != second.world.fingerprint:
        worlds = [f"'{run.world.name}' ({run.world.fingerprint[:12]})" for run in (first, second)]
        raise UsageError(
            f"{first.label} was played on world {worlds[0]}, {second.label} on {worlds[1]}; their queries can't be "
            "paired. Compare runs on the same world, or set their intervals side by side with `planbench-xl score`."
        )
    results = [score_loaded(run, judge, exact_paths=exact_paths) for run in (first, second)]
    scores = [[one for one in found if one.status is not Status.ERROR] for _, found in results]
    queries = [{one.query_id for one in found} for found in scores]
    if not queries[0] & queries[1]:
        raise UsageError(f"{first.label} and {second.label} have no scored query in common; nothing can be paired.")
    comparison = compare_scores(*scores)
    accuracy = comparison.accuracy
    return Versus(
        first=first.label,
        second=second.label,
        world=first.world.name,
        fingerprint=first.world.fingerprint,
        settings=(first.setting, second.setting),
        judges=(results[0][0].judge, results[1][0].judge),
        comparison=comparison,
        left_out=(len(queries[0] - queries[1]), len(queries[1] - queries[0])),
        detectable_unpaired=detectable_unpaired(accuracy.queries, accuracy.difference.first or 0.0),
        finding=_finding(first.label, second.label, accuracy),
        warnings=tuple(_warnings(first, second, scores)),
    )


def versus_table(found: Versus) -> TableData:
    """Return every figure of both runs and the differences."""
    rows: list[tuple[Cell, ...]] = []
    for name, difference in found.comparison.differences.items():
        column = METRIC_COLUMNS[name]
        shown = [_in_unit(column, value) for value in (difference.first, difference.second)]
        value, low, high = (_in_unit(column, end) for end in (difference.value, difference.low, difference.high))
        change = Figure(value, low, high)
        rows.append((column.head, *shown, change))
    columns = (
        Column("Figure"),
        Column(found.first, "number"),
        Column(found.second, "number"),
        Column("Difference [95 %]", "number"),
    )
    return TableData(name="comparison", title="Two runs compared", columns=columns, rows=tuple(rows))


def explanation(found: Versus) -> list[str]:
    """Return what the comparison says and rests on, a sentence or two in each line."""
    test = found.comparison.accuracy
    only_first, only_second = found.left_out
    episodes = found.comparison.episodes
    lines = ["Differences are second minus first, on the same queries."]
    common, played = counted(test.queries, "query"), f"{episodes[0]} and {counted(episodes[1], 'episode')}"
    lines += [f"{common} in common ({played}), world {found.world}."]
    if only_first or only_second:
        alone = counted(only_first, "query")
        lines[-1] += f" Left out: {alone} only in the first run, {only_second} only in the second."
    lines.append(
        f"Discordant queries: {test.higher_first + test.higher_second}; {found.first} does better on "
        f"{test.higher_first}, {found.second} on {test.higher_second}. p {_p(test.p)} ({test.test})."
    )
    if test.detectable is not None:
        lines.append(
            f"With so many queries and so many of them discordant, a difference of {100 * test.detectable:.1f} points "
            "would be found in 80 % of the cases."
        )
    elif test.mcnemar is not None:
        lines.append("With so few discordant queries, no difference could be found in 80 % of the cases.")
    lines.append(found.finding)
    return [*lines, *found.warnings]


def _in_unit(column: Column, value: float | None) -> float | None:
    return value * 100 if value is not None and column.kind == "percent" else value


def _finding(first: str, second: str, test: AccuracyTest) -> str:
    difference = test.difference
    if not test.shown or difference.value is None:
        between = ""
        if difference.low is not None and difference.high is not None:
            between = f" The difference may be anything from {_points(difference.low)} to {_points(difference.high)}."
        return f"No difference in accuracy is shown. That doesn't show that the runs are equal.{between}"
    better = second if difference.value > 0 else first
    return f"{better} is more accurate: by {abs(100 * difference.value):.1f} points on these queries."


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def _points(value: float) -> str:
    return f"{100 * value:+.1f} points".replace("-", "−")


def _warnings(first: LoadedRun, second: LoadedRun, scores: list[list[EpisodeScore]]) -> list[str]:
    found = []
    if first.protocol != second.protocol:
        found.append(f"The protocols differ ({first.protocol}, {second.protocol}).")
    if first.setting != second.setting:
        found.append(f"The settings differ ({first.setting}, {second.setting}).")
    for run, scored in zip((first, second), scores, strict=True):
        missing = len(run.episodes) - len(scored)
        if missing:
            found.append(f"{run.label}: left out {counted(missing, 'infrastructure error')}.")
        if run.expected is not None and len(run.episodes) < run.expected:
            found.append(f"{run.label} is INCOMPLETE: {len(run.episodes)} of {counted(run.expected, 'episode')} there.")
    return found
