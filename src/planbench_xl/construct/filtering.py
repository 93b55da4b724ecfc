"""Lets a model judge which look-ups make sense. What the records prove is decided before it is asked."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from planbench_xl.construct.asking import Answer, Asker, Item, Progress, Sheet
from planbench_xl.construct.completion import guide
from planbench_xl.construct.domain import Domain
from planbench_xl.construct.lookups import Lookup
from planbench_xl.construct.text_rules import tidy
from planbench_xl.world import Record, text_form

CANDIDATES_A_PROMPT = 12
EXAMPLES = 3
LONGEST_REASON = 300


class Verdict(msgspec.Struct, frozen=True):
    """Whether a criterion holds, and why."""

    holds: bool
    reason: str = ""


class Verdicts(Answer, frozen=True):
    """What a model says about a candidate: the criteria of the paper that aren't decided on the records."""

    needs_backend: Verdict
    plausible: Verdict
    gains_information: Verdict

    @property
    def objection(self) -> str:
        """Which criteria fail, and why; empty if all hold."""
        criteria = (
            ("needs no backend", self.needs_backend),
            ("is not plausible", self.plausible),
            ("gains no information", self.gains_information),
        )
        failed = [f"{what}: {tidy(verdict.reason)[:LONGEST_REASON]}" for what, verdict in criteria if not verdict.holds]
        return "; ".join(failed)


class Business(msgspec.Struct, frozen=True):
    """What all candidates share."""

    business: str


class Thing(msgspec.Struct, frozen=True):
    """A datatype in words."""

    called: str
    meaning: str


class Candidate(msgspec.Struct, frozen=True):
    """What a model has to know about a candidate."""

    register: str
    takes: tuple[Thing, ...]
    returns: Thing
    examples: tuple[tuple[str, ...], ...]


class ModelFilter:
    """Judges candidates with a model.

    Attributes:
        asker: Asks the model; knows which replies could not be read.
        dropped: Number of candidates that it objected to.
    """

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.dropped = 0

    def objections(
        self, domain: Domain, lookups: Sequence[Lookup], records: Sequence[Record], progress: Progress | None = None
    ) -> dict[Lookup, str]:
        """Return the candidates that the model objects to, with its reasons.

        A candidate on which there is no readable verdict isn't among them: it stays.

        Raises:
            CompletionError: The model can't be asked, or failed.
        """
        shared = Business(tidy(domain.overview))
        items = [
            Item(f"{lookup.output} from {', '.join(lookup.inputs)}", _facts(domain, lookup, records), _check)
            for lookup in lookups
        ]
        sheets = [
            Sheet(f"lookups/{start // CANDIDATES_A_PROMPT + 1}", shared, items[start : start + CANDIDATES_A_PROMPT])
            for start in range(0, len(items), CANDIDATES_A_PROMPT)
        ]
        answers = self.asker.ask(guide("lookups"), Verdicts, sheets, progress)
        flat = [answer for row in answers for answer in row]
        found = {
            lookup: f"the filter says that it {answer.objection}"
            for lookup, answer in zip(lookups, flat, strict=True)
            if answer is not None and answer.objection
        }
        self.dropped = len(found)
        return found


def _facts(domain: Domain, lookup: Lookup, records: Sequence[Record]) -> Candidate:
    names = (*lookup.inputs, lookup.output)
    # Records that stand beside each other have much in common.
    examples = records[:: max(1, len(records) // EXAMPLES)][:EXAMPLES]
    return Candidate(
        domain.entities[lookup.entity].register,
        tuple(_thing(domain, name) for name in lookup.inputs),
        _thing(domain, lookup.output),
        tuple(tuple(text_form(record.values[name]) for name in names) for record in examples),
    )


def _thing(domain: Domain, name: str) -> Thing:
    field = domain.fields[name]
    return Thing(field.says[0], field.description)


def _check(verdicts: Verdicts) -> str:
    return ""
