"""Writes runs as logs of Inspect AI, so that its viewer opens episodes that it didn't play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai import Task, score
from inspect_ai.dataset import Sample
from inspect_ai.event import ScoreEvent
from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSample, EvalSpec, EvalStats, write_eval_log
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput
from inspect_ai.tool import ToolCall

from planbench_xl.environment import Environment, Setting
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.errors import UsageError
from planbench_xl.exports.chat import conversation
from planbench_xl.harness.keeper import Keeper
from planbench_xl.harness.play import EPISODE, Game
from planbench_xl.harness.provider import chat_message
from planbench_xl.harness.scoring import episode_score
from planbench_xl.harness.tasks import SCORER, TASK_VERSION, make_task
from planbench_xl.protocols import Message, make_protocol, protocol_for
from planbench_xl.runs.loading import LoadedRun, RunSource, Worlds, load_run
from planbench_xl.runs.manifest import read_manifest
from planbench_xl.runs.run import source_of
from planbench_xl.world import World

NO_MODEL = "none/none"
"""What Inspect takes for a model where nothing is asked."""


class Origin(msgspec.Struct, frozen=True):
    """What a log says of a run beside its episodes.

    Attributes:
        world: Where to load the world from again.
        created: When the run was begun, ISO 8601.
    """

    world: str
    created: str


def write_logs(sources: Iterable[RunSource], folder: Path) -> list[Path]:
    """Write each run as a log, named after its label.

    Args:
        sources: The runs.
        folder: Folder for the logs; it is made if it is missing.

    Raises:
        PlanBenchError: A run can't be read, doesn't tell its setting, or doesn't come out as recorded.
        OSError: A log can't be written.
    """
    worlds = Worlds()
    written = []
    for source in sources:
        path = folder / f"{source.label.strip('/')}.eval"
        path.parent.mkdir(parents=True, exist_ok=True)
        run = load_run(source, worlds)
        log = make_log(run, origin_of(source, run.world))
        # The ending tells Inspect the format.
        temporary = path.with_name(f".{path.stem}.tmp.eval")
        try:
            write_eval_log(log, temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        written.append(path)
    return written


def origin_of(source: RunSource, world: World) -> Origin:
    """Return where a run's world is, and when the run was begun: for a run of others, when it was last changed."""
    manifest = read_manifest(source.path) if source.kind == "run" else None
    if manifest is None:
        changed = datetime.fromtimestamp(Path(source.path).stat().st_mtime, UTC)
        return Origin(source_of(world, source.world or None), changed.isoformat(timespec="seconds"))
    return Origin(source_of(world, source.world) if source.world else manifest.world_source, manifest.created)


def make_log(run: LoadedRun, origin: Origin) -> EvalLog:
    """Return a run as a log: what Inspect would have logged, had it played the run; with the same scores.

    Each episode is played again, so that its messages are word for word what a model would have read and written.

    Raises:
        UsageError: The run doesn't tell its setting, has no episodes, or one doesn't come out as recorded.
    """
    if run.details is None:
        raise UsageError(f"{run.label} doesn't tell its whole setting, so its episodes can't be played again.")
    if not run.episodes:
        raise UsageError(f"{run.label} has no episodes yet. Export it once some have been played.")
    task = _task(run, run.details, origin)
    environment = Environment(run.world, run.details)
    pairs = zip(task.dataset, run.episodes, strict=True)
    samples = [_sample(sample, run, environment, episode, origin.created) for sample, episode in pairs]
    log = EvalLog(
        status="success",
        eval=_spec(run, task, origin),
        samples=samples,
        stats=_stats(origin),
        metadata=task.metadata or {},
    )
    scored = score(log, episode_score(), model=NO_MODEL, action="overwrite", display="none", copy=False)
    # Only for scoring, which wants a model that Inspect knows.
    scored.eval.model = run.agent
    for sample in scored.samples or ():
        _fix_events(sample, origin.created)
    return scored


