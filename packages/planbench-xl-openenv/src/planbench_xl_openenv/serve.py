"""`planbench-xl-openenv`: the server."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click
import uvicorn
from openenv.core.env_server.http_server import create_app

from planbench_xl.errors import PlanBenchError
from planbench_xl.runs.presets import check_setting, load_setting
from planbench_xl.runs.run import split_queries
from planbench_xl.runs.worlds import open_world
from planbench_xl_openenv.environment import Game, PlanBenchEnvironment
from planbench_xl_openenv.keeping import RunKeeper
from planbench_xl_openenv.models import PlanBenchAction, PlanBenchObservation


@click.command(
    epilog="\b\nExamples:\n  planbench-xl-openenv --world retail --split dev --port 8000\n"
    "  planbench-xl-openenv --world mini --setting one-path --out runs/served"
)
@click.option("--world", default="retail", show_default=True, help="A packaged world, or the folder of one.")
@click.option("--setting", default="default", show_default=True, help="The setting; see `planbench-xl settings`.")
@click.option("--split", help="Only the queries of a split: dev for training, test for reports.")
@click.option("--set", "overrides", multiple=True, metavar="FIELD=VALUE", help="Change a field of the setting.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Run folder to keep the episodes in.")
@click.option("--agent-name", default="openenv", show_default=True, help="What the run folder calls the agent.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port; 0: any.")
@click.option("--max-clients", type=click.IntRange(min=1), default=64, show_default=True, help="Clients at a time.")
def main(
    world: str,
    setting: str,
    split: str | None,
    overrides: tuple[str, ...],
    out: Path | None,
    agent_name: str,
    host: str,
    port: int,
    max_clients: int,
) -> None:
    """Serve the queries of a world to OpenEnv clients, each in a session of its own.

    Nothing protects the server: whoever reaches its address can play. It listens on this machine only, unless you
    give another --host.
    """
    try:
        with ExitStack() as stack:
            game = make_game(world, setting, split, overrides)
            if out is not None:
                game.keep = stack.enter_context(RunKeeper(out, game, world, agent_name)).keep
            app = create_app(
                lambda: PlanBenchEnvironment(game),
                PlanBenchAction,
                PlanBenchObservation,
                env_name="planbench-xl",
                max_concurrent_envs=max_clients,
            )
            uvicorn.run(app, host=host, port=port)
    except PlanBenchError as error:
        raise click.ClickException(str(error)) from None


def make_game(world: str, setting: str, split: str | None, overrides: tuple[str, ...] = ()) -> Game:
    """Return what is to be played.

    Raises:
        PlanBenchError: World, split or setting is unknown or faulty.
    """
    loaded, rules = open_world(world), load_setting(setting, overrides)
    check_setting(rules)
    return Game(loaded, rules, split_queries(loaded, split))
