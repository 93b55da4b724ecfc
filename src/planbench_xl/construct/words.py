"""Rule-made words: names of tools and arguments from aliases, unique over a world."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from planbench_xl.construct.domain import Domain, Field
from planbench_xl.world import Argument, Output

SCHEMA_TYPE = {"string": "string", "number": "number", "timestamp": "string", "boolean": "boolean"}
TRIES = 400
VARIANT_SHARE = 0.55
"""Part of the tools whose name ends in a variant."""


class Names:
    """Makes names of tools: `get_<output>_from_<inputs>[_<variant>]`, one alias for each datatype.

    Names of imitations use only words that executable tools use, or a word would tell the role.
    """

    def __init__(self, domain: Domain, variants: Sequence[str]) -> None:
        self._aliases = {name: field.aliases for name, field in domain.fields.items()}
        self._variants = tuple(variants)
        self._taken: set[str] = set()
        self._words: set[str] | None = None
        self._matcher = domain.matcher
        self._descriptions = {name: self._ways(field) for name, field in domain.fields.items()}

    def _ways(self, field: Field) -> tuple[str, ...]:
        """Return ways to describe a field that retrieval takes for it: equal texts would show the graph."""
        ways = (field.description, *field.also, *(f"{text[:1].upper()}{text[1:]}." for text in field.says))
        return tuple(text for text in ways if self._matcher.owns(field.name, text))

    def description(self, datatype: str, rng: Random) -> str:
        """Draw a description of a datatype."""
        return rng.choice(self._descriptions[datatype])

    def close(self) -> None:
        """All executable tools are named: from now on only their words are used."""
        words = {word for name in self._taken for word in name.split("_")}
        self._words = words
        self._variants = tuple(variant for variant in self._variants if variant in words) or self._variants

    def alias(self, datatype: str, rng: Random) -> str:
        """Draw an alias of a datatype."""
        aliases = self._aliases[datatype]
        if self._words is not None:
            aliases = tuple(alias for alias in aliases if self._words.issuperset(alias.split())) or aliases
        return rng.choice(aliases)

    def tool(self, output: str, inputs: Sequence[str], rng: Random) -> str:
        """Make a new name.

        Args:
            output: The output's alias, in words.
            inputs: Datatypes taken.
            rng: What is drawn from.
        """
        for attempt in range(TRIES):
            taken = "_and_".join(_snake(self.alias(name, rng)) for name in inputs)
            name = f"get_{_snake(output)}_from_{taken}"
            if rng.random() < VARIANT_SHARE or attempt > TRIES // 2:
                name += f"_{rng.choice(self._variants)}"
            if name not in self._taken:
                self._taken.add(name)
                return name
        raise AssertionError(f"no free name is left for {output} from {', '.join(inputs)}")


def _snake(alias: str) -> str:
    return alias.replace(" ", "_")


def make_arguments(domain: Domain, inputs: Sequence[str], names: Names, rng: Random) -> tuple[Argument, ...]:
    """Name and describe the arguments of a tool, in an order of their own."""
    order = list(inputs)
    rng.shuffle(order)
    found = []
    for datatype in order:
        found.append(
            Argument(
                name=_snake(names.alias(datatype, rng)),
                datatype=datatype,
                description=names.description(datatype, rng),
                type=SCHEMA_TYPE[domain.makers[datatype].value_type],
            )
        )
    return tuple(found)


def make_output(domain: Domain, datatype: str, names: Names, rng: Random) -> Output:
    """Name and describe what a tool returns."""
    alias = names.alias(datatype, rng)
    return Output(
        datatype=datatype,
        name=_snake(alias),
        description=names.description(datatype, rng),
        label=alias,
        type=SCHEMA_TYPE[domain.makers[datatype].value_type],
    )