def _task(run: LoadedRun, setting: Setting, origin: Origin) -> Task:
    """Return the task that would play the run's episodes."""
    kind = protocol_for(run.protocol)
    game = Game(run.world, setting, lambda: make_protocol(kind, setting=setting), lambda state: Keeper())
    game.protocol_name = run.protocol
    keys = [episode.key for episode in run.episodes]
    return make_task(game, origin.world, keys, repeated=any(epoch for _, epoch in keys))


def _spec(run: LoadedRun, task: Task, origin: Origin) -> EvalSpec:
    identity = _identity(run.label, run.agent, run.world.fingerprint, origin.created)
    return EvalSpec(
        eval_id=identity,
        run_id=identity,
        task_id=identity,
        created=origin.created,
        task=task.name,
        task_version=TASK_VERSION,
        task_display_name=task.display_name,
        dataset=EvalDataset(
            name=run.world.name,
            samples=len(task.dataset),
            sample_ids=[str(sample.id) for sample in task.dataset],
            shuffled=False,
        ),
        model=NO_MODEL,
        config=EvalConfig(epochs=1, fail_on_error=False, score_on_error=True),
        metadata=task.metadata,
        viewer=task.viewer,
    )


def _stats(origin: Origin) -> EvalStats:
    return EvalStats(started_at=origin.created, completed_at=origin.created)


def _sample(sample: Sample, run: LoadedRun, environment: Environment, episode: Episode, created: str) -> EvalSample:
    identity = _identity(run.label, sample.id, created)
    kind = protocol_for(episode.protocol)
    played = conversation(environment, environment.setting, episode, kind, run.agent)
    messages = list(_messages(played["messages"], run.agent, identity))
    last = messages[-1]
    output = ModelOutput.from_message(last) if isinstance(last, ChatMessageAssistant) else ModelOutput(model=run.agent)
    return EvalSample(
        id=str(sample.id),
        uuid=identity,
        epoch=1,
        input=sample.input,
        target=sample.target,
        metadata={**(sample.metadata or {}), "agent": run.agent, "blocked": dict(episode.blocked)},
        messages=messages,
        output=output.model_copy(update={"model": run.agent}),
        store={EPISODE: msgspec.to_builtins(episode)},
        error=_error(episode),
        started_at=created,
        completed_at=created,
        total_time=episode.seconds,
    )


def _error(episode: Episode) -> EvalError | None:
    if episode.status is not Status.ERROR:
        return None
    return EvalError(message=episode.cause or "error", traceback="", traceback_ansi="")


def _messages(plain: list[dict[str, Any]], agent: str, identity: str) -> Iterator[ChatMessage]:
    """Yield messages in Inspect's form."""
    functions: dict[str, str] = {}
    for number, message in enumerate(plain):
        name = _identity(identity, number)
        if message["role"] == "assistant":
            calls = [_call(call["id"], **call["function"]) for call in message.get("tool_calls", ())]
            functions.update((call.id, call.function) for call in calls)
            yield ChatMessageAssistant(id=name, content=message["content"], tool_calls=calls or None, model=agent)
        else:
            call_id = message.get("tool_call_id", "")
            told = Message(message["role"], message["content"], call_id, functions.get(call_id, ""))
            yield chat_message(told).model_copy(update={"id": name})


def _call(identity: str, name: str, arguments: str) -> ToolCall:
    try:
        read = msgspec.json.decode(arguments, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ToolCall(identity, name, {}, parse_error=f"no JSON object: {arguments}")
    return ToolCall(identity, name, read)


def _fix_events(sample: EvalSample, created: str) -> None:
    """Leave of the scoring's events only the score, without what differs each time that a run is exported."""
    found = next(event for event in sample.events if isinstance(event, ScoreEvent))
    found.uuid = _identity(sample.uuid, SCORER)
    found.span_id = None
    found.timestamp = datetime.fromisoformat(created)
    found.working_start = 0.0
    sample.events = [found]


def _identity(*parts: object) -> str:
    """Return a name that follows from what is named."""
    return blake2b("\0".join(map(str, parts)).encode(), digest_size=11).hexdigest()
