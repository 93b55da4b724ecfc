"""Measures the report page at full size: 20 models × 13 settings × 500 episodes.

    python benchmarks/bench_page.py [--models 20] [--settings 13] [--world retail] [--keep FOLDER]

The explorer agent plays every query of the world once, in two settings; its episodes then stand for those of all models
and settings. Measured are the writing, the folder, and the time that Chromium takes to open the page and an episode
from disk. Wall-clock figures need an idle machine; the processor time beside them says how busy it was.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import msgspec

from planbench_xl.analysis import EpisodeAnalysis, analyse_episodes
from planbench_xl.metrics import RunScore, score_run
from planbench_xl.report.page import PageWriter
from planbench_xl.runs.loading import LoadedRun, find_runs, load_run
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.run import run

Played = tuple[LoadedRun, RunScore, list[EpisodeAnalysis]]

ARGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]

OPENINGS = 5


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--settings", type=int, default=13)
    parser.add_argument("--world", default="retail")
    parser.add_argument("--keep", type=Path, help="write the page here and keep it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        played = [play(options.world, Path(scratch) / name, name) for name in ("default", "one-path")]
        folder = options.keep or Path(scratch) / "page"
        write(played, folder, options.models, options.settings)
        open_it(folder)


def play(world: str, folder: Path, setting: str) -> Played:
    """Return a run of the explorer agent, scored and analysed."""
    run(world, folder, setting=load_setting(setting))
    (source,) = find_runs([folder])
    loaded = load_run(source)
    analyses = list(analyse_episodes(loaded.world, loaded.episodes))
    return loaded, score_run(loaded.world, loaded.episodes, expected=loaded.expected), analyses


def write(played: list[Played], folder: Path, models: int, settings: int) -> None:
    """Write the page, and print how long it took and how large it is."""
    wall, cpu = time.perf_counter(), time.process_time()
    page = PageWriter(folder)
    names = {}
    episodes = turns = 0
    for model in range(models):
        for setting in range(settings):
            loaded, score, analyses = played[setting % len(played)]
            label = f"model-{model:02}-setting-{setting:02}"
            names[label] = f"model-{model:02}"
            copy = msgspec.structs.replace(loaded, label=label, setting=f"setting-{setting:02}")
            page.add(copy, score, analyses)
            episodes += len(copy.episodes)
            turns += sum(len(episode.turns) for episode in copy.episodes)
    page.finish(names)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    chunk = max(path.stat().st_size for path in (folder / "data" / "runs").glob("*/*.js"))
    overview = (folder / "data" / "overview.js").stat().st_size
    print(f"{episodes:,} episodes, {turns / episodes:.1f} turns each, in {len(names)} runs")
    print(f"written in               {wall:6.1f} s ({cpu:.1f} s of processor time, one process)")
    print(f"of that per episode      {cpu / episodes * 1e3:6.2f} ms of processor time")
    print(f"folder                   {size / 1e6:6.0f} MB in {len(files):,} files")
    print(f"overview, largest chunk  {overview / 1e3:6.0f} kB, {chunk / 1e3:.0f} kB")


def open_it(folder: Path) -> None:
    """Print the time to open the page, a run and an episode; the best of several."""
    from playwright.sync_api import sync_playwright

    index = (folder / "index.html").resolve().as_uri()
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=ARGS)
        run_address = "#/run/model-07-setting-03"
        for name, address, selector, aim in (
            ("overview and its table", "#/", "main table tbody tr", " (aim < 2 s)"),
            ("run and its 500 rows", run_address, "main table tbody tr", ""),
            ("episode and its graph", "#/episode/model-07-setting-03/{query}/0?turn=5", "svg.graph", ""),
        ):
            times = []
            for _ in range(OPENINGS):
                page = browser.new_page()
                query = "retail_query_004"
                started_at = time.perf_counter()
                page.goto(index + address.format(query=query))
                page.wait_for_selector(selector)
                times.append(time.perf_counter() - started_at)
                page.close()
            print(f"{name:<24} {min(times):6.2f} s best, {max(times):.2f} s worst of {OPENINGS}{aim}")
        browser.close()


if __name__ == "__main__":
    main()
