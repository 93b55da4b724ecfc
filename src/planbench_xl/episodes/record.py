"""The record of one episode: everything that scoring needs, and nothing that the world already knows."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from planbench_xl.world import Value

EPISODE_VERSION = 1
"""Version of the record's layout. Readers refuse a newer one."""

ActionKind = Literal["retrieve", "call", "answer", "invalid"]


class TurnError(StrEnum):
    """What was wrong with a response: first a label error, then two retrieval errors, then call errors."""

    LABEL = "label"
    RETRIEVAL_JSON = "retrieval_json"
    RETRIEVAL_SEMANTIC = "retrieval_semantic"
    CALL_JSON = "call_json"
    UNDISCOVERED = "undiscovered"
    WRONG_ARGUMENTS = "wrong_arguments"
    UNTRUSTED_INPUT = "untrusted_input"
    MISSING_INPUT = "missing_input"


class Status(StrEnum):
    """How an episode came out: `error` is the infrastructure's, never the agent's."""

    SUCCESS = "success"
    FAILURE = "failure"
    ERROR = "error"


class Reason(StrEnum):
    """Why an episode failed."""

    MAX_TURNS = "exceeded_max_turns"
    MAX_LABEL_ERRORS = "exceeded_max_label_errors"
    MAX_RETRIEVAL_ERRORS = "exceeded_max_retrieval_errors"
    MAX_CALL_ERRORS = "exceeded_max_call_errors"
    NOT_GROUNDED = "not_grounded"
    WRONG_ANSWER = "wrong_answer"


class Matched(msgspec.Struct, frozen=True, omit_defaults=True):
    """The datatypes that a retrieval's phrases stand for."""

    output: str | None = None
    inputs: tuple[str, ...] | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A final answer and the checks made on it when it was given.

    Attributes:
        text: The answer.
        correct: The judge accepts it.
        reached: All target datatypes have been obtained.
        untrusted: Untrusted values recorded for a target datatype that the answer contains.
        continued: The agent was asked to go on (enforced exploration).
    """

    text: str
    correct: bool
    reached: bool
    untrusted: tuple[str, ...] = ()
    continued: bool = False

    @property
    def grounded(self) -> bool:
        """The targets were obtained and no untrusted value shows in the answer."""
        return self.reached and not self.untrusted


class Turn(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One response of the agent and what came of it.

    Attributes:
        action: What the response was.
        raw: The response itself.
        error: What was wrong with it; None if it was executed.
        request: Retrieval: the normalised request, or the object as given if it is off the schema. Call: the
            name and arguments as given, as soon as they have the right shape.
        matched: Retrieval: the datatypes matched.
        tools: Retrieval: names of the tools returned, in the order shown.
        success: Call: False if the tool reported failure. None if the call wasn't executed.
        value: Call: the value returned; an object by output name if the tool has several outputs; null if the
            records have no answer.
        ambiguous: Call: the records have several answers (a fault of the world, recorded).
        broken: Call: an executable tool had broken down, so the value is untrusted (settings beyond the paper).
        missing: Call: input datatypes not yet obtained.
        untrusted: Call: input datatypes whose value is untrusted.
        answer: Answer: its text and checks.
    """

    action: ActionKind
    raw: str = ""
    error: TurnError | None = None
    request: dict[str, Value] | None = None
    matched: Matched | None = None
    tools: tuple[str, ...] | None = None
    success: bool | None = None
    value: Value = None
    ambiguous: bool = False
    broken: bool = False
    missing: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()
    answer: Answer | None = None


class Usage(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What the model calls of an episode took.

    Attributes:
        calls: Number of replies.
        input_tokens: Tokens read, cached ones too.
        output_tokens: Tokens written, reasoning too.
        reasoning_tokens: Those of them that are reasoning, as far as the provider tells.
        cached_tokens: Tokens read from the provider's cache.
        cost: Dollars; None if the price of a call is unknown, which is not free.
        unmetered: Replies for which the provider told no tokens; the counts above are then too low.
        parallel_calls: Function calls beyond the first of a reply; each was a turn of its own.
        cut_off: Replies that ended at the limit of output tokens.
        empty: Replies without text and calls, reasoning or not.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    unmetered: int = 0
    parallel_calls: int = 0
    cut_off: int = 0
    empty: int = 0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens


class Episode(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One query, once through. Key: `(query_id, epoch)`.

    Attributes:
        version: `EPISODE_VERSION`.
        query_id: The query.
        task_id: Its task.
        epoch: Number of the repetition, from 0.
        agent_seed: Seed the agent got for this episode.
        world: Fingerprint of the world.
        setting: Name of the setting.
        protocol: Name and version of the protocol.
        judge: Name of the judge used during the episode.
        package: Version of this package.
        status: Success, failure or error.
        reason: Why it failed.
        cause: What went wrong in the infrastructure: a code word, then the detail (`time_out: …`).
        blocked: Blocked tools with the kinds of their alternatives, if blocking was on and solvable.
        unresolved: Blocking or failures were on, but there was no plan for the task: the episode ran without.
        turns: Every turn.
        seconds: Wall-clock time, for the record only.
        usage: Model calls and tokens; None for an agent that is no model.
    """

    version: int = EPISODE_VERSION
    query_id: str
    task_id: str
    epoch: int = 0
    agent_seed: int = 0
    world: str
    setting: str
    protocol: str
    judge: str
    package: str
    status: Status
    reason: Reason | None = None
    cause: str | None = None
    blocked: dict[str, tuple[str, ...]] = {}
    unresolved: bool = False
    turns: tuple[Turn, ...] = ()
    seconds: float = 0.0
    usage: Usage | None = None

    @property
    def key(self) -> tuple[str, int]:
        """What tells the episodes of a run apart."""
        return (self.query_id, self.epoch)

    @property
    def final_answer(self) -> Answer | None:
        """The answer that ended the episode, if one did."""
        last = self.turns[-1].answer if self.turns else None
        return None if last is None or last.continued else last
