"""What the analysis of an episode says: what each call was worth, where it went wrong, and how it ended."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from planbench_xl.episodes.record import Reason, Status
from planbench_xl.world import Kind, Role


class Category(StrEnum):
    """Why a failed episode failed (paper: failure categories; `stopped_short` is ours)."""

    NO_TRACTION = "no_traction"
    IRRECOVERABLE_DRIFT = "irrecoverable_drift"
    WEAK_RECOVERY = "weak_recovery"
    STOPPED_SHORT = "stopped_short"
    FORMAT_ERROR = "format_error"


class Ending(StrEnum):
    """How a failed episode ended that had no format error (paper: endings)."""

    SURRENDER = "surrender"
    WRONG_TOOL_VALUE = "wrong_tool_value"
    SEARCH_EXHAUSTION = "search_exhaustion"


class FollowUp(StrEnum):
    """What became of an imitation's value (paper: follow-up)."""

    VALUE_REUSED = "value_reused"
    SEARCH_REUSED = "search_reused"
    UNUSED = "unused"


class CallFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One call turn.

    Attributes:
        turn: Number of the turn, from 1.
        tool: Name of the tool; empty if the call named none.
        role: What the tool really is; None if the world has no such tool.
        kind: Which sort of distractor or block alternative it is.
        executed: The call passed all checks and the tool answered.
        progress: It gave a new value that a remaining valid path needs. Always false if not executed.
        gained: Datatypes that it newly gave, sorted.
        useful: Discovered tools that would have been progress calls just before this turn, in order of discovery.
        recent: The tool called came with the current or the previous retrieval.
        useful_old: Newest sighting of any useful tool is more than two retrievals back; None if none is known.
        reappears: After this call, one of the useful tools comes with a later retrieval, before the next progress call.
            None if the question doesn't arise: it does for executed calls without progress, after earlier progress,
            with a useful tool known.
    """

    turn: int
    tool: str = ""
    role: Role | None = None
    kind: Kind | None = None
    executed: bool = False
    progress: bool = False
    gained: tuple[str, ...] = ()
    useful: tuple[str, ...] = ()
    recent: bool = False
    useful_old: bool | None = None
    reappears: bool | None = None


class Contamination(msgspec.Struct, frozen=True, kw_only=True):
    """An untrusted value's way: the turn that gave it, turns whose arguments held it, and whether the answer does."""

    turn: int
    tool: str
    value: str
    arguments: tuple[int, ...] = ()
    answer: bool = False


class Imitation(msgspec.Struct, frozen=True, kw_only=True):
    """A block alternative that was called, and what became of its value."""

    turn: int
    tool: str
    kind: Kind
    follow_up: FollowUp


class EpisodeAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """The analysis of one episode.

    Attributes:
        query_id: The query.
        epoch: Number of the repetition.
        task_id: Its task.
        setting: Name of the setting.
        kinds: Kinds of the alternatives that replace blocked tools, in the order of `Kind`; empty if none is blocked.
        status: How it came out, under the judge asked for.
        reason: Why it failed; None for a success or an error.
        category: Failure category; None unless it failed.
        ending: How it ended; None unless it failed without a format error.
        calls: Every call turn.
        imitations: Every block alternative called.
        contaminations: Every untrusted value that was used later.
        turns: Number of responses, errors too.
        regret: Turns beyond the shortest possible, given what had been retrieved; None if that can't be said.
        first_wrong_turn: First turn after which the shortest rest is no shorter than before; None if there is none.
        shortest_length: The task's L*.
        inputs: Number of the task's inputs.
        targets: The task's targets.
        flow: The business flow that the query's target belongs to; empty if the world names none.
        exact: Every statement rests on all paths; False where a search ran out of time and fell back to bounds.
    """

    query_id: str
    epoch: int
    task_id: str
    setting: str = ""
    kinds: tuple[Kind, ...] = ()
    status: Status
    reason: Reason | None = None
    category: Category | None = None
    ending: Ending | None = None
    calls: tuple[CallFacts, ...] = ()
    imitations: tuple[Imitation, ...] = ()
    contaminations: tuple[Contamination, ...] = ()
    turns: int = 0
    regret: int | None = None
    first_wrong_turn: int | None = None
    shortest_length: int = 0
    inputs: int = 0
    targets: tuple[str, ...] = ()
    flow: str = ""
    exact: bool = True
