"""Keeps what a run of a model makes: journals, episodes as they end, what was spent. Says when the run is to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from planbench_xl.episodes.record import Episode, Status, Usage
from planbench_xl.episodes.store import EPISODES, EpisodeWriter, Key, encode_episode
from planbench_xl.errors import PlanBenchError, StoreError
from planbench_xl.harness.conversation import Stopped
from planbench_xl.harness.journal import JOURNAL, Journal
from planbench_xl.runs.player import Batch
from planbench_xl.runs.run import Progress, ProgressCallback


class CostReached(PlanBenchError):
    """The run has cost what it may cost; what was played is stored."""


class Keeper:
    """Keeps the episodes of one run folder, or of none.

    Args:
        writer: Writes the run folder; None if only Inspect's log holds the episodes.
        state: Progress of the run, counted on here.
        progress: Called when an episode has been stored.
        max_cost: Dollars that the whole folder may cost.
        stored: Episodes that are there already, in case they are asked for all the same.

    Attributes:
        spent: Dollars spent so far, by the folder's earlier episodes too.
        stopped: Why the run is to stop; None while it goes on.
    """

    def __init__(
        self,
        writer: EpisodeWriter | None = None,
        state: Progress | None = None,
        progress: ProgressCallback | None = None,
        max_cost: float | None = None,
        stored: Mapping[Key, Episode] | None = None,
    ) -> None:
        self._stored = stored or {}
        self.spent = 0.0 if writer is None else spent_in(writer.folder)
        self.stopped: PlanBenchError | None = None
        self._writer = writer
        self._state = state or Progress(0)
        self._progress: Callable[[Progress], None] | None = progress
        self._max_cost = max_cost
        self._started = time.perf_counter()

    def journal(self, key: Key) -> Journal:
        """Return the journal of an episode."""
        return Journal(None if self._writer is None else self._writer.folder, key)

    def check(self, usage: Usage | None) -> None:
        """Count what a reply took, and stop the run if it may not go on.

        Raises:
            Stopped: The run is to stop.
        """
        if usage is not None:
            self.spend(usage)
            return
        if self._max_cost is not None and self.spent >= self._max_cost:
            self.stop(
                CostReached(
                    f"${self.spent:.2f} have been spent, --max-cost allows ${self._max_cost:.2f}. What was played is "
                    "stored, unfinished episodes too: run the same command with a higher --max-cost to continue."
                )
            )
        if self.stopped is not None:
            raise Stopped

    def spend(self, usage: Usage) -> None:
        """Count what was used."""
        self.spent += usage.cost or 0.0
        if usage.cost is None and self._max_cost is not None:
            self.stop(CostReached("The price of a reply is unknown, so --max-cost can't be kept. Give --price."))

    def stored(self, key: Key) -> Episode | None:
        """Return the episode that the folder has already, if it isn't to be played again."""
        return self._stored.get(key)

    def stop(self, error: PlanBenchError) -> None:
        """Let the run end: no model is asked any more."""
        self.stopped = self.stopped or error

    def store(self, episode: Episode, journal: Journal) -> None:
        """Store an episode. The journal of one that the infrastructure ended stays, for the run to go on from there.

        Raises:
            StoreError: It can't be written; the run is to stop.
        """
        line = encode_episode(episode)
        if self._writer is not None:
            try:
                self._writer.write_lines(line)
            except StoreError as error:
                self.stop(error)
                raise
            if episode.status is not Status.ERROR:
                journal.remove()
        self._state.add(Batch(line, [(episode.status, len(episode.turns))]), time.perf_counter() - self._started)
        if self._progress is not None:
            self._progress(self._state)


class _Spent(msgspec.Struct):
    query_id: str = ""
    epoch: int = 0
    usage: Usage | None = None

    @property
    def cost(self) -> float:
        return (self.usage.cost or 0.0) if self.usage is not None else 0.0


def spent_in(folder: Path) -> float:
    """Return the dollars that a run folder has cost, its unfinished episodes too, as far as prices were known."""
    journals = sorted((folder / JOURNAL).glob("*.jsonl"))
    # An episode that ended with an error is stored, but its journal is what it cost.
    started = {path.name for path in journals}
    decoder = msgspec.json.Decoder(_Spent)
    total = 0.0
    for path in (folder / EPISODES, *journals):
        if path.exists():
            with path.open("rb") as file:
                found = [decoder.decode(line) for line in file if line.endswith(b"\n")]
            total += sum(spent.cost for spent in found if Journal.name((spent.query_id, spent.epoch)) not in started)
    return total
