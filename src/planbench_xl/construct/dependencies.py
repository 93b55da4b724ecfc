"""Functional dependencies on the records: which fields determine which, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from planbench_xl.world import Record, text_form


class Dependencies:
    """Answers questions about a set of records. Values are compared by their text, as the backend does."""

    def __init__(self, records: Sequence[Record]) -> None:
        columns: dict[str, list[int]] = {}
        numbers: dict[str, dict[str, int]] = {}
        for record in records:
            for name, value in record.values.items():
                known = numbers.setdefault(name, {})
                columns.setdefault(name, []).append(known.setdefault(text_form(value), len(known)))
        self._columns: Mapping[str, list[int]] = columns
        self._count = len(records)
        self._known: dict[tuple[frozenset[str], str], bool] = {}

    def determines(self, inputs: Sequence[str], output: str) -> bool:
        """Say whether records that agree on the inputs agree on the output."""
        key = (frozenset(inputs), output)
        if key not in self._known:
            self._known[key] = self._check(inputs, output)
        return self._known[key]

    def _check(self, inputs: Sequence[str], output: str) -> bool:
        answers: dict[tuple[int, ...], int] = {}
        columns = [self._columns[name] for name in inputs]
        results = self._columns[output]
        for row in range(self._count):
            given = tuple(column[row] for column in columns)
            if answers.setdefault(given, results[row]) != results[row]:
                return False
        return True

    def minimally(self, inputs: Sequence[str], output: str) -> bool:
        """Say whether the inputs determine the output and no strict subset does (paper: deterministic).

        What determines still does with more inputs, so the subsets with one input less decide.
        """
        if not self.determines(inputs, output):
            return False
        return not any(self.determines(part, output) for part in combinations(inputs, len(inputs) - 1))
