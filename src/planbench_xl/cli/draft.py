"""`planbench-xl build --from-openapi` and `--from-mcp`: the draft of a domain file from a tool catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbench_xl.cli.common import print_json
from planbench_xl.cli.progress import Steps

if TYPE_CHECKING:
    from planbench_xl.construct.catalogues import Draft, Trial

SHOWN = 8
"""Doubts that are shown, the commonest first; all are in the file."""


def write_draft(
    openapi: Path | None,
    mcp: Path | None,
    out: Path | None,
    tags: Sequence[str],
    paths: Sequence[str],
    force: bool,
    as_json: bool,
) -> bool:
    """Write the draft of a domain file, try it and say what came of it.

    Args:
        openapi: An OpenAPI document, or None.
        mcp: A saved answer to `tools/list`, or None.
        out: The file to write.
        tags: Only operations with one of these tags.
        paths: Only operations whose path starts with one of these.
        force: Overwrite the file.
        as_json: Print JSON.

    Returns:
        Whether a world can be built from it as it is.
    """
    from planbench_xl.construct.catalogues import (
        draft_domain,
        load_document,
        read_mcp,
        read_openapi,
        to_toml,
        try_draft,
    )
    from planbench_xl.world.storage import write_atomically

    if openapi and mcp:
        raise click.UsageError("--from-openapi and --from-mcp can't be used together.")
    source = openapi or mcp
    assert source is not None
    file = _file(out, force)
    document = load_document(source)
    if mcp:
        if tags or paths:
            raise click.UsageError("--tag and --path choose from an OpenAPI document; MCP tools have neither.")
        catalogue = read_mcp(document, source.name)
    else:
        catalogue = read_openapi(document, source.name, tags, paths)
    draft = draft_domain(catalogue)
    write_atomically(file, to_toml(draft, source.name).encode())
    with Steps() as steps:
        trial = try_draft(file, steps)
    if as_json:
        print_json(_facts(file, draft, trial))
    else:
        _print(file, draft, trial)
    return bool(trial.tasks)


def _file(out: Path | None, force: bool) -> Path:
    if out is None:
        raise click.UsageError("Missing option '--out': name a file for the draft, such as draft.toml.")
    if out.is_dir():
        raise click.UsageError(f"'{out}' is a folder. Name a file for the draft, such as draft.toml.")
    if out.exists() and not force:
        raise click.UsageError(f"'{out}' exists. Name another file, or overwrite it with --force.")
    if not out.parent.is_dir():
        raise click.UsageError(f"There is no folder '{out.parent}'. Make it, or name another file.")
    return out


def _facts(file: Path, draft: Draft, trial: Trial) -> dict[str, Any]:
    return {
        "file": str(file),
        "operations": draft.operations,
        "values": draft.values,
        "fields": draft.fields,
        "entities": len(draft.domain.entity),
        "datatypes": len(draft.domain.fields),
        "doubtful": draft.doubts,
        "left_out": draft.left_out,
        "trial": trial,
    }


def _print(file: Path, draft: Draft, trial: Trial) -> None:
    click.echo(
        f"{file}: {draft.operations} operations with {draft.values} values, {draft.fields} fields after unifying them; "
        f"{len(draft.domain.entity)} entities with {len(draft.domain.fields)} datatypes in the draft."
    )
    reasons = Counter(doubt.reason for doubt in draft.doubts)
    click.echo(f"Doubtful: {len(draft.doubts)}, marked with CHECK in the file.")
    for reason, count in reasons.most_common(SHOWN):
        click.echo(f"  {count} × {reason}" if count > 1 else f"  {reason}")
    if len(reasons) > SHOWN:
        click.echo(f"  … and {len(reasons) - SHOWN} more.")
    left_out = sum(len(labels) for entity, labels in draft.left_out.items() if entity)
    if draft.left_out:
        things = draft.left_out.get("", ())
        click.echo(f"Left out: {left_out} fields and {len(things)} whole things, named in the file.")
    if trial.problem:
        click.echo(f"Tried with the usual lengths: {trial.problem.rstrip('.')}.\n{trial.remedy}.")
    if trial.tasks:
        lengths = ", ".join(f"{length}: {count}" for length, count in trial.tasks.items())
        click.echo(f"Tried with seed 1: {trial.tools} executable tools, tasks by L*: {lengths}.")
        click.echo(f"Next: planbench-xl build {file} --seed 1 --out my-world {trial.options}".rstrip())
