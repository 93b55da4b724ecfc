"""`planbench-xl build`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import click

from planbench_xl.cli.common import ENGINE_OPTION, examples, json_option, print_json
from planbench_xl.cli.draft import write_draft
from planbench_xl.cli.progress import Steps

if TYPE_CHECKING:
    from planbench_xl.audit import AuditReport
    from planbench_xl.construct import Domain, Recipe
    from planbench_xl.construct.completion import Completer
    from planbench_xl.construct.models import Part
    from planbench_xl.engines import EngineName
    from planbench_xl.world import World

_COUNT = click.IntRange(min=1)
_SHARE = click.FloatRange(min=0, max=1)
SHARE_TOLERANCE = 0.05
"""A share of tasks that is further off is worth a note."""
_FILE = click.Path(path_type=Path)


class Lengths(click.ParamType[dict[str, int]]):
    """Numbers of tasks by length: `5=100,6=80`."""

    name = "lengths"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, int]:
        """Read the option."""
        try:
            pairs = [part.split("=") for part in str(value).split(",")]
            return {str(int(length)): int(count) for length, count in pairs}
        except ValueError:
            self.fail(f"'{value}' is not of the form 5=100,6=80.", param, ctx)


@click.command(
    short_help="Build a world from a domain file and a seed.",
    epilog=examples(
        "planbench-xl build retail --seed 7 --out my-world",
        "planbench-xl build --example > my-domain.toml",
        "planbench-xl build my-domain.toml --seed 1 --out my-world --records 60 --tools 40 --lengths 3=12,4=5",
        "planbench-xl build my-domain.toml --check",
        "planbench-xl build --from-openapi api.json --out draft.toml",
        "planbench-xl build retail --out large --branches 10 --tools 2222 --queries 5000 --workers 2",
        "planbench-xl build my-domain.toml --writer openai/gpt-5-mini --filter openai/gpt-5-mini --dry-run",
        "planbench-xl build my-domain.toml --out my-world --writer openai/gpt-5-mini --cache replies",
    ),
)
@click.argument("domain", required=False)
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Folder for the world.")
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Seed of everything that is drawn.")
@click.option("--records", type=_COUNT, metavar="N", help="Number of cases. [default: 300]")
@click.option("--tools", type=_COUNT, metavar="N", help="Number of executable tools. [default: 230]")
@click.option("--queries", type=_COUNT, metavar="N", help="Number of queries. [default: 500]")
@click.option(
    "--lengths", type=Lengths(), metavar="L=N,…", help="Number of tasks per L*; the last holds longer ones too."
)
@click.option("--longest", type=_COUNT, metavar="N", help="Largest L*. [default: 14]")
@click.option("--most-paths", type=_COUNT, metavar="N", help="Most solution paths of a task. [default: 24]")
@click.option("--several-targets", type=_SHARE, metavar="X", help="Share of tasks with two targets. [default: 0.1]")
@click.option("--several-inputs", type=_SHARE, metavar="X", help="Share of tasks with several inputs. [default: 0.45]")
@click.option("--branches", type=_COUNT, metavar="N", help="Branches of the business, each a domain. [default: 1]")
@click.option("--dev", type=_SHARE, metavar="X", help="Share of tasks and records for development. [default: 0.2]")
@click.option(
    "--writer", default="template", show_default=True, metavar="MODEL", help="Who writes texts: a model of Inspect AI."
)
@click.option("--filter", "judge", default="", metavar="MODEL", help="A model that judges which look-ups make sense.")
@click.option(
    "--cache",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the replies of models. [default: DIR/stages]",
)
@click.option("--dry-run", is_flag=True, help="Only count what the models would be asked; needs no key.")
@click.option("--keep-stages", is_flag=True, help="Leave what each stage made in DIR/stages.")
@click.option("--check", is_flag=True, help="Only check the domain file.")
@click.option("--from-openapi", type=_FILE, metavar="FILE", help="Draft a domain file from an OpenAPI document.")
@click.option("--from-mcp", type=_FILE, metavar="FILE", help="Draft a domain file from a saved MCP tools/list.")
@click.option("--tag", "tags", multiple=True, metavar="NAME", help="Only OpenAPI operations with a tag.")
@click.option("--path", "paths", multiple=True, metavar="PREFIX", help="And only those whose path starts so.")
@click.option("--force", is_flag=True, help="Let a draft overwrite its file.")
@click.option("--example", is_flag=True, help="Print a small domain file to start from.")
@click.option("--workers", type=_COUNT, default=1, show_default=True, metavar="N", help="Number of processes.")
@click.option("--engine", **ENGINE_OPTION)
@click.option("--no-audit", is_flag=True, help="Skip the audit at the end.")
@json_option
@click.pass_context
def build(
    ctx: click.Context,
    /,
    domain: str | None,
    out: Path | None,
    seed: int,
    writer: str,
    judge: str,
    cache: Path | None,
    dry_run: bool,
    keep_stages: bool,
    check: bool,
    from_openapi: Path | None,
    from_mcp: Path | None,
    tags: tuple[str, ...],
    paths: tuple[str, ...],
    force: bool,
    example: bool,
    workers: int,
    engine: EngineName,
    no_audit: bool,
    as_json: bool,
    **knobs: Any,
) -> None:
    """Build a world from DOMAIN, a packaged domain or a domain file, and a seed.

    The same domain, seed and knobs give the same bytes, with any number of workers on any engine. A build that was
    interrupted goes on after its last stage. The world is validated and audited; exit status 1 if the audit finds an
    error.

    A model as writer or filter is asked once: its replies stay in DIR/stages, or in the folder of --cache, and the same
    build made of the same replies gives the same bytes. Keys are taken from the environment and never stored.
    """
    from planbench_xl.construct import Knobs, Recipe, load_domain, packaged_domains
    from planbench_xl.construct.reading import EXAMPLE

    if example:
        click.echo(EXAMPLE.read_text(encoding="utf-8"), nl=False)
        return
    if from_openapi or from_mcp:
        if domain is not None:
            raise click.UsageError("A draft is made from the catalogue alone. Leave DOMAIN out.")
        ctx.exit(0 if write_draft(from_openapi, from_mcp, out, tags, paths, force, as_json) else 1)
    if domain is None:
        raise click.UsageError(f"Missing DOMAIN: a domain file, or one of {', '.join(packaged_domains())}.")
    parsed, digest = load_domain(domain)
    if check:
        _print_check(parsed.name, len(parsed.entity), len(parsed.fields), as_json)
        return
    given = {name: value for name, value in knobs.items() if value is not None}
    recipe = Recipe(parsed.name, digest, seed, writer, Knobs(**given), filter=judge)
    if dry_run:
        _print_estimate(parsed, recipe, as_json)
        return
    folder = _folder(out)
    started = time.monotonic()
    world, asked = _make(parsed, recipe, folder, cache, keep_stages, workers, engine)
    seconds = time.monotonic() - started
    report = None if no_audit else _audit(world)
    if as_json:
        print_json({**_facts(world, recipe, folder, seconds, report), "models": asked})
    else:
        _print(world, recipe, folder, seconds, report, asked)
    ctx.exit(1 if report and report.at_least(_level("error")) else 0)


def _make(
    domain: Domain,
    recipe: Recipe,
    folder: Path,
    cache: Path | None,
    keep_stages: bool,
    workers: int,
    engine: EngineName,
) -> tuple[World, list[Part]]:
    """Build a world into a folder; return it with what models were asked."""
    from planbench_xl.construct import build_world
    from planbench_xl.construct.models import Models
    from planbench_xl.world import save_world

    stages = folder / "stages"
    models = Models(recipe, cache or stages, _find_model)
    with Steps() as steps:
        world = build_world(
            domain,
            recipe,
            stages=stages,
            report=steps,
            model_filter=models.filter,
            model_writer=models.writer,
            workers=workers,
            engine=engine,
        )
    save_world(world, folder)
    asked = models.report()
    # What a model said was paid for, and what was refused is worth a look.
    if not keep_stages and not asked:
        rmtree(stages)
    return world, asked


def _find_model(name: str) -> Completer:
    from planbench_xl.harness.completion import InspectCompleter

    return InspectCompleter(name)


def _print_estimate(domain: Domain, recipe: Recipe, as_json: bool) -> None:
    from planbench_xl.construct.models import estimate, named

    if not list(named(recipe)):
        raise click.UsageError("--dry-run counts the calls of models. Name one with --writer or --filter.")
    with Steps() as steps:
        found = estimate(domain, recipe, steps)
    if as_json:
        print_json(found)
        return
    for entry in found:
        click.echo(str(entry))
    click.echo(f"Refused texts are asked for again, {found[0].attempts} times in all at most.")


def _folder(out: Path | None) -> Path:
    """Return the folder to write to: a new one, an empty one, or one that this command wrote before."""
    if out is None:
        raise click.UsageError("Missing option '--out': name a folder for the world.")
    if out.exists() and not out.is_dir():
        raise click.UsageError(f"'{out}' is a file. Name a folder.")
    if out.is_dir() and any(out.iterdir()) and not (out / "stages").exists() and not _was_built(out):
        raise click.UsageError(f"'{out}' holds something that wasn't built here. Name another folder.")
    return out


def _was_built(folder: Path) -> bool:
    from planbench_xl.errors import WorldError
    from planbench_xl.world.storage import read_manifest

    try:
        return read_manifest(folder).recipe is not None
    except WorldError:
        return False


def _audit(world: World) -> AuditReport:
    from planbench_xl.audit import audit

    with Steps() as steps:
        return audit(world, steps)


def _level(name: str) -> Any:
    from planbench_xl.audit import Level

    return Level(name)


def _facts(world: World, recipe: Recipe, folder: Path, seconds: float, report: AuditReport | None) -> dict[str, Any]:
    from planbench_xl.runs.worlds import describe

    found = None
    if report is not None:
        found = {finding.id: {"level": finding.level.value, "count": finding.count} for finding in report.findings}
    return {
        "folder": str(folder),
        "seconds": round(seconds, 2),
        "recipe": recipe,
        "notes": _notes(world, recipe),
        "world": describe(world),
        "audit": found,
    }


def _notes(world: World, recipe: Recipe) -> list[str]:
    """Say where the world differs from what was asked for."""
    knobs = recipe.knobs
    tasks = sum(knobs.tasks().lengths.values())
    notes = []
    if len(world.executable) < knobs.tools:
        notes.append(
            f"{len(world.executable)} executable tools, not {knobs.tools}: the domain allows no more look-ups."
        )
    if len(world.executable) > knobs.tools:
        notes.append(
            f"{len(world.executable)} executable tools, not {knobs.tools}: the links and fields alone need them."
        )
    if len(world.tasks) < tasks:
        notes.append(
            f"{len(world.tasks)} tasks, not {tasks}: the domain has no more of that length with at most "
            f"{knobs.most_paths} paths and answers of their own."
        )
    several = sum(len(task.inputs) > 1 for task in world.tasks) / max(1, len(world.tasks))
    if abs(several - knobs.several_inputs) > SHARE_TOLERANCE:
        notes.append(
            f"{several:.0%} of the tasks have several inputs, not {knobs.several_inputs:.0%}: of the other kind the "
            "domain has too few."
        )
    return notes


def _print(
    world: World, recipe: Recipe, folder: Path, seconds: float, report: AuditReport | None, asked: Sequence[Part]
) -> None:
    from planbench_xl.report.counting import counted
    from planbench_xl.runs.worlds import describe

    facts = describe(world)
    lengths = ", ".join(f"{length}: {count}" for length, count in facts["tasks_by_shortest_length"].items())
    click.echo(f"{folder}: world '{world.name}', fingerprint {world.fingerprint[:12]}…, built in {seconds:.1f} s.")
    click.echo(
        f"{facts['datatypes']} datatypes, {counted(len(world.executable), 'executable tool')} of {facts['tools']}, "
        f"{counted(facts['records'], 'record')}, {counted(facts['tasks'], 'task')}, "
        f"{counted(facts['queries'], 'query')}, {counted(facts['listed_paths'], 'solution path')}."
    )
    click.echo(f"Tasks by L*: {lengths}.")
    for part in asked:
        click.echo(str(part))
    if any(part.tally.rejected for part in asked):
        click.echo(f"What was refused and why: {folder / 'stages' / 'rejections.jsonl'}.")
    for note in _notes(world, recipe):
        click.echo(f"Note: {note}")
    if report is None:
        return
    for level in ("error", "warning"):
        for finding in report.findings:
            if finding.level.value == level:
                click.echo(f"Audit, {level}: {finding.title.lower()}: {finding.count}. {finding.example}")
    if not report.at_least(_level("warning")):
        click.echo(f"Audit: clean ({counted(len(report.passed), 'check')} passed).")


def _print_check(name: str, entities: int, fields: int, as_json: bool) -> None:
    from planbench_xl.report.counting import counted

    if as_json:
        print_json({"valid": True, "domain": name, "entities": entities, "datatypes": fields})
    else:
        click.echo(f"Domain '{name}': {counted(entities, 'entity')}, {counted(fields, 'datatype')}, no faults.")
