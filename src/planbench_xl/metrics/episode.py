"""The score of one episode: a pure function of what was recorded of it and of the world.

Formulas: reference protocol, section 7; in plain words in `docs/scoring.md`. Each function takes what it needs from
the turns by itself, so each can be read, tested and reused alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from planbench_xl.episodes.record import Episode, Reason, Status, Turn, TurnError
from planbench_xl.errors import UsageError
from planbench_xl.judging import JUDGES, normalise
from planbench_xl.metrics.facts import Facts, Signature, facts_of
from planbench_xl.metrics.parsing import is_parsing_failure, unreadable_turns
from planbench_xl.metrics.progress import progress_calls
from planbench_xl.world import Role, Task, World, text_form

INVALID_CALLS = frozenset(
    {TurnError.CALL_JSON, TurnError.UNDISCOVERED, TurnError.WRONG_ARGUMENTS, TurnError.MISSING_INPUT}
)
"""Errors that make a call an invalid one. A call rejected for an untrusted input is counted apart."""

BY_INPUTS = "by_inputs"
BY_OUTPUT = "by_output_info"


NUMBERS = (
    "turns",
    "search_turns",
    "call_turns",
    "invalid_calls",
    "untrusted_rejections",
    "distractor_calls",
    "unreadable_turns",
    "egt_precision",
    "egt_recall",
)
"""Fields of a score that are numbers of general interest, success apart."""


class EpisodeScore(msgspec.Struct, frozen=True, kw_only=True):
    """What one episode contributes to the figures of a run.

    Attributes:
        query_id: The query.
        epoch: Number of the repetition.
        status: Status as recorded. An `error` is the infrastructure's; its counts are those up to the error.
        reason: Why it failed under this judge; None for a success or an error.
        cause: What went wrong in the infrastructure.
        unresolved: Blocking was on, but there was no plan: the episode ran unblocked.
        answer_correct: There is a final answer, and the judge accepts its text.
        grounded: There is a final answer, all targets were obtained by then, and it holds no untrusted value
            recorded for a target.
        success: Both. Always false for an infrastructure error.
        agrees: The outcome is the recorded one; None where that can't be said (another judge, an error).
        turns: Number of responses, errors too.
        search_turns: Retrieve turns, malformed ones too.
        call_turns: Call turns, malformed ones too.
        invalid_calls: Calls that are malformed, name an undiscovered tool, have wrong keys or a missing input.
        untrusted_rejections: Calls rejected because an input value came from an untrusted source only.
        unreadable_turns: Responses that could not be read: label errors and broken JSON.
        parsing_failure: It failed by too many of them.
        distractor_calls: Calls that name a distractor, executed or not.
        by_input_searches: Executed retrievals by inputs alone.
        by_output_searches: Executed retrievals by output alone.
        explored: Datatypes that the tools seen lead to from the task's inputs, without those, sorted.
        executed: Datatypes that trusted calls returned a value for, sorted.
        ground_truth: Datatypes on the task's listed paths, sorted.
        executed_ground_truth: Datatypes in both, sorted.
        progress_calls: Executed calls that give a new datatype which a listed path needs, blocked ones taken out.
        executed_calls: Executed calls, of tools of any role.
        progress_calls_exact: The same with any path from what has been obtained; None if that wasn't asked for.
        exact_truth: Datatypes on all of the task's paths, listed or not, sorted; None if they weren't asked for.
        exact_truth_complete: Whether those are proved to be all.
    """

    query_id: str
    epoch: int
    status: Status
    reason: Reason | None
    cause: str | None
    unresolved: bool
    answer_correct: bool
    grounded: bool
    success: bool
    agrees: bool | None
    turns: int
    search_turns: int
    call_turns: int
    invalid_calls: int
    untrusted_rejections: int
    unreadable_turns: int = 0
    parsing_failure: bool = False
    distractor_calls: int
    by_input_searches: int
    by_output_searches: int
    explored: tuple[str, ...]
    executed: tuple[str, ...]
    ground_truth: tuple[str, ...]
    executed_ground_truth: tuple[str, ...]
    progress_calls: int
    executed_calls: int
    progress_calls_exact: int | None = None
    exact_truth: tuple[str, ...] | None = None
    exact_truth_complete: bool = True

    @property
    def egt_precision(self) -> float | None:
        """Share of the executed datatypes that lie on a listed path; None if nothing was executed."""
        return len(self.executed_ground_truth) / len(self.executed) if self.executed else None

    @property
    def egt_recall(self) -> float | None:
        """Share of the listed paths' datatypes that were executed; None if the task lists no path."""
        return len(self.executed_ground_truth) / len(self.ground_truth) if self.ground_truth else None

    @property
    def egt_precision_exact(self) -> float | None:
        """Share of the executed datatypes that lie on any path; None if nothing was executed, or not asked for."""
        if self.exact_truth is None or not self.executed:
            return None
        return len(set(self.executed).intersection(self.exact_truth)) / len(self.executed)

    @property
    def egt_recall_exact(self) -> float | None:
        """Share of the datatypes on all paths that were executed; None if not asked for."""
        if not self.exact_truth:
            return None
        return len(set(self.executed).intersection(self.exact_truth)) / len(self.exact_truth)

    @property
    def numbers(self) -> dict[str, float]:
        """What frameworks log of an episode, by name; a figure that is undefined for it is left out."""
        found = {name: getattr(self, name) for name in NUMBERS} | {"edt": len(self.explored)}
        return {name: float(value) for name, value in found.items() if value is not None}


