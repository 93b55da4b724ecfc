"""`planbench-xl view`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from planbench_xl.cli.common import examples, json_option, print_json

WORKERS = 2


@click.command(
    epilog=examples(
        "planbench-xl view runs/mini-explorer-default",
        "planbench-xl view runs/a runs/b              two runs, to be compared episode by episode",
        "planbench-xl view report                     the page of a report that was written before",
        "planbench-xl view runs/a --port 8000 --no-browser",
    )
)
@click.argument("folders", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--world", metavar="WORLD", help="World they were played on. [default: the one the run names]")
@click.option(
    "--judge", type=click.Choice(["contains", "exact"]), help="Judge all answers anew. [default: the run's own judge]"
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port. [default: any that is free]")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on.")
@click.option("--allow-remote", is_flag=True, help="Allow an address that other machines can reach.")
@click.option("--no-browser", is_flag=True, help="Don't open a browser.")
@json_option
def view(
    folders: tuple[Path, ...],
    world: str | None,
    judge: str | None,
    port: int,
    host: str,
    allow_remote: bool,
    no_browser: bool,
    as_json: bool,
) -> None:
    """Look into runs in a browser: figures, failure classes, and every episode turn by turn.

    RUN is a run folder, a folder of several, an output folder of the published release, a log of Inspect, or a folder
    that `planbench-xl report` wrote. The page is served to this machine only, until Ctrl-C.
    """
    from tempfile import TemporaryDirectory

    from planbench_xl.report.counting import counted
    from planbench_xl.report.page import is_page, write_page
    from planbench_xl.report.page.serving import PageServer
    from planbench_xl.runs.loading import find_runs

    with ExitStack() as stack:
        if len(folders) == 1 and is_page(folders[0]):
            folder = folders[0]
        else:
            sources = find_runs(folders, world)
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="planbench-xl-")))
            click.echo(f"Reading {counted(len(sources), 'run')} …", err=True)
            write_page(sources, folder, judge=judge, workers=WORKERS)
        server = stack.enter_context(PageServer(folder, host, port, anywhere=allow_remote))
        if as_json:
            print_json({"url": server.url})
        else:
            click.echo(f"{server.url}  (Ctrl-C ends it)")
        if not no_browser:
            click.launch(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
