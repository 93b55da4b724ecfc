"""Do texts repeat each other, or give away what an agent must not read?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from planbench_xl.audit.context import Context, shorten
from planbench_xl.audit.report import Check, Figures, Finding, Level
from planbench_xl.judging import contains, exact, normalise
from planbench_xl.world import Kind, Role, Tool, World
from planbench_xl.world.wording import ROLE_WORDS, compound_names, names_pattern, phrase_pattern

SAME_TOOLS = Check(
    "duplicate-descriptions",
    "Tools of different sources, or of one role, with the same description",
    Level.WARNING,
    "tools",
    "An agent can't choose between them by what it reads.",
    "Say in each description what tells the tool apart.",
)
SAME_QUERIES = Check(
    "duplicate-queries",
    "Queries with the same text, or the same question about the same values",
    Level.WARNING,
    "queries",
    "They count as several, but are one: intervals are narrower than they should be.",
    "Remove the repetition.",
)
NAMES = Check(
    "datatype-names-in-texts",
    "Texts shown to agents that hold the internal name of a datatype",
    Level.WARNING,
    "texts",
    "A datatype's name finds all of its tools at once, and names that recur show the graph.",
    "Use an alias.",
)
TARGET = Check(
    "target-named-in-query",
    "Queries that name their target datatype, by name or by an alias",
    Level.INFO,
    "queries",
    "The words can be copied into a retrieval; nothing has to be worked out to search backwards.",
    "Paraphrase the target where reading is part of the test.",
)
GOLD = Check(
    "gold-in-query",
    "Queries whose text holds a gold answer",
    Level.WARNING,
    "queries",
    "`contains` accepts an answer that repeats the query; only grounding refuses it.",
    "Choose another record, or leave the value out of the text.",
)
ROLES = Check(
    "role-words",
    "Texts of tools with the benchmark's own words for roles",
    Level.WARNING,
    "tools",
    "An agent that knows the benchmark reads the role off the text.",
    "Describe the tool in the words of its domain.",
)
TELLING = Check(
    "names-tell-roles",
    "Imitations whose name has a word that no executable tool's name has, though many imitations do",
    Level.WARNING,
    "imitations",
    "The role can be learnt from names alone, without reading what the tool says about itself.",
    "Build the names of all roles from the same words.",
)

TELLING_NAMES = 5
"""In so many names of imitations, and in none of an executable tool, a word tells the role."""


def check_texts(context: Context) -> Iterator[Finding]:
    """Check for repetitions and leaks."""
    yield _same_tools(context)
    yield _same_queries(context)
    yield _names(context)
    yield _target(context)
    yield _gold(context)
    yield _roles(context)
    yield _telling(context)


def _first(texts: Iterable[str]) -> str:
    return next((f"{text}." for text in texts), "")


def _same_tools(context: Context) -> Finding:
    groups: dict[str, list[Tool]] = defaultdict(list)
    for tool in context.world.tools:
        groups[normalise(tool.description)].append(tool)
    found: dict[str, str] = {}
    for group in groups.values():
        # A block alternative may look just like the tool that it replaces; both are never shown together.
        kinds = Counter((tool.source or tool.name, tool.role) for tool in group)
        sources = {source for source, _ in kinds}
        shown = any(n > 1 and role is not Role.BLOCK_ALTERNATIVE for (_, role), n in kinds.items())
        if len(group) > 1 and (len(sources) > 1 or shown):
            names = [tool.name for tool in group]
            found.update((name, f"{' and '.join(names[:2])}: {shorten(group[0].description)}") for name in names)
    return SAME_TOOLS.found(list(found), len(context.world.tools), _first(found.values()))


def _same_queries(context: Context) -> Finding:
    texts: dict[str, str] = {}
    asked: dict[tuple[str, ...], str] = {}
    found: dict[str, str] = {}
    for query in context.world.queries:
        key = (*sorted(f"{name}={value}" for name, value in query.inputs.items()), "→", *sorted(query.answers))
        for first in (texts.setdefault(normalise(query.text), query.query_id), asked.setdefault(key, query.query_id)):
            if first != query.query_id:
                found.setdefault(query.query_id, f"{query.query_id} asks what {first} asks")
    return SAME_QUERIES.found(list(found), len(context.world.queries), _first(found.values()))


def _shown(world: World) -> Iterator[tuple[str, str, str]]:
    """Yield kind, place and text of everything that an agent may read."""
    for tool in world.tools:
        yield "tool name", tool.name, tool.name
        yield "tool description", tool.name, tool.description
        for argument in tool.arguments:
            yield "argument name", tool.name, argument.name
            yield "argument description", tool.name, argument.description
        for output in tool.outputs:
            yield "output name", tool.name, output.name
    for query in world.queries:
        yield "query", query.query_id, query.text


def _names(context: Context) -> Finding:
    names = [datatype.name for datatype in context.world.datatypes]
    pattern = names_pattern(names)
    found: dict[str, str] = {}
    by_kind: Counter[str] = Counter()
    total = verbatim = 0
    for kind, place, text in _shown(context.world):
        total += 1
        match = pattern.search(text)
        if match:
            by_kind[kind] += 1
            verbatim += match[0] in names
            where = place if place == text else f"{place}: {shorten(text, 60)}"
            found.setdefault(f"{kind} of {where}", f"The {kind} of {place} holds '{match[0]}'")
    figures: Figures = {
        "by_kind_of_text": {kind: by_kind[kind] for kind in sorted(by_kind)},
        "written_as_the_name_itself": verbatim,
        "names_of_several_words": len(compound_names(names)),
    }
    return NAMES.found(list(found), total, _first(found.values()), figures)


def _target(context: Context) -> Finding:
    world = context.world
    by_name: list[str] = []
    found: dict[str, str] = {}
    for query in world.queries:
        for name in query.answers:
            datatype = world.datatype.get(name)
            if datatype is None:
                continue
            if phrase_pattern((name,)).search(query.text):
                by_name.append(query.query_id)
            match = phrase_pattern((name, *datatype.aliases)).search(query.text)
            if match:
                found.setdefault(query.query_id, f"{query.query_id} asks for {name} and says '{match[0]}'")
    figures: Figures = {"by_the_internal_name": len(set(by_name))}
    # An alias is what a person would say; the internal name is a leak.
    level = Level.WARNING if by_name else Level.INFO
    return TARGET.found(list(found), len(world.queries), _first(found.values()), figures, level=level)


def _gold(context: Context) -> Finding:
    world = context.world
    found: dict[str, str] = {}
    for query, name, gold in context.answers():
        plain, text = normalise(gold), normalise(query.text)
        if plain and plain in text:
            place = text.index(plain)
            near = text[max(0, place - 30) : place + len(plain) + 30]
            found.setdefault(query.query_id, f"{query.query_id} asks for {name}, {plain}, and says '…{near}…'")
    figures: Figures = {
        "query_text_accepted_by_contains": sum(contains(world, query, query.text) for query in context.judged),
        "query_text_accepted_by_exact": sum(exact(world, query, query.text) for query in context.judged),
    }
    return GOLD.found(list(found), len(world.queries), _first(found.values()), figures)


def _roles(context: Context) -> Finding:
    found: dict[str, str] = {}
    words: Counter[str] = Counter()
    for tool in context.world.tools:
        texts = (tool.name.replace("_", " "), tool.description, *(argument.description for argument in tool.arguments))
        match = next((match for text in texts if (match := ROLE_WORDS.search(text))), None)
        if match:
            words[match[0].lower()] += 1
            found[tool.name] = f"{tool.name} says '{match[0]}'"
    figures: Figures = {"by_word": dict(words.most_common())}
    return ROLES.found(list(found), len(context.world.tools), _first(found.values()), figures)


def _telling(context: Context) -> Finding:
    tools = context.world.tools
    plain = {word for tool in tools if tool.role is Role.EXECUTABLE for word in tool.name.split("_")}
    # What a misleading tool does is something else, and its name says so honestly.
    imitations = [tool for tool in tools if tool.role is not Role.EXECUTABLE and tool.kind is not Kind.MISLEADING]
    counts = Counter(word for tool in imitations for word in set(tool.name.split("_")) - plain)
    telling = {word: count for word, count in counts.most_common() if count > TELLING_NAMES}
    found = {tool.name: sorted(telling.keys() & set(tool.name.split("_"))) for tool in imitations}
    names = [name for name, words in found.items() if words]
    roles: dict[str, int] = Counter(tool.role.value for tool in imitations if found[tool.name])
    example = f"{names[0]}: '{found[names[0]][0]}' is in {telling[found[names[0]][0]]} such names." if names else ""
    figures: Figures = {"words": dict(list(telling.items())[:20]), "by_role": dict(roles)}
    return TELLING.found(names, len(imitations), example, figures)
