"""A dataset card for a world: what is in it, what it is for, what is weak about it. Markdown with a YAML head."""

from __future__ import annotations

from collections import Counter

from planbench_xl import __version__
from planbench_xl.runs.worlds import describe
from planbench_xl.world import World

_TEMPLATE = """---
pretty_name: {title}
language: [en]
license: {license}
task_categories: [question-answering]
tags: [agents, tool-use, planning, benchmark, planbench-xl]
size_categories: [{size}]
---

# {title}

A world of PlanBench-XL: {tools} tools over {datatypes} datatypes, {records} records, and {queries} queries that take
{shortest} to {longest} calls each. It tests whether an agent can plan over long chains of tool calls when it has to
find the tools bit by bit, and some of them are flawed or blocked.

> {overview}

| | |
|---|---|
| Fingerprint | `{fingerprint}` |
| Version | {version} |
| Executable tools | {executable} |
| Distractors | {distractor} |
| Block alternatives | {alternative} |
| Tasks | {tasks} |
| Listed solution paths | {paths} |
{splits}{origin}
## Tasks by L*

| L* | Tasks |
|---|---|
{lengths}

## Files

`datatypes`, `tools`, `records`, `tasks`, `queries` and `paths` as Parquet. `role`, `kind`, `return_value`, `outputs`,
`records`, `answers` and `paths` are for the evaluation alone: an agent must never see them.

## Use

Evaluate with `planbench-xl run --world {name}`. Scores belong to the fingerprint above, and to the setting, protocol
and judge that they were made with. Queries of the split `test` aren't for training.

Written by planbench-xl {package}.
"""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card(world: World, *, license_name: str = "other") -> str:
    """Return the dataset card of a world.

    Args:
        world: The world.
        license_name: Identifier of the licence that you give it.
    """
    facts = describe(world)
    roles = facts["tools_by_role"]
    lengths: dict[str, int] = facts["tasks_by_shortest_length"]
    splits = Counter(query.split for query in world.queries if query.split)
    recipe = world.recipe or {}
    named = ", ".join(f"{name} {count}" for name, count in sorted(splits.items()))
    return _TEMPLATE.format(
        title=f"PlanBench-XL {world.name}",
        license=license_name,
        size=next((label for limit, label in _SIZES if len(world.queries) < limit), "n>100K"),
        overview=" ".join(world.overview.split()),
        fingerprint=world.fingerprint,
        version=world.version,
        executable=len(world.executable),
        distractor=roles.get("distractor", 0),
        alternative=roles.get("block_alternative", 0),
        paths=facts["listed_paths"],
        splits=f"| Queries by split | {named} |\n" if named else "",
        origin=f"| Made from | domain `{recipe['domain']}`, seed {recipe['seed']} |\n" if recipe else "",
        lengths="\n".join(f"| {length} | {count} |" for length, count in lengths.items()),
        shortest=min(map(int, lengths), default=0),
        longest=max(map(int, lengths), default=0),
        name=world.name,
        package=__version__,
        **{key: facts[key] for key in ("tools", "datatypes", "records", "queries", "tasks")},
    )
