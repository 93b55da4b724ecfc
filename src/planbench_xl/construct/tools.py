"""Stages 2 to 4: executable tools, distractors and block alternatives from look-ups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from planbench_xl.construct.domain import Domain
from planbench_xl.construct.falsehoods import Falsehoods
from planbench_xl.construct.lookups import Lookup
from planbench_xl.construct.makers import parse_maker
from planbench_xl.construct.words import SCHEMA_TYPE, Names, make_arguments, make_output
from planbench_xl.construct.writing import Writer
from planbench_xl.world import DISTRACTOR_KINDS, FAILING_KINDS, Kind, Output, Role, Tool


def executable_tools(
    domain: Domain, lookups: Sequence[Lookup], names: Names, writer: Writer, seed: int
) -> tuple[Tool, ...]:
    """Name and describe a tool for each look-up, in the same order. No other words may enter names afterwards."""
    tools = []
    for number, lookup in enumerate(lookups):
        rng = Random(f"{seed}||tool||{number}")
        arguments = make_arguments(domain, lookup.inputs, names, rng)
        tools.append(
            Tool(
                name=names.tool(names.alias(lookup.output, rng), lookup.inputs, rng),
                role=Role.EXECUTABLE,
                description=writer.describe(lookup, arguments, rng),
                arguments=arguments,
                outputs=(make_output(domain, lookup.output, names, rng),),
            )
        )
    names.close()
    return tuple(tools)


def distractors(
    domain: Domain,
    sources: Sequence[tuple[Lookup, Tool]],
    names: Names,
    writer: Writer,
    falsehoods: Falsehoods,
    seed: int,
) -> tuple[Tool, ...]:
    """Make five distractors for each executable tool, one of each kind, each of which discloses its flaw."""
    return tuple(_distractors(domain, sources, names, writer, falsehoods, seed))


def _distractors(
    domain: Domain,
    sources: Sequence[tuple[Lookup, Tool]],
    names: Names,
    writer: Writer,
    falsehoods: Falsehoods,
    seed: int,
) -> Iterator[Tool]:
    for lookup, tool in sources:
        for kind in DISTRACTOR_KINDS:
            rng = Random(f"{seed}||{kind.value}||{tool.name}")
            arguments = make_arguments(domain, lookup.inputs, names, rng)
            neighbour, value = falsehoods.of_neighbour(lookup.output, rng)
            if kind in FAILING_KINDS:
                value = writer.fail(lookup, kind, rng)
            elif kind is not Kind.UNRELIABLE:
                value = falsehoods.of(lookup.output, rng)
            yield Tool(
                name=names.tool(names.alias(lookup.output, rng), lookup.inputs, rng),
                role=Role.DISTRACTOR,
                kind=kind,
                source=tool.name,
                description=writer.disclose(lookup, arguments, kind, neighbour, rng),
                arguments=arguments,
                outputs=(make_output(domain, lookup.output, names, rng),),
                return_value=value,
            )


def block_alternatives(
    domain: Domain,
    sources: Sequence[tuple[Lookup, Tool]],
    names: Names,
    writer: Writer,
    falsehoods: Falsehoods,
    seed: int,
) -> tuple[Tool, ...]:
    """Make three alternatives for each executable tool: one fails, one is wrong, one does something else."""
    found = []
    for lookup, tool in sources:
        for kind in (Kind.EXPLICIT, Kind.IMPLICIT):
            rng = Random(f"{seed}||{kind.value}||{tool.name}")
            arguments = make_arguments(domain, lookup.inputs, names, rng)
            value = writer.fail(lookup, kind, rng) if kind is Kind.EXPLICIT else falsehoods.tempting(lookup.output, rng)
            found.append(
                Tool(
                    name=names.tool(names.alias(lookup.output, rng), lookup.inputs, rng),
                    role=Role.BLOCK_ALTERNATIVE,
                    kind=kind,
                    source=tool.name,
                    description=writer.describe(lookup, arguments, rng),
                    arguments=arguments,
                    outputs=(make_output(domain, lookup.output, names, rng),),
                    return_value=value,
                )
            )
        found.append(_misleading(domain, lookup, tool, names, writer, seed))
    return tuple(found)


def _misleading(domain: Domain, lookup: Lookup, tool: Tool, names: Names, writer: Writer, seed: int) -> Tool:
    """Make a tool that takes the same and honestly looks up something related."""
    rng = Random(f"{seed}||misleading||{tool.name}")
    near = rng.choice(domain.fields[lookup.output].near)
    maker = parse_maker(near.make, domain.words)
    arguments = make_arguments(domain, lookup.inputs, names, rng)
    return Tool(
        name=names.tool(near.name.replace("_", " "), lookup.inputs, rng),
        role=Role.BLOCK_ALTERNATIVE,
        kind=Kind.MISLEADING,
        source=tool.name,
        description=writer.mislead(lookup, arguments, near.says, rng),
        arguments=arguments,
        outputs=(
            Output(
                datatype=near.name,
                name=near.name,
                description=near.says[:1].upper() + near.says[1:] + ".",
                label=near.name.replace("_", " "),
                type=SCHEMA_TYPE[maker.value_type],
            ),
        ),
        return_value=maker.draw(rng, None),
    )