def score_episode(
    world: World, episode: Episode, judge: str | None = None, *, exact_paths: bool = False
) -> EpisodeScore:
    """Score one episode.

    Args:
        world: The world it was played on.
        episode: What was recorded.
        judge: Name of the judge that judges the answer anew; None for the one used during the episode.
        exact_paths: Find the datatypes on all paths of the task, beside those on the listed ones.

    Raises:
        UsageError: The episode was played on another world, or there is no such judge.
    """
    name = judge or episode.judge
    task = task_of(world, episode, name)
    facts = facts_of(world)
    turns = episode.turns
    correct = answer_correct(world, episode, name)
    grounded = is_grounded(facts, task, episode)
    reason = outcome(episode, correct, grounded)
    success = reason is None and episode.status is not Status.ERROR
    recorded = episode.status is Status.SUCCESS
    comparable = name == episode.judge and episode.status is not Status.ERROR
    done = executed(facts, turns)
    truth = facts.ground_truth(episode.task_id)
    exact = facts.exact_truth(episode.task_id) if exact_paths else None
    progress = progress_calls(world, episode)
    return EpisodeScore(
        query_id=episode.query_id,
        epoch=episode.epoch,
        status=episode.status,
        reason=reason,
        cause=episode.cause,
        unresolved=episode.unresolved,
        answer_correct=correct,
        grounded=grounded,
        success=success,
        agrees=(success == recorded and reason == episode.reason) if comparable else None,
        turns=len(turns),
        search_turns=sum(turn.action == "retrieve" for turn in turns),
        call_turns=sum(turn.action == "call" for turn in turns),
        invalid_calls=sum(turn.error in INVALID_CALLS for turn in turns if turn.error),
        untrusted_rejections=sum(turn.error is TurnError.UNTRUSTED_INPUT for turn in turns if turn.error),
        unreadable_turns=unreadable_turns(turns),
        parsing_failure=is_parsing_failure(reason, turns),
        distractor_calls=distractor_calls(facts, turns),
        by_input_searches=searches(turns, BY_INPUTS),
        by_output_searches=searches(turns, BY_OUTPUT),
        explored=tuple(sorted(explored(facts, task, turns).difference(task.inputs))),
        executed=tuple(sorted(done)),
        ground_truth=tuple(sorted(truth)),
        executed_ground_truth=tuple(sorted(done & truth)),
        progress_calls=progress.count(True),
        executed_calls=len(progress) - progress.count(None),
        progress_calls_exact=progress_calls(world, episode, exact_paths=True).count(True) if exact_paths else None,
        exact_truth=None if exact is None else tuple(sorted(exact.datatypes)),
        exact_truth_complete=exact is None or exact.exact,
    )


def answer_correct(world: World, episode: Episode, judge: str) -> bool:
    """Say whether a judge accepts the answer that ended the episode; an answer that was continued isn't asked."""
    answer = episode.final_answer
    return answer is not None and JUDGES[judge](world, world.query[episode.query_id], answer.text)


