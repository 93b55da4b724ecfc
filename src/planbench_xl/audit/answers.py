"""What can be scored without solving anything, and which answers can't be told apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from planbench_xl.audit.context import Context, returned, shorten
from planbench_xl.audit.report import Check, Figures, Finding, Level
from planbench_xl.judging import contains, exact, normalise
from planbench_xl.world import Query, Role, World, text_form

FEW = Check(
    "few-distinct-answers",
    "Queries whose gold answer is that of another query for the same datatype",
    Level.WARNING,
    "answers",
    "An agent that knows some answers can guess others; a wrong path can still end in the right answer.",
    "Spread the queries over records whose values differ.",
)
MAJORITY = Check(
    "majority-answer",
    "Queries whose gold answer is the most frequent value of its datatype",
    Level.WARNING,
    "queries",
    "The share that always answering the most frequent value would score if answers needn't be grounded. Grounding "
    "refuses it until a trusted tool has returned the target's datatype, on whatever record.",
    "Ask for datatypes whose values differ between records.",
)
CONSTANT = Check(
    "constant-answers",
    "Queries for a datatype with one value on all records",
    Level.WARNING,
    "queries",
    "Any call that reaches the datatype, with whatever inputs, gives the right answer; nothing needs to be looked up.",
    "Vary the values of the datatype, or don't ask for it.",
)
ONE_RECORD = Check(
    "queries-on-one-record",
    "Queries on the record that most queries are about",
    Level.WARNING,
    "queries",
    "They share their values: an answer learnt in one, or leaked into training data, answers others.",
    "Spread the queries over the records.",
)
EVERYTHING = Check(
    "list-everything",
    "Queries for which a judge accepts an answer that lists every value of the datatype",
    Level.INFO,
    "queries",
    "`contains` accepts it by its definition: once the target's datatype has been obtained, on whatever record, "
    "listing everything scores. An error if `exact` accepts it as well.",
    "Report `exact` beside `contains`.",
)
NOTHING = Check(
    "do-nothing",
    "Queries for which a judge accepts an empty answer",
    Level.ERROR,
    "queries",
    "Giving up at once is accepted; only grounding still refuses it.",
    "Correct the gold answer.",
)
INSIDE = Check(
    "gold-inside-other-values",
    "Answers that occur within another value of their datatype",
    Level.WARNING,
    "answers",
    "`contains` accepts the other value, so a wrong answer counts as right.",
    "Use values none of which is part of another, or report `exact`.",
)
HELD = Check(
    "gold-held-by-other-records",
    "Answers that other records hold too",
    Level.WARNING,
    "answers",
    "A path that goes astray to another record can still end in the right answer.",
    "Ask for datatypes whose values differ between records.",
)
REFUSED = Check(
    "gold-contains-untrusted",
    "Answers that contain what a distractor or block alternative returns for their datatype",
    Level.ERROR,
    "answers",
    "After a call of that tool the right answer counts as not grounded, even if a trusted tool gave it: the episode "
    "can't be won any more.",
    "Give the tool another value.",
)
FREE = Check(
    "untrusted-contains-gold",
    "Answers that occur in what a distractor or block alternative returns for their datatype",
    Level.WARNING,
    "answers",
    "`contains` accepts the imitation's value; only grounding refuses it.",
    "Give the tool another value.",
)


def check_answers(context: Context) -> Iterator[Finding]:
    """Check the spread of gold answers, answers that take no work, and answers that can be mixed up."""
    yield _few(context)
    yield from _frequent(context)
    yield _one_record(context)
    yield _everything(context)
    yield _nothing(context)
    yield _inside(context)
    yield _held_elsewhere(context)
    yield from _untrusted(context)


def _few(context: Context) -> Finding:
    golds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for query, name, value in context.answers():
        golds[name, text_form(value)].append(query.query_id)
    by_name: dict[str, Counter[str]] = defaultdict(Counter)
    for (name, value), queries in golds.items():
        by_name[name][value] = len(queries)
    shared = {key: queries for key, queries in golds.items() if len(queries) > 1}
    entries = [query for queries in shared.values() for query in queries]
    figures: Figures = {
        "answers": sum(map(len, golds.values())),
        "distinct_answers": len({value for _, value in golds}),
        "distinct_pairs_of_datatype_and_answer": len(golds),
        "queries_with_the_commonest_gold_answer_of_their_datatype": sum(max(c.values()) for c in by_name.values()),
    }
    example = ""
    if shared:
        (name, value), queries = max(shared.items(), key=lambda item: len(item[1]))
        example = f"'{value}' is the gold answer of {len(queries)} queries for {name}."
    return FEW.found(entries, sum(map(len, golds.values())), example, figures)


def _held(context: Context, query: Query, name: str) -> str:
    """Return the value that the record of a query holds, as text: gold answers may be written differently."""
    value = context.holds(query, name)
    return text_form(query.answers[name] if value is None else value)


def _frequent(context: Context) -> Iterator[Finding]:
    most, constant = [], []
    for query in context.world.queries:
        counts = [(context.values.get(name, Counter()), _held(context, query, name)) for name in query.answers]
        if not counts:
            continue
        # A value that one record holds is not frequent, though no other is more so.
        if all(held[value] > 1 and held[value] == max(held.values()) for held, value in counts):
            most.append(query.query_id)
        if all(set(held) == {value} and held[value] > 1 for held, value in counts):
            constant.append(query.query_id)
    total = len(context.world.queries)
    yield MAJORITY.found(most, total, _named(context.world, most), {"accuracy_if_not_grounded": _ratio(most, total)})
    names = sorted(name for name, held in context.values.items() if len(held) == 1 and held.total() > 1)
    yield CONSTANT.found(constant, total, _named(context.world, constant), {"constant_datatypes": ", ".join(names)})


def _ratio(part: list[str], total: int) -> float | None:
    return round(len(part) / total, 4) if total else None


def _named(world: World, queries: list[str]) -> str:
    if not queries:
        return ""
    answers = ", ".join(f"{name} = {text_form(value)}" for name, value in world.query[queries[0]].answers.items())
    return f"{queries[0]}: {answers}."


def _one_record(context: Context) -> Finding:
    records = Counter(query.record_id for query in context.world.queries)
    name, count = max(records.items(), key=lambda item: item[1], default=("", 0))
    fair = len(context.world.queries) / max(1, len(context.world.records))
    # A record with a few queries more than others is no weakness; one with many times its share is.
    entries = [q.query_id for q in context.world.queries if q.record_id == name] if count > max(4, 4 * fair) else []
    figures: Figures = {"records": len(context.world.records), "records_with_a_query": len(records), "most": count}
    return ONE_RECORD.found(entries, len(context.world.queries), f"Record {name}." if entries else "", figures)


def _everything(context: Context) -> Finding:
    world = context.world
    strict, loose = [], []
    for query in context.track("list-everything", context.judged):
        listing = ", ".join(value for name in query.answers for value in context.values.get(name, ()))
        if contains(world, query, listing):
            loose.append(query.query_id)
        # A list of one value is an answer; that is what `constant-answers` is about.
        if exact(world, query, listing) and any(len(context.values.get(name, ())) > 1 for name in query.answers):
            strict.append(query.query_id)
    figures: Figures = {"accepted_by_contains": len(loose), "accepted_by_exact": len(strict)}
    either = strict or loose
    level = Level.ERROR if strict else Level.INFO
    return EVERYTHING.found(either, len(world.queries), _named(world, either), figures, level=level)


def _nothing(context: Context) -> Finding:
    world = context.world
    accepted = [q.query_id for q in context.judged if contains(world, q, "") or exact(world, q, "")]
    return NOTHING.found(accepted, len(world.queries), _named(world, accepted))


def _inside(context: Context) -> Finding:
    found: dict[str, str] = {}
    distinct: dict[str, list[tuple[str, str]]] = {
        name: [(value, normalise(value)) for value in held] for name, held in context.values.items()
    }
    total = 0
    for query, name, gold in context.answers():
        total += 1
        text = normalise(gold)
        # The gold answer may be written shorter than the record's own value, which is none of the others.
        own = _held(context, query, name)
        other = next(
            (value for value, plain in distinct.get(name, ()) if value != own and text and text in plain), None
        )
        if other is not None:
            found[f"{query.query_id}:{name}"] = f"{query.query_id}: {text_form(gold)} occurs in {other}"
    return INSIDE.found(list(found), total, _first(found.values()))


def _held_elsewhere(context: Context) -> Finding:
    found: dict[str, str] = {}
    total = 0
    for query, name, gold in context.answers():
        total += 1
        records = context.values.get(name, Counter())[_held(context, query, name)]
        if records > 1:
            line = f"{query.query_id}: {records} records hold {text_form(gold)} as {name}"
            found[f"{query.query_id}:{name}"] = line
    return HELD.found(list(found), total, _first(found.values()))


def _first(texts: Iterable[str]) -> str:
    return next((f"{text}." for text in texts), "")


def _untrusted(context: Context) -> Iterator[Finding]:
    given: dict[str, dict[str, str]] = defaultdict(dict)
    for tool in context.world.tools:
        if tool.role is Role.EXECUTABLE:
            continue
        for name, value in returned(tool).items():
            # The message of a failing tool is recorded as an untrusted value too.
            if text := normalise(value):
                given[name].setdefault(text, tool.name)
    refused: dict[str, str] = {}
    free: dict[str, str] = {}
    total = equal = 0
    for query, name, gold in context.answers():
        total += 1
        plain = normalise(gold)
        equal += plain in given[name]
        for text, tool_name in given[name].items():
            line = f"{query.query_id}: {text_form(gold)}; {tool_name} returns {shorten(text, 80)}"
            if text in plain:
                refused.setdefault(f"{query.query_id}:{name}", line)
            if plain and plain in text:
                free.setdefault(f"{query.query_id}:{name}", line)
    figures: Figures = {"equal": equal}
    yield REFUSED.found(list(refused), total, _first(refused.values()), figures)
    yield FREE.found(list(free), total, _first(free.values()), figures)
