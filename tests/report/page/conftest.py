"""Pages of scripted agents on the packaged mini world, and one of an episode that a hostile model wrote."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.analysis import analyse_episodes
from planbench_xl.environment import Environment, answer, call, retrieve
from planbench_xl.episodes.record import Answer, Episode, Reason, Status, Turn, TurnError
from planbench_xl.metrics import Figure, score_run
from planbench_xl.report.page import PageWriter
from planbench_xl.runs.loading import LoadedRun, find_runs, load_run
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.run import run
from planbench_xl.world import World

HOSTILE = (
    "</script><script>window.pwned = 1</script>"
    "<img src=x onerror='window.pwned = 2'><!--<svg onload=window.pwned=3>"
    "\u202e\u2066\u200b\u2028\u2029\x00\ufeff\U000e0041"
    "\"\\u003c\\'`${window.pwned = 4}` javascript:window.pwned=5 &lt;b&gt;"
)
"""What would do harm where text isn't kept text: in a script, in markup, in an attribute, to the eye."""

HUGE = 300_000

ARGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def add(page: PageWriter, loaded: LoadedRun) -> None:
    """Add a run to a page, with an interval for its accuracy."""
    score = score_run(loaded.world, loaded.episodes, expected=loaded.expected)
    accuracy = score.metrics["accuracy"].value
    assert accuracy is not None
    figure = Figure(accuracy, max(0, accuracy - 0.1), min(1, accuracy + 0.1), "wilson")
    score = msgspec.structs.replace(score, metrics={**score.metrics, "accuracy": figure})
    page.add(loaded, score, analyse_episodes(loaded.world, loaded.episodes))


def hostile_episodes(mini: World) -> tuple[Episode, ...]:
    """Return episodes of query 06 in which everything that a model can write is hostile, and one that is huge."""
    request = {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE, "__proto__": {"polluted": True}, "big": 2**70}}
    turns = (
        Turn(action="invalid", raw=HOSTILE, error=TurnError.LABEL),
        Turn(action="retrieve", raw=HOSTILE, request={HOSTILE: HOSTILE}, error=TurnError.RETRIEVAL_SEMANTIC),
        Turn(action="call", raw=HOSTILE, request=request, error=TurnError.UNDISCOVERED),
        Turn(action="call", raw="x" * HUGE, error=TurnError.CALL_JSON),
        Turn(action="answer", raw=HOSTILE, answer=Answer(text=HOSTILE, correct=False, reached=False)),
    )
    fields: dict[str, Any] = {
        "query_id": "library_query_06",
        "task_id": "library_task_04",
        "world": mini.fingerprint,
        "setting": "default",
        "protocol": "text/1",
        "judge": "contains",
        "package": "0",
    }
    failed = Episode(**fields, status=Status.FAILURE, reason=Reason.NOT_GROUNDED, turns=turns)
    broken = Episode(**fields, epoch=1, status=Status.ERROR, cause=f"time_out: {HOSTILE}")
    return failed, broken


def hostile_run(mini: World) -> LoadedRun:
    """Return a run whose names are hostile, too."""
    return LoadedRun(
        label=HOSTILE,
        agent=HOSTILE,
        setting=HOSTILE,
        protocol="text/1",
        world=mini,
        episodes=hostile_episodes(mini),
        expected=3,
    )


def called_too_early(mini: World) -> LoadedRun:
    """Return a run of one episode that walks off: a distractor, a call without its input, and a wrong answer."""
    environment = Environment(mini, load_setting("default"))
    query = mini.query["library_query_06"]
    environment.reset(query.query_id)
    target = mini.datatype[mini.task[query.task_id].targets[0]]
    environment.step(retrieve(output=target.aliases[0]))
    shown = environment.turns[0].tools
    assert shown
    for name in shown[:2]:
        environment.step(call(name, {argument.name: "1" for argument in mini.tool[name].arguments}))
    environment.step(answer("no idea"))
    episode = Episode(
        query_id=query.query_id,
        task_id=query.task_id,
        world=mini.fingerprint,
        setting="default",
        protocol="text/1",
        judge="contains",
        package="0",
        status=Status.FAILURE,
        reason=environment.reason,
        turns=tuple(environment.turns),
    )
    return LoadedRun(
        label="stray", agent="stray", setting="default", protocol="text/1", world=mini, episodes=(episode,), expected=1
    )


@pytest.fixture(scope="session")
def folder(mini: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of four scripted runs, one that strays, and the hostile one."""
    runs = tmp_path_factory.mktemp("runs")
    for agent in ("oracle", "random"):
        for setting in ("default", "one-path"):
            run(mini, runs / f"{agent}-{setting}", agent=agent, setting=load_setting(setting))
    loaded = [load_run(source) for source in find_runs([runs])]
    loaded += [called_too_early(mini), hostile_run(mini)]
    page = PageWriter(tmp_path_factory.mktemp("page"))
    for one in loaded:
        add(page, one)
    return page.finish({one.label: one.agent for one in loaded}).parent


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium. It ends with its module: while it is there, no other event loop can run."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium: install the package `chromium`")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=ARGS)
        yield browser
        browser.close()
