"""`planbench-xl agents`."""

from __future__ import annotations

import click

from planbench_xl.cli.common import examples, json_option, print_json


@click.command(
    epilog=examples(
        "planbench-xl agents",
        "planbench-xl run --agent mypackage.agents:make",
    )
)
@json_option
def agents(as_json: bool) -> None:
    """List the agents: the built-in ones and those that installed packages register.

    An agent that has no name is given as package.module:factory; the factory takes the environment.
    """
    from planbench_xl.agents import available_agents

    found = available_agents()
    if as_json:
        print_json([{"name": name, "description": text} for name, text in found.items()])
        return
    width = max(map(len, found))
    for name, text in found.items():
        click.echo(f"{name:<{width}}  {text}")