def is_grounded(facts: Facts, task: Task, episode: Episode) -> bool:
    """Say whether the final answer rests on trusted values.

    All targets must have been obtained, and no value that an untrusted source returned for a target may show in the
    answer, even if a trusted source returned the same value.
    """
    answer = episode.final_answer
    if answer is None or not executed(facts, episode.turns).union(task.inputs).issuperset(task.targets):
        return False
    untrusted = {normalise(value) for value in untrusted_values(facts, task, episode.turns)}
    text = normalise(answer.text) if untrusted else ""
    return not any(value and value in text for value in untrusted)


def outcome(episode: Episode, correct: bool, grounded: bool) -> Reason | None:
    """Return why an episode fails, given the checks on its final answer; None if it doesn't or was cut short."""
    if episode.status is Status.ERROR:
        return None
    if episode.final_answer is None:
        return episode.reason
    if not grounded:
        return Reason.NOT_GROUNDED
    return None if correct else Reason.WRONG_ANSWER


def executed(facts: Facts, turns: Sequence[Turn]) -> set[str]:
    """Return the datatypes that trusted calls returned a value for."""
    found: set[str] = set()
    for turn, signature in _executed_calls(facts, turns):
        if turn.success and _is_trusted(turn, signature):
            found.update(signature.outputs)
    return found


def untrusted_values(facts: Facts, task: Task, turns: Sequence[Turn]) -> set[str]:
    """Return the values, as text, that untrusted calls returned for a task's targets."""
    found: set[str] = set()
    for turn, signature in _executed_calls(facts, turns):
        if not _is_trusted(turn, signature) and not set(task.targets).isdisjoint(signature.outputs):
            assert turn.request is not None
            found.update(map(text_form, facts.returned(turn.request["name"], task.targets, turn.value)))
    return found


def explored(facts: Facts, task: Task, turns: Sequence[Turn]) -> set[str]:
    """Return the datatypes that the tools seen in retrievals lead to from the task's inputs, those included.

    The protocol closes the set after every executed retrieval and trusted call. It only ever grows, and what a
    trusted call returns is reached by the tool called, which was seen before: one closure at the end gives the same.
    """
    return facts.closure(task.inputs, set().union(*(turn.tools for turn in turns if turn.tools)))


def distractor_calls(facts: Facts, turns: Sequence[Turn]) -> int:
    """Return the number of calls that name a distractor, executed or not, discovered or not."""
    count = 0
    for turn in turns:
        if turn.action == "call" and turn.request is not None:
            signature = facts.signatures.get(turn.request.get("name", ""))
            count += signature is not None and signature.role is Role.DISTRACTOR
    return count


def searches(turns: Sequence[Turn], meta_tool: str) -> int:
    """Return the number of executed retrievals of one kind."""
    return sum(
        turn.action == "retrieve" and turn.error is None and (turn.request or {}).get("meta_tool") == meta_tool
        for turn in turns
    )


def _executed_calls(facts: Facts, turns: Sequence[Turn]) -> Iterator[tuple[Turn, Signature]]:
    for turn in turns:
        if turn.action == "call" and turn.error is None and turn.request is not None:
            yield turn, facts.signature(turn.request["name"])


def _is_trusted(turn: Turn, signature: Signature) -> bool:
    """Say whether a call went to an executable tool that hadn't broken down."""
    return signature.role is Role.EXECUTABLE and not turn.broken


def task_of(world: World, episode: Episode, judge: str) -> Task:
    """Return the episode's task, after checks that world and judge fit.

    Raises:
        UsageError: The episode was played on another world, or there is no such judge.
    """
    place = f"Episode '{episode.query_id}' (epoch {episode.epoch})"
    if episode.world != world.fingerprint:
        raise UsageError(
            f"{place} was played on a world with fingerprint {episode.world[:12]}…, but world '{world.name}' has "
            f"{world.fingerprint[:12]}…; give the world it was played on with --world."
        )
    if judge not in JUDGES:
        raise UsageError(f"There is no judge '{judge}'; use one of: {', '.join(sorted(JUDGES))}.")
    query = world.query.get(episode.query_id)
    if query is None or query.task_id != episode.task_id:
        raise UsageError(f"{place} asks task '{episode.task_id}'; world '{world.name}' has no such query.")
    return world.task[query.task_id]
