"""What has come of an episode so far."""

from __future__ import annotations

from collections.abc import Sequence

from planbench_xl.judging import normalise
from planbench_xl.world import Query, Task, Tool, Value, text_form


class State:
    """The state of one episode (reference protocol, section 4).

    Attributes:
        query: The query.
        task: Its task.
        obtained: Datatypes obtained; the task's inputs at the start.
        trusted: Per datatype, the values that executable tools returned, as text.
        untrusted: Per datatype, the values that distractors and block alternatives returned, as text, each with
            the release's words for their sources (`noisy`, `blocker`).
        discovered: Tools that retrieval has returned, by name.
        tool_ids: Tool by handle, where handles are handed out.
        turn: Number of turns taken.
        label_errors: Consecutive label errors.
        retrieval_errors: Consecutive retrieval errors.
        call_errors: Consecutive call errors.
        continuations: Number of times the agent was asked to continue.
    """

    def __init__(self, query: Query, task: Task) -> None:
        self.query = query
        self.task = task
        self.obtained: set[str] = set(task.inputs)
        self.trusted: dict[str, set[str]] = {}
        self.untrusted: dict[str, dict[str, set[str]]] = {}
        self.discovered: dict[str, Tool] = {}
        self.tool_ids: dict[str, str] = {}
        self.turn = 0
        self.label_errors = 0
        self.retrieval_errors = 0
        self.call_errors = 0
        self.continuations = 0

    def discover(self, tools: Sequence[Tool]) -> None:
        """Make tools callable for the rest of the episode."""
        for tool in tools:
            self.discovered.setdefault(tool.name, tool)

    def tool_id(self, tool: Tool) -> str:
        """Return the handle of a discovered tool; it is made up at the first request."""
        return self.tool_ids.setdefault(tool.name, f"T{len(self.tool_ids) + 1}")

    def trust(self, datatype: str, value: Value) -> None:
        """Record a value that an executable tool returned."""
        self.obtained.add(datatype)
        self.trusted.setdefault(datatype, set()).add(text_form(value))

    def distrust(self, datatype: str, value: Value, source: str) -> None:
        """Record a value that a distractor or block alternative returned."""
        self.untrusted.setdefault(datatype, {}).setdefault(text_form(value), set()).add(source)

    def is_untrusted(self, datatype: str, value: Value) -> bool:
        """Say whether only untrusted sources returned this value for this datatype."""
        text = text_form(value)
        return text in self.untrusted.get(datatype, ()) and text not in self.trusted.get(datatype, ())

    def reached(self) -> bool:
        """Say whether all target datatypes have been obtained."""
        return self.obtained.issuperset(self.task.targets)

    def untrusted_in(self, answer: str) -> tuple[str, ...]:
        """Return the untrusted values recorded for a target datatype that an answer contains, normalised."""
        text = normalise(answer)
        values = {normalise(value) for target in self.task.targets for value in self.untrusted.get(target, ())}
        return tuple(sorted(value for value in values if value and value in text))
