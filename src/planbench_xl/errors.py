"""The errors a user can meet. Each names the file, field or value at fault and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class PlanBenchError(Exception):
    """Base of every error that this package raises on purpose."""


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong in a file: where it is, what it is and how to mend it.

    Attributes:
        file: Name of the file, relative to the folder that was read.
        entry: The entry within the file (`line 3`, `tool 'get_x'`), or empty for the whole file.
        field: Path of the field within the entry (`arguments[0].datatype`), or empty.
        problem: What is wrong, without a final full stop.
        remedy: What to do about it, as an imperative sentence without a final full stop.
    """

    file: str
    entry: str
    field: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        place = self.file
        if self.entry:
            place += f", {self.entry}"
        if self.field:
            place += f", field `{self.field}`"
        return f"{place}: {self.problem}. {self.remedy}."


class WorldError(PlanBenchError):
    """A world that can't be used, with every fault that was found."""

    SHOWN = 20

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults[: self.SHOWN]]
        if len(self.faults) > self.SHOWN:
            lines.append(f"… and {len(self.faults) - self.SHOWN} more faults.")
        super().__init__("\n".join(lines))


class SettingError(PlanBenchError):
    """An unknown setting, an unknown field of one, or a value that the field can't take."""


class PromptError(PlanBenchError):
    """A prompt pack with an unknown template, an unknown placeholder or an unreadable file."""


class AgentError(PlanBenchError):
    """An agent that can't be found, made or run."""


class StoreError(PlanBenchError):
    """A run folder that can't be read, written or continued."""


class BackendError(PlanBenchError):
    """Records that can't be turned into a backend."""


class RetrieverError(PlanBenchError):
    """An embedding model, its endpoint or the cache of embeddings that can't be used."""


class UsageError(PlanBenchError):
    """A request to the library that makes no sense: an unknown query, a step after the end."""


class SubmissionError(PlanBenchError):
    """A file that is no submission, or a run that can't be made one."""
