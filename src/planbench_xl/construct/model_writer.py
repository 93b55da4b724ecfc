"""Lets a model write every text anew that the templates wrote. What fails the rules stays as it was.

The templates' world comes first: it fixes names, arguments, flaws, values and what is asked. A model then gets each
text with its facts: a prompt for all tools around a look-up, a prompt for ten queries. Nothing else depends on the
texts, so a model can't break a world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from random import Random

import msgspec

from planbench_xl.construct.asking import Answer, Asker, Item, Progress, Sheet
from planbench_xl.construct.completion import guide
from planbench_xl.construct.domain import Domain, Near
from planbench_xl.construct.lookups import Lookup
from planbench_xl.construct.text_rules import TextRules, tidy
from planbench_xl.world import FAILING_KINDS, Kind, Query, Record, Role, Task, Tool, Value, text_form

QUERIES_A_PROMPT = 10


class Text(Answer, frozen=True):
    """A text by a model.

    Attributes:
        text: The text.
        returns: The words in a description that say what the tool returns.
    """

    text: str
    returns: str = ""


class LookupFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What all tools around a look-up share."""

    business: str
    register: str
    thing: str
    meaning: str
    returns: tuple[str, ...]
    useful_when: tuple[str, ...]
    because: str = ""


class TextFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model has to know about a text of a tool."""

    write: str
    draft: str
    takes: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    flaw: str = ""
    failure: str = ""


class Business(msgspec.Struct, frozen=True):
    """What all queries share."""

    business: str


class Known(msgspec.Struct, frozen=True):
    """A value that a person has in hand."""

    value: str
    called: tuple[str, ...]


class Asked(msgspec.Struct, frozen=True):
    """Something that a person wants to know."""

    meaning: str
    questions: tuple[str, ...]


class QueryFacts(msgspec.Struct, frozen=True):
    """What a model has to know about a query."""

    known: tuple[Known, ...]
    asks: tuple[Asked, ...]
    draft: str


class ModelWriter:
    """Rewrites the texts of a world with a model.

    Attributes:
        asker: Asks the model; knows what was refused.
    """

    def __init__(self, asker: Asker) -> None:
        self.asker = asker

    def tools(
        self,
        domain: Domain,
        lookups: Sequence[Lookup],
        executable: Sequence[Tool],
        imitations: Sequence[Tool],
        records: Sequence[Record],
        progress: Progress | None = None,
    ) -> dict[str, Tool]:
        """Rewrite descriptions, and messages of tools that fail.

        Args:
            domain: The domain.
            lookups: What the executable tools look up, in their order.
            executable: The executable tools.
            imitations: Their distractors and block alternatives.
            records: The records, which messages must not quote.
            progress: Told how many prompts were answered.

        Returns:
            All of the tools, by name.

        Raises:
            CompletionError: The model can't be asked, or failed.
        """
        rules = _rules(domain, records, (tool.description for tool in (*executable, *imitations)))
        families: dict[str, list[Tool]] = {tool.name: [tool] for tool in executable}
        for tool in imitations:
            families[tool.source or ""].append(tool)
        sheets, edits = [], []
        for lookup, family in zip(lookups, families.values(), strict=True):
            pairs = list(_tool_items(domain, lookup, family, rules))
            # Or the place on the sheet would tell the role, and could tell in the texts.
            Random(f"texts||{family[0].name}").shuffle(pairs)
            sheets.append(Sheet(f"tools/{family[0].name}", _lookup_facts(domain, lookup), [item for item, _ in pairs]))
            edits.append([edit for _, edit in pairs])
        tools = {tool.name: tool for tool in (*executable, *imitations)}
        answers = self.asker.ask(guide("tools"), Text, sheets, progress)
        for row, row_edits in zip(answers, edits, strict=True):
            for answer, edit in zip(row, row_edits, strict=True):
                if answer is not None:
                    edit(tools, tidy(answer.text))
        return tools

    def queries(
        self,
        domain: Domain,
        queries: Sequence[Query],
        tasks: Sequence[Task],
        executable: Sequence[Tool],
        records: Sequence[Record],
        progress: Progress | None = None,
    ) -> tuple[Query, ...]:
        """Rewrite the texts of queries.

        Raises:
            CompletionError: The model can't be asked, or failed.
        """
        rules = _rules(domain, records, (query.text for query in queries))
        task = {entry.task_id: entry for entry in tasks}
        outputs = {tool.name: tool.output_datatypes for tool in executable}
        items = [_query_item(domain, query, _route(task[query.task_id], outputs), rules) for query in queries]
        shared = Business(tidy(domain.overview))
        sheets = [
            Sheet(f"queries/{start // QUERIES_A_PROMPT + 1}", shared, items[start : start + QUERIES_A_PROMPT])
            for start in range(0, len(items), QUERIES_A_PROMPT)
        ]
        answers = self.asker.ask(guide("queries"), Text, sheets, progress)
        flat = [answer for row in answers for answer in row]
        return tuple(
            query if answer is None else msgspec.structs.replace(query, text=tidy(answer.text))
            for query, answer in zip(queries, flat, strict=True)
        )


def _lookup_facts(domain: Domain, lookup: Lookup) -> LookupFacts:
    entity = domain.entities[lookup.entity]
    field = domain.fields[lookup.output]
    return LookupFacts(
        business=tidy(domain.overview),
        register=entity.register,
        thing=entity.noun,
        meaning=field.description,
        returns=(*field.says, *field.aliases),
        useful_when=field.uses,
        because=lookup.because,
    )


def _tool_items(
    domain: Domain, lookup: Lookup, family: Sequence[Tool], rules: TextRules
) -> Iterator[tuple[Item[Text], Callable[[dict[str, Tool], str], None]]]:
    """Yield the texts to write for the tools around a look-up, each with what puts it into its place."""
    field = domain.fields[lookup.output]
    for tool in family:
        takes = tuple(argument.name.replace("_", " ") for argument in tool.arguments)
        flaw = tool.kind if tool.role is Role.DISTRACTOR else None
        returns: tuple[str, ...] = ()
        check = partial(_check_description, rules=rules, takes=takes, output=lookup.output, flaw=flaw)
        if tool.kind is Kind.MISLEADING:
            near = next(near for near in field.near if near.name == tool.outputs[0].datatype)
            returns = (near.says, near.name.replace("_", " "))
            check = partial(_check_misleading, rules=rules, takes=takes, near=near)
        facts = TextFacts("description", tool.description, takes, returns, flaw.value if flaw else "")
        yield Item(f"description of {tool.name}", facts, check), partial(_describe, name=tool.name)
        if tool.kind in FAILING_KINDS:
            failure = "error" if tool.kind is Kind.EXPLICIT else str(tool.kind.value)
            draft = message_of(tool.return_value)
            facts = TextFacts("message", draft, failure=failure)
            check = partial(_check_message, rules=rules, output=lookup.output)
            yield Item(f"message of {tool.name}", facts, check), partial(_reword, name=tool.name, draft=draft)


def _query_item(domain: Domain, query: Query, route: Sequence[str], rules: TextRules) -> Item[Text]:
    fields = domain.fields
    facts = QueryFacts(
        tuple(Known(text_form(value), _calls(fields[name].given)) for name, value in query.inputs.items()),
        tuple(Asked(fields[name].description, (*fields[name].asked, *fields[name].question)) for name in query.answers),
        query.text,
    )

    def check(answer: Text) -> str:
        return rules.request(
            tidy(answer.text), known=query.inputs, answers=query.answers, route=route, draft=query.text
        )

    return Item(query.query_id, facts, check)


def _rules(domain: Domain, records: Sequence[Record], drafts: Iterable[str]) -> TextRules:
    """Return rules by which no text may be a draft, since the draft may stay."""
    rules = TextRules(domain, records)
    for draft in drafts:
        rules.keep(draft)
    return rules


def _route(task: Task, outputs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is found on the way of a task."""
    ends = {*task.inputs, *task.targets}
    found = dict.fromkeys(name for tool in task.solution for name in outputs[tool])
    return [name for name in found if name not in ends]


