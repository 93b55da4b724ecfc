"""`planbench-xl blocks`."""

from __future__ import annotations

from typing import Any

import click

from planbench_xl.cli.common import ENGINE_OPTION, WORLD_OPTION, SuggestingGroup, examples, json_option, print_json


@click.group(
    cls=SuggestingGroup,
    invoke_without_command=True,
    epilog=examples(
        "planbench-xl blocks --world mini --setting one-path",
        "planbench-xl blocks --world ../shared/release --setting disabled-0.4 --json > plans.json",
        "planbench-xl blocks --setting one-path --set blocking.aim=raise_shortest --set blocking.raise_shortest=2",
        "planbench-xl blocks check plans.json --world ../shared/release",
    ),
)
@click.option("--world", "world_name", **WORLD_OPTION)
@click.option("--setting", default="one-path", show_default=True, help="The setting; see `planbench-xl settings`.")
@click.option("--planner", metavar="NAME", help="Planner of blocked tools: exact, or reference as the release.")
@click.option("--seed", type=int, metavar="N", help="Seed of the plans. [default: 42]")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; may be given several times.")
@click.option("--set", "overrides", multiple=True, metavar="FIELD=VALUE", help="Change a field of the setting.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Number of processes.")
@click.option("--engine", **ENGINE_OPTION)
@json_option
@click.pass_context
def blocks(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Show which tools a setting blocks for each task, with the certificate of each plan.

    The exact planner's certificates can be verified: `planbench-xl blocks check FILE --world W`.
    """
    if ctx.invoked_subcommand is not None:
        return
    from planbench_xl.runs.plans import describe_plan, make_plans, summarise_plans

    plans = make_plans(**options)
    if as_json:
        print_json(plans)
        return
    for plan in plans:
        click.echo(describe_plan(plan))
    click.echo(summarise_plans(plans))


@blocks.command(epilog=examples("planbench-xl blocks check plans.json --world ../shared/release"))
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--world", "world_name", **WORLD_OPTION)
@json_option
@click.pass_context
def check(ctx: click.Context, file: str, world_name: str, as_json: bool) -> None:
    """Verify the certificates of plans from the world alone.

    FILE holds what `planbench-xl blocks --json` prints. Exit status 1 if any claim is false.
    """
    from planbench_xl.report.counting import counted
    from planbench_xl.runs.plans import check_plans

    problems, count = check_plans(file, world_name)
    if as_json:
        print_json({"plans": count, "problems": problems})
    else:
        for task_id, found in problems.items():
            for problem in found:
                click.echo(f"{task_id}: {problem}")
        click.echo(f"{counted(count, 'plan')}, {len(problems)} with false claims.")
    ctx.exit(1 if problems else 0)
