"""`planbench-xl serve`."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from planbench_xl.cli.common import SuggestingGroup, examples, json_option, make_request, print_json, request_options

if TYPE_CHECKING:
    from planbench_xl.integrations.mcp.desk import Desk

INSTALL = "Serving MCP needs its SDK. Run: pip install 'planbench-xl[mcp]'"
EPISODES = {
    "world", "out", "limit", "sample", "queries", "split", "shard", "seed", "epochs", "max_turns", "planner",
    "tool_ids", "prompts", "overrides",
}  # fmt: skip
"""Options of a run that say which episodes there are; the others make no sense where clients play."""


def _run_options() -> set[str]:
    @request_options
    def probe() -> None: ...

    return {param.name for param in click.command()(probe).params if param.name}


@click.group(cls=SuggestingGroup, epilog=examples("planbench-xl serve mcp --world retail --out runs/mine"))
def serve() -> None:
    """Serve episodes to agents of any make."""


@serve.command(
    epilog=examples(
        "planbench-xl serve mcp --out runs/mine",
        "planbench-xl serve mcp --out runs/mine --session retail_query_007 --dynamic",
        "planbench-xl serve mcp --out runs/mine --transport http --setting one-path --limit 50",
    )
)
@click.option("--setting", default="default", show_default=True, help="The setting; see `planbench-xl settings`.")
@request_options
@click.option("--agent-name", default="mcp", show_default=True, metavar="NAME", help="What the run calls the agent.")
@click.option("--dynamic", is_flag=True, help="Tools that were found become MCP tools; else `call_tool` calls them.")
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="One session over standard input and output, or many over streamable HTTP.",
)
@click.option("--session", metavar="NAME", help="Name of the session (stdio). [default: the unfinished or a new one]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at (http).")
@click.option("--port", type=click.IntRange(0, 65535), default=8321, show_default=True, help="Port; 0: any (http).")
@click.option("--allow-host", multiple=True, metavar="NAME", help="Name by which clients call this machine (http).")
@click.option("--restart", is_flag=True, help="Give up unfinished episodes: their queries are handed out anew.")
@json_option
def mcp(
    setting: str, agent_name: str, dynamic: bool, transport: str, restart: bool, as_json: bool, **options: Any
) -> None:
    """Serve episodes over the Model Context Protocol: one session is one episode.

    A session named as a query plays that query, any other the next that is missing in the folder. The same name leads
    back to the same episode, also after a restart. With --transport http, the session NAME is at /mcp/NAME; whoever
    is let in from other machines needs the bearer token that the variable PLANBENCH_XL_TOKEN holds.
    """
    from planbench_xl.errors import UsageError

    if find_spec("mcp") is None:
        raise UsageError(INSTALL)
    from planbench_xl.integrations.mcp.desk import open_desk

    own = {name: options.pop(name) for name in ("session", "host", "port", "allow_host")}
    if transport == "http":
        # Before anything is written.
        _check_address(own["host"])
    request = make_request({**options, "agent": agent_name})
    with open_desk(request, setting, dynamic=dynamic, restart=restart) as desk:
        if transport == "stdio":
            from planbench_xl.integrations.mcp.stdio import serve_stdio

            serve_stdio(desk, desk.unnamed() if own["session"] is None else own["session"])
        else:
            _serve_http(desk, as_json, **own)
        click.echo(desk.status(), err=True)


mcp.params = [param for param in mcp.params if param.name in EPISODES or param.name not in _run_options()]


def _check_address(host: str) -> None:
    from planbench_xl.integrations.mcp.http import TOKEN, check_address

    check_address(host, os.environ.get(TOKEN, ""))


def _serve_http(
    desk: Desk, as_json: bool, session: str | None, host: str, port: int, allow_host: tuple[str, ...]
) -> None:
    from planbench_xl.integrations.mcp.http import TOKEN, serve_http

    def ready(address: str) -> None:
        if as_json:
            print_json({"address": address, "folder": str(desk.folder)})
        click.echo(f"{desk.status()} Sessions are at {address}NAME; Ctrl-C ends the server.", err=True)

    serve_http(desk, host, port, token=os.environ.get(TOKEN, ""), hosts=allow_host, ready=ready)