def _calls(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(text.replace("{}", "…") for text in given)


def _check_description(answer: Text, *, rules: TextRules, takes: Sequence[str], output: str, flaw: Kind | None) -> str:
    return rules.description(tidy(answer.text), tidy(answer.returns), arguments=takes, output=output, flaw=flaw)


def _check_misleading(answer: Text, *, rules: TextRules, takes: Sequence[str], near: Near) -> str:
    return rules.misleading(tidy(answer.text), arguments=takes, name=near.name, says=near.says)


def _check_message(answer: Text, *, rules: TextRules, output: str) -> str:
    return rules.message(tidy(answer.text), output)


def _describe(tools: dict[str, Tool], text: str, *, name: str) -> None:
    tools[name] = msgspec.structs.replace(tools[name], description=text)


def _reword(tools: dict[str, Tool], text: str, *, name: str, draft: str) -> None:
    tools[name] = msgspec.structs.replace(
        tools[name], return_value=_with_message(tools[name].return_value, draft, text)
    )


def message_of(value: Value) -> str:
    """Return the message in what a failing tool returns: its longest text."""
    if isinstance(value, str):
        return value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return max(map(message_of, parts), key=len, default="")


def _with_message(value: Value, draft: str, text: str) -> Value:
    """Return what a failing tool returns with another message."""
    if isinstance(value, dict):
        return {name: _with_message(part, draft, text) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_with_message(part, draft, text) for part in value]
    return text if value == draft else value
