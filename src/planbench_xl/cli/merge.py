"""`planbench-xl merge`."""

from __future__ import annotations

from pathlib import Path

import click

from planbench_xl.cli.common import examples, json_option, print_json

FAILED = 1


@click.command(
    epilog=examples(
        "planbench-xl run --shard 1/2 --out part-1     on one machine",
        "planbench-xl run --shard 2/2 --out part-2     on another",
        "planbench-xl merge part-1 part-2 --out whole",
    )
)
@click.argument("shards", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The new run folder.")
@click.option("--world", metavar="WORLD", help="World they were played on. [default: the one that the runs name]")
@json_option
@click.pass_context
def merge(ctx: click.Context, shards: tuple[Path, ...], out: Path, world: str | None, as_json: bool) -> None:
    """Join the shards of a run, played apart with `run --shard I/N`, into one run folder.

    Shards must differ in nothing but their queries and epochs, and no episode may be in two of them. Exit status 1
    if episodes are missing from the whole; the shards that lack them can be continued and merged again.
    """
    from planbench_xl.report.counting import counted
    from planbench_xl.runs.merging import merge as join
    from planbench_xl.runs.worlds import open_world

    found = join(shards, out, open_world(world) if world else None)
    expected = len(found.manifest.keys)
    missing = [f"{query}#{epoch}" for query, epoch in found.missing]
    if as_json:
        print_json(
            {
                "folder": str(out),
                "episodes": expected - len(missing),
                "expected": expected,
                "missing": missing,
                "left_out_queries": found.left_out,
                "counts": found.counts,
            }
        )
    else:
        for folder, count in found.counts.items():
            click.echo(f"{folder}: {counted(count, 'episode')}")
        click.echo(f"{out}: {expected - len(missing)} of {counted(expected, 'episode')}.")
        if missing:
            click.echo(f"Missing: {', '.join(missing[:5])}{', …' if len(missing) > 5 else ''}.", err=True)
        if found.left_out:
            click.echo(f"Note: {found.left_out} of the world's queries are in no shard.", err=True)
    ctx.exit(FAILED if missing else 0)
