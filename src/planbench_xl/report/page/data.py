"""The data of the report page: what each of its files holds.

The page reads four sorts of file, each a script that hands one JSON value to the page:

    data/overview.js          `Overview`: every run with its figures, and what they mean
    data/worlds/W.js          `WorldData`: tools, tasks and queries of the world with the key W
    data/runs/R.js            `RunData`: a row per episode of the run with the key R
    data/runs/R/C.js          a list of `EpisodeData`: chunk number C of the episodes of that run

Tools and datatypes are numbers there: places in the lists of the run's world. Whatever a model wrote is a string, never
a key and never a bare number, so that nothing of it can change the shape of the data or lose digits on the way.
"""

from __future__ import annotations

import msgspec

FORMAT = 1
"""Version of the layout; the page refuses another."""

NONE = -1
"""Stands for a tool that the world doesn't have."""


class Compact(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Base of the objects: fields at their default aren't written."""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """Base of what is written as a list of its fields."""


class Metric(Row, frozen=True):
    """A figure of the main table: its key, heading, meaning, and whether it is shown in per cent."""

    key: str
    head: str
    meaning: str
    percent: bool


class Estimate(Row, frozen=True):
    """A figure with the ends of its 95 % interval; None where it is undefined or has no interval."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Share(Row, frozen=True):
    """Some of the episodes: what they have in common, how many they are, and how many of them succeeded."""

    name: str
    episodes: int
    succeeded: int = 0


class WorldHead(Compact, frozen=True):
    """A world as the overview names it; `key` names its file."""

    key: str
    name: str
    version: str
    fingerprint: str


class RunHead(Compact, frozen=True):
    """A run in the overview.

    Attributes:
        key: What names its files.
        label: What tells it apart.
        agent: Name of the agent or model.
        setting: Name of the setting.
        protocol: Name of the protocol.
        judge: Name of the judge.
        world: Its world.
        figures: Its figures, in the order of the overview's metrics.
        accuracy_with_errors: Accuracy with infrastructure errors as failures.
        scored: Episodes that came to an end of their own.
        succeeded: Those that succeeded.
        errors: Episodes that the infrastructure ended.
        expected: Episodes that it should have; None if unknown.
        complete: All of them are scored.
        unresolved: Episodes that ran without a plan although the setting asks for one.
        categories: Failed episodes per failure category.
        endings: Failed episodes per ending.
        lengths: Episodes per L*, errors left out.
        causes: Infrastructure errors per cause.
    """

    key: str
    label: str
    agent: str
    setting: str
    protocol: str
    judge: str
    world: WorldHead
    figures: tuple[Estimate, ...]
    accuracy_with_errors: float | None
    scored: int
    succeeded: int
    errors: int
    expected: int | None
    complete: bool
    unresolved: int
    categories: tuple[Share, ...]
    endings: tuple[Share, ...]
    lengths: tuple[Share, ...]
    causes: tuple[Share, ...]


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """What the first page shows."""

    format: int = FORMAT
    title: str
    metrics: tuple[Metric, ...]
    runs: tuple[RunHead, ...]


class DatatypeData(Row, frozen=True):
    """A datatype."""

    name: str
    description: str


class ToolData(Row, frozen=True):
    """A tool: `source` is the number of the tool that it imitates."""

    name: str
    role: str
    kind: str
    source: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    description: str


class TaskData(Row, frozen=True):
    """A task: `sets` are tools of its solution paths, the shortest first; `listed` counts all that the world lists."""

    task_id: str
    inputs: tuple[int, ...]
    targets: tuple[int, ...]
    shortest_length: int
    sets: tuple[tuple[int, ...], ...]
    listed: int


class QueryData(Row, frozen=True):
    """A query: what is given and what is right, each as JSON text by datatype."""

    query_id: str
    task_id: str
    text: str
    inputs: tuple[tuple[int, str], ...]
    answers: tuple[tuple[int, str], ...]


class WorldData(msgspec.Struct, frozen=True, kw_only=True):
    """A world, as far as the page shows it."""

    datatypes: tuple[DatatypeData, ...]
    tools: tuple[ToolData, ...]
    tasks: tuple[TaskData, ...]
    queries: tuple[QueryData, ...]


class EpisodeRow(Row, frozen=True):
    """An episode in the list of its run; `chunk` is the file that holds it."""

    query_id: str
    epoch: int
    status: str
    category: str
    ending: str
    reason: str
    turns: int
    shortest_length: int
    calls: int
    progress: int
    chunk: int


class RunData(msgspec.Struct, frozen=True, kw_only=True):
    """The episodes of a run."""

    rows: tuple[EpisodeRow, ...]


class AnswerData(Compact, frozen=True):
    """An answer and its checks."""

    text: str
    length: int = 0
    correct: bool = False
    reached: bool = False
    untrusted: tuple[str, ...] = ()
    continued: bool = False


class CallData(Compact, frozen=True):
    """What the analysis says of a call; see `CallFacts`."""

    executed: bool = False
    progress: bool = False
    gained: tuple[int, ...] = ()
    useful: tuple[int, ...] = ()
    recent: bool = False
    useful_old: bool | None = None
    reappears: bool | None = None


class TurnData(Compact, frozen=True):
    """A turn.

    Attributes:
        action: What the response was.
        raw: The response, cut if it is huge.
        raw_length: Its full length where it was cut.
        error: What was wrong with it.
        request: Retrieval or call: the request as JSON text, cut if it is huge.
        output: Retrieval: the datatype asked for.
        inputs: Retrieval: the datatypes given.
        tools: Retrieval: the tools returned, in their order.
        tool: Call: the tool; None if the turn is no call, `NONE` if there is no such tool.
        name: Call: the name given, where there is no such tool.
        success: Call: whether the tool reported success; None if it wasn't executed.
        value: Call: the value returned, as JSON text.
        broken: Call: the tool had broken down.
        ambiguous: Call: the records have several answers.
        missing: Call: inputs not yet obtained.
        untrusted: Call: inputs whose value is untrusted.
        answer: The answer.
        call: What the analysis says of a call.
        follow_up: Call of a block alternative: what became of its value.
    """

    action: str
    raw: str = ""
    raw_length: int = 0
    error: str = ""
    request: str = ""
    output: int | None = None
    inputs: tuple[int, ...] = ()
    tools: list[int] | None = None
    tool: int | None = None
    name: str = ""
    success: bool | None = None
    value: str | None = None
    broken: bool = False
    ambiguous: bool = False
    missing: tuple[int, ...] = ()
    untrusted: tuple[int, ...] = ()
    answer: AnswerData | None = None
    call: CallData | None = None
    follow_up: str = ""


class Spread(Row, frozen=True):
    """The way of an untrusted value: the turn that gave it, those that used it, and whether the answer holds it."""

    turn: int
    arguments: tuple[int, ...]
    answer: bool


class Blocked(Row, frozen=True):
    """A blocked tool and the alternatives that stand in for it."""

    tool: int
    alternatives: tuple[int, ...]


class EpisodeData(Compact, frozen=True):
    """An episode, turn by turn."""

    query_id: str
    epoch: int
    task_id: str
    status: str
    reason: str = ""
    cause: str = ""
    category: str = ""
    ending: str = ""
    unresolved: bool = False
    blocked: tuple[Blocked, ...] = ()
    turns: list[TurnData] = []
    spreads: tuple[Spread, ...] = ()
    regret: int | None = None
    first_wrong_turn: int | None = None
    shortest_length: int = 0
    flow: str = ""
    exact: bool = True
