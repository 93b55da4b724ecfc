"""The table of a retrieval check: what came of each task, and the rows that sum it up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

PLACES = (5, 10, 30)
"""The right tool is looked for among so many."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One single-step task in one mode.

    Attributes:
        tool: The executable tool that the task was made from.
        mode: Kind of retrieval.
        inputs: Number of the tool's inputs.
        listed: Some retrieval listed the tool.
        listed_first: The first one did.
        place: Place of the tool among those that the first one finds, the best first; 0 if they are not ranked, None
            if it isn't among the first 30.
        found: Number of tools that the first one finds, without imitations.
        milliseconds: What finding them takes.
        sizes: Number of tools in each list, imitations included.
        correct: The agent ended with the value of the record, from an executable tool.
        turns: Retrievals, calls and the answer.
    """

    tool: str
    mode: str
    inputs: int
    listed: bool
    listed_first: bool
    place: int | None
    found: int
    milliseconds: float
    sizes: tuple[int, ...]
    correct: bool
    turns: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table; shares are from 0 to 1.

    Attributes:
        mode: Kind of retrieval.
        inputs: Number of inputs of the tools; None for all tools.
        tasks: Number of tasks.
        listed: Share in which the right tool was listed.
        listed_first: Share in which the first list had it.
        at_5: Share in which it is among the first 5 found, imitations aside; among all, if they are not ranked.
        at_10: The same for 10.
        at_30: The same for 30.
        found: Mean number of tools found, imitations aside.
        milliseconds: Mean time that finding them takes.
        correct: Share of right answers (the paper's single-step accuracy).
        list_size: Mean number of tools in a list.
        turns: Mean number of turns.
    """

    mode: str
    inputs: int | None
    tasks: int
    listed: float
    listed_first: float
    at_5: float
    at_10: float
    at_30: float
    found: float
    milliseconds: float
    correct: float
    list_size: float
    turns: float


def table_rows(trials: Sequence[Trial], modes: Sequence[str]) -> Iterator[Row]:
    """Yield the rows: per mode, all tools and by number of inputs."""
    for mode in modes:
        played = [trial for trial in trials if trial.mode == mode]
        sizes = sorted({trial.inputs for trial in played})
        for size in (None, *sizes):
            chosen = [trial for trial in played if size is None or trial.inputs == size]
            if chosen:
                yield _row(mode, size, chosen)


def _row(mode: str, size: int | None, trials: Sequence[Trial]) -> Row:
    lists = [length for trial in trials for length in trial.sizes]
    at_5, at_10, at_30 = (
        sum(trial.place is not None and trial.place <= place for trial in trials) / len(trials) for place in PLACES
    )
    return Row(
        mode=mode,
        inputs=size,
        tasks=len(trials),
        listed=sum(trial.listed for trial in trials) / len(trials),
        listed_first=sum(trial.listed_first for trial in trials) / len(trials),
        at_5=at_5,
        at_10=at_10,
        at_30=at_30,
        found=sum(trial.found for trial in trials) / len(trials),
        milliseconds=sum(trial.milliseconds for trial in trials) / len(trials),
        correct=sum(trial.correct for trial in trials) / len(trials),
        list_size=sum(lists) / len(lists),
        turns=sum(trial.turns for trial in trials) / len(trials),
    )
