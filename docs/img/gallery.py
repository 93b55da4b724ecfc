"""Make the pictures of `gallery.md`: `python docs/img/gallery.py [FOLDER]` writes `page-*.png` beside this file.

Scripted agents play 60 queries of each world that is shipped, without and with block, and Chromium is shown the pages
made from them. With FOLDER, runs and pages are kept there, and used again. Needs playwright and Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from planbench_xl.report.page import write_page
from planbench_xl.runs.loading import find_runs
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.run import run, sample_queries
from planbench_xl.world import load_world

AGENTS = ("backward", "explorer", "oracle", "random")
SETTINGS = ("default", "one-path")
WORLDS = ("retail", "hospital")
QUERIES = 60
SEED = 42
WORKERS = 2

DESK = {"width": 1400, "height": 840}
PHONE = {"width": 390, "height": 1000}
BLOCKED = "#/episode/backward-one-path/retail_query_112/0?turn=32"

PICTURES: dict[str, tuple[str, str, dict[str, int], str]] = {
    "overview": ("retail", "#/", DESK | {"height": 1210}, "light"),
    "run": ("retail", "#/run/backward-one-path", DESK, "light"),
    "episode": ("retail", BLOCKED, DESK, "light"),
    "beside": (
        "retail",
        "#/episode/explorer-one-path/retail_query_112/0?turn=17&with=explorer-default",
        DESK,
        "light",
    ),
    "dark": ("retail", "#/episode/explorer-one-path/retail_query_126/0?turn=15", DESK, "dark"),
    "phone": ("retail", "#/episode/explorer-one-path/retail_query_112/0?turn=14", PHONE, "light"),
    "hospital": ("hospital", "#/", DESK, "light"),
}
"""World, address, size and scheme of each picture."""


def main() -> None:
    """Play, make the pages, and take the pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch)
        for world in WORLDS:
            make(world, folder / world)
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for name, (world, address, size, scheme) in PICTURES.items():
                page = browser.new_page(viewport=size, color_scheme=scheme)
                take(page, (folder / world / "page" / "index.html").resolve().as_uri() + address, name)
                page.close()
            browser.close()


def make(world: str, folder: Path) -> None:
    """Play a world and write the page of all runs."""
    if (folder / "page" / "index.html").is_file():
        return
    queries = sample_queries([query.query_id for query in load_world(world).queries], QUERIES, SEED)
    for agent in AGENTS:
        for setting in SETTINGS:
            target = folder / "runs" / f"{agent}-{setting}"
            run(world, target, agent=agent, setting=load_setting(setting), queries=queries, workers=WORKERS)
    write_page(find_runs([folder / "runs"]), folder / "page", workers=WORKERS)


def take(page: Any, address: str, name: str) -> None:
    """Write a picture of a page."""
    page.goto(address)
    page.wait_for_selector("main table, svg.graph")
    page.wait_for_timeout(500)
    page.screenshot(path=Path(__file__).with_name(f"page-{name}.png"))


if __name__ == "__main__":
    main()
