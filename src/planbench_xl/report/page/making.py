"""Makes the page's data from runs and worlds. It runs over every turn of every episode: keep it light."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import msgspec

from planbench_xl.analysis.model import CallFacts, Category, Ending, EpisodeAnalysis
from planbench_xl.episodes.record import Answer, Episode, Status, Turn
from planbench_xl.metrics import Figure, RunScore
from planbench_xl.report.page.data import (
    NONE,
    AnswerData,
    Blocked,
    CallData,
    DatatypeData,
    EpisodeData,
    EpisodeRow,
    Estimate,
    Metric,
    Overview,
    QueryData,
    RunHead,
    Share,
    Spread,
    TaskData,
    ToolData,
    TurnData,
    WorldData,
    WorldHead,
)
from planbench_xl.report.table import COLUMNS
from planbench_xl.runs.loading import LoadedRun
from planbench_xl.world import Value, World

LONGEST = 20_000
"""Characters of a text that are kept: a page that holds a million of them in one place no longer scrolls."""

MOST_SETS = 40
"""Solution paths of a task that are kept, the shortest first. The graph of more is a black square."""

MEANINGS: Mapping[str, str] = {
    "accuracy": "Share of the episodes with a correct and grounded answer",
    "egt_precision": "Share of the executed datatypes that are on a listed path",
    "turns": "Mean number of responses",
    "edt": "Mean number of explored datatypes",
    "search_to_call": "Retrieve turns per call turn",
    "itcr": "Share of the calls that are invalid",
    "uirr": "Share of the calls rejected for an untrusted input",
    "forward_to_backward": "Retrievals by inputs per retrieval by output",
}

_text = msgspec.json.Encoder().encode


class Numbers:
    """The numbers of a world's tools and datatypes."""

    def __init__(self, world: World) -> None:
        self.tool = {tool.name: i for i, tool in enumerate(world.tools)}
        self.datatype = {datatype.name: i for i, datatype in enumerate(world.datatypes)}

    def tools(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of some tools; those that the world doesn't have are left out."""
        return tuple([self.tool[name] for name in names if name in self.tool])

    def datatypes(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of some datatypes."""
        return tuple([self.datatype[name] for name in names if name in self.datatype])


def overview(title: str, runs: Sequence[RunHead]) -> Overview:
    """Return the overview of some runs, in the order to be shown; `title` is the heading of the page."""
    return Overview(
        title=title,
        metrics=tuple(Metric(c.metric, c.head, MEANINGS.get(c.metric, ""), c.percent) for c in COLUMNS),
        runs=tuple(runs),
    )


def run_key(label: str) -> str:
    """Return what names the files of a run: its label may hold anything."""
    return sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def world_key(world: World) -> str:
    """Return what names the file of a world."""
    return world.fingerprint[:16]


def run_head(run: LoadedRun, score: RunScore, analyses: Sequence[EpisodeAnalysis]) -> RunHead:
    """Return a run as the overview shows it."""
    world = run.world
    ended = [analysis for analysis in analyses if analysis.status is not Status.ERROR]
    lengths = Counter(analysis.shortest_length for analysis in ended)
    succeeded = Counter(analysis.shortest_length for analysis in ended if analysis.status is Status.SUCCESS)
    categories = Counter(analysis.category for analysis in ended)
    endings = Counter(analysis.ending for analysis in ended)
    return RunHead(
        key=run_key(run.label),
        label=run.label,
        agent=run.agent,
        setting=run.setting,
        protocol=run.protocol,
        judge=score.judge,
        world=WorldHead(key=world_key(world), name=world.name, version=world.version, fingerprint=world.fingerprint),
        figures=tuple(_estimate(score.metrics.get(c.metric)) for c in COLUMNS),
        accuracy_with_errors=score.metrics_errors_as_failures["accuracy"].value,
        scored=score.scored,
        succeeded=score.succeeded,
        errors=score.errors,
        expected=score.expected,
        complete=score.complete,
        unresolved=score.unresolved,
        categories=tuple(Share(c.value, categories[c]) for c in Category),
        endings=tuple(Share(e.value, endings[e]) for e in Ending),
        lengths=tuple(Share(str(length), lengths[length], succeeded[length]) for length in sorted(lengths)),
        causes=tuple(Share(cut(cause), count) for cause, count in score.error_causes.items()),
    )


def _estimate(figure: Figure | None) -> Estimate:
    return Estimate(None) if figure is None else Estimate(figure.value, figure.low, figure.high)


def world_data(world: World, numbers: Numbers) -> WorldData:
    """Return what the page shows of a world."""
    return WorldData(
        datatypes=tuple(DatatypeData(datatype.name, datatype.description) for datatype in world.datatypes),
        tools=tuple(
            ToolData(
                tool.name,
                tool.role.value,
                tool.kind.value if tool.kind else "",
                numbers.tool.get(tool.source or "", NONE),
                numbers.datatypes(tool.inputs),
                numbers.datatypes(tool.output_datatypes),
                cut(tool.description),
            )
            for tool in world.tools
        ),
        tasks=tuple(_task_data(world, task.task_id, numbers) for task in world.tasks),
        queries=tuple(
            QueryData(q.query_id, q.task_id, cut(q.text), _values(q.inputs, numbers), _values(q.answers, numbers))
            for q in world.queries
        ),
    )


def _task_data(world: World, task_id: str, numbers: Numbers) -> TaskData:
    task, listed = world.task[task_id], world.tool_sets.get(task_id, ())
    kept = sorted(listed, key=len)[:MOST_SETS]
    if task.solution and set(task.solution) not in map(set, kept):
        kept.append(task.solution)
    return TaskData(
        task_id,
        numbers.datatypes(task.inputs),
        numbers.datatypes(task.targets),
        task.shortest_length,
        tuple(numbers.tools(tools) for tools in kept),
        len(listed),
    )


def _values(values: Mapping[str, Value], numbers: Numbers) -> tuple[tuple[int, str], ...]:
    return tuple((numbers.datatype[name], json_text(value)) for name, value in values.items())


def episode_row(episode: Episode, analysis: EpisodeAnalysis, chunk: int) -> EpisodeRow:
    """Return an episode as its run's list shows it."""
    return EpisodeRow(
        episode.query_id,
        episode.epoch,
        analysis.status.value,
        analysis.category.value if analysis.category else "",
        analysis.ending.value if analysis.ending else "",
        analysis.reason.value if analysis.reason else "",
        len(episode.turns),
        analysis.shortest_length,
        len(analysis.calls),
        sum(call.progress for call in analysis.calls),
        chunk,
    )


def episode_data(world: World, episode: Episode, analysis: EpisodeAnalysis, numbers: Numbers) -> EpisodeData:
    """Return an episode with its analysis, turn by turn."""
    calls = {call.turn: call for call in analysis.calls}
    follow_ups = {imitation.turn: imitation.follow_up.value for imitation in analysis.imitations}
    return EpisodeData(
        query_id=episode.query_id,
        epoch=episode.epoch,
        task_id=episode.task_id,
        status=analysis.status.value,
        reason=analysis.reason.value if analysis.reason else "",
        cause=cut(episode.cause or ""),
        category=analysis.category.value if analysis.category else "",
        ending=analysis.ending.value if analysis.ending else "",
        unresolved=episode.unresolved,
        blocked=_blocked(world, episode, numbers),
        turns=[
            _turn_data(turn, calls.get(number), follow_ups.get(number, ""), numbers)
            for number, turn in enumerate(episode.turns, 1)
        ],
        spreads=tuple(Spread(c.turn, c.arguments, c.answer) for c in analysis.contaminations),
        regret=analysis.regret,
        first_wrong_turn=analysis.first_wrong_turn,
        shortest_length=analysis.shortest_length,
        flow=analysis.flow,
        exact=analysis.exact,
    )


def _blocked(world: World, episode: Episode, numbers: Numbers) -> tuple[Blocked, ...]:
    return tuple(
        Blocked(
            numbers.tool.get(name, NONE),
            numbers.tools(tool.name for tool in world.alternatives.get(name, ()) if tool.kind in kinds),
        )
        for name, kinds in episode.blocked.items()
    )


def _turn_data(turn: Turn, facts: CallFacts | None, follow_up: str, numbers: Numbers) -> TurnData:
    raw = cut(turn.raw)
    raw_length = len(turn.raw) if len(turn.raw) > LONGEST else 0
    error = turn.error.value if turn.error else ""
    request = "" if turn.request is None else json_text(turn.request)
    if turn.action == "retrieve":
        matched = turn.matched
        return TurnData(
            action=turn.action,
            raw=raw,
            raw_length=raw_length,
            error=error,
            request=request,
            output=None if matched is None or matched.output is None else numbers.datatype.get(matched.output),
            inputs=() if matched is None or matched.inputs is None else numbers.datatypes(matched.inputs),
            tools=None if turn.tools is None else list(map(numbers.tool.__getitem__, turn.tools)),
        )
    if turn.action != "call":
        answer = None if turn.answer is None else _answer_data(turn.answer)
        return TurnData(action=turn.action, raw=raw, raw_length=raw_length, error=error, answer=answer)
    name = str(turn.request["name"]) if turn.request is not None else ""
    tool = numbers.tool.get(name, NONE)
    return TurnData(
        action=turn.action,
        raw=raw,
        raw_length=raw_length,
        error=error,
        request=request,
        tool=tool,
        name=cut(name) if tool == NONE else "",
        success=turn.success,
        value=None if turn.success is None else json_text(turn.value),
        broken=turn.broken,
        ambiguous=turn.ambiguous,
        missing=numbers.datatypes(turn.missing) if turn.missing else (),
        untrusted=numbers.datatypes(turn.untrusted) if turn.untrusted else (),
        call=None if facts is None else _call_data(facts, numbers),
        follow_up=follow_up,
    )


def _call_data(facts: CallFacts, numbers: Numbers) -> CallData:
    return CallData(
        executed=facts.executed,
        progress=facts.progress,
        gained=numbers.datatypes(facts.gained),
        useful=numbers.tools(facts.useful),
        recent=facts.recent,
        useful_old=facts.useful_old,
        reappears=facts.reappears,
    )


def _answer_data(answer: Answer) -> AnswerData:
    return AnswerData(
        text=cut(answer.text),
        length=len(answer.text) if len(answer.text) > LONGEST else 0,
        correct=answer.correct,
        reached=answer.reached,
        untrusted=tuple(map(cut, answer.untrusted)),
        continued=answer.continued,
    )


def json_text(value: Value) -> str:
    """Return a value as JSON text, cut if it is huge."""
    try:
        data = _text(value)
    except UnicodeEncodeError:
        import json

        data = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
    return cut(data.decode())


def cut(text: str) -> str:
    """Return a text without lone surrogates, and no longer than a page can bear."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + f"\n… cut: {len(text):,} characters in all"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
