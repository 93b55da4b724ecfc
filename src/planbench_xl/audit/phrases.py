"""Can retrieval reach every tool, and does it understand what agents read?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planbench_xl.audit.context import Context, shorten
from planbench_xl.audit.report import Check, Figures, Finding, Level

MAX_INPUTS = 2
"""A retrieval by inputs names one or two (reference protocol, section 3)."""

ONLY_BY_OUTPUT = Check(
    "only-by-output",
    "Executable tools that take three or more inputs: retrieval finds them by output only",
    Level.INFO,
    "tools",
    "An agent that searches from what it knows never sees them; it has to guess what they return.",
    "Use them where searching backwards is meant to be needed.",
)
UNREACHABLE = Check(
    "unreachable-tools",
    "Executable tools that no phrase about their output leads to",
    Level.ERROR,
    "tools",
    "Retrieval by output never lists them; with three or more inputs nothing does. Paths through them don't exist.",
    "Give the output's datatype a name, alias or description that no earlier datatype has.",
)
MISREAD = Check(
    "misread-phrases",
    "Texts about a datatype that the reference matcher takes for another one",
    Level.WARNING,
    "texts",
    "An agent that searches with words it has read gets tools for something else: turns are lost through no fault of "
    "its own.",
    "Reword the text, or add it to the aliases of its datatype.",
)


def check_phrases(context: Context) -> Iterator[Finding]:
    """Check retrieval with the phrases that a world itself offers."""
    yield _only_by_output(context)
    yield _unreachable(context)
    yield _misread(context)


def _only_by_output(context: Context) -> Finding:
    executable = context.world.executable
    tools = [tool.name for tool in executable if len(tool.inputs) > MAX_INPUTS]
    by_inputs = Counter(len(tool.inputs) for tool in executable)
    figures: Figures = {
        "tools_by_number_of_inputs": {str(size): by_inputs[size] for size in sorted(by_inputs)},
        "of_these_on_a_minimal_tool_set": len(context.useful_tools.intersection(tools)),
    }
    return ONLY_BY_OUTPUT.found(tools, len(executable), f"{tools[0]}." if tools else "", figures)


def _unreachable(context: Context) -> Finding:
    match = context.matcher.match
    heard = {
        datatype.name
        for datatype in context.world.datatypes
        # A name in full stands for all of its texts, and each of them stands for itself.
        if any(match(text) == datatype.name for text in (datatype.name, *datatype.aliases, datatype.description))
    }
    tools = [tool for tool in context.world.executable if heard.isdisjoint(tool.output_datatypes)]
    example = ""
    if tools:
        wanted = tools[0].output_datatypes[0]
        example = f"{tools[0].name} returns {wanted}, but '{wanted}' is taken for {match(wanted)}."
    return UNREACHABLE.found([tool.name for tool in tools], len(context.world.executable), example)


def _texts(context: Context) -> Iterator[tuple[str, str, str, str]]:
    """Yield kind, datatype, phrase and place of every text about a datatype."""
    world = context.world
    for datatype in world.datatypes:
        place = f"datatype {datatype.name}"
        yield "name", datatype.name, datatype.name, place
        for alias in datatype.aliases:
            yield "alias", datatype.name, alias, place
        yield "description", datatype.name, datatype.description, place
    # Agents read the texts of imitations as well, and can't tell them from those of executable tools.
    for tool in world.tools:
        for argument in tool.arguments:
            yield "argument name", argument.datatype, argument.name, tool.name
            yield "argument description", argument.datatype, argument.description, tool.name
        for output in tool.outputs:
            yield "output name", output.datatype, output.name, tool.name
            if output.label:
                yield "output label", output.datatype, output.label, tool.name
            if output.description:
                yield "output description", output.datatype, output.description, tool.name


def _misread(context: Context) -> Finding:
    found: dict[tuple[str, str, str], str] = {}
    all_texts: set[tuple[str, str, str]] = set()
    wrong: Counter[str] = Counter()
    for kind, datatype, phrase, place in context.track("phrases", _texts(context)):
        key = (kind, datatype, phrase)
        if key in all_texts or datatype not in context.world.datatype:
            continue
        all_texts.add(key)
        taken = context.matcher.match(phrase)
        if taken != datatype:
            wrong[kind] += 1
            found[key] = f"{kind} '{shorten(phrase, 90)}' ({place}) is of {datatype} and is taken for {taken}"
    totals = Counter(kind for kind, _, _ in all_texts)
    figures: Figures = {
        "misread_by_kind_of_text": {kind: wrong[kind] for kind in sorted(wrong)},
        "texts_by_kind": {kind: totals[kind] for kind in sorted(totals)},
    }
    lines = list(found.values())
    return MISREAD.found(lines, len(all_texts), f"{lines[0]}." if lines else "", figures)
