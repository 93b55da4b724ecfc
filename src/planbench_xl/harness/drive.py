"""Evaluates a model and keeps it in a run folder: asks Inspect AI for the episodes that are missing."""

from __future__ import annotations

import contextlib
import gc
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model

from planbench_xl.environment import Setting
from planbench_xl.episodes.store import EpisodeWriter, Key
from planbench_xl.errors import PlanBenchError, UsageError
from planbench_xl.harness.keeper import Keeper
from planbench_xl.harness.own_solver import load_solver
from planbench_xl.harness.play import Game
from planbench_xl.harness.price import Price, known_price
from planbench_xl.harness.provider import clean
from planbench_xl.harness.tasks import generate_config, make_task
from planbench_xl.protocols.chat import ChatProtocol
from planbench_xl.runs.manifest import Manifest, ModelChoice
from planbench_xl.runs.presets import check_setting
from planbench_xl.runs.run import Progress, ProgressCallback, RunResult, begin, known_queries, new_manifest
from planbench_xl.world import World

LOGS = "logs"

BATCH = 500
"""Episodes of one log of Inspect's, at least: it holds the samples of a log in memory to its end."""

WAVES = 8
"""With many connections a batch is so many times their number: at its end, most of them have nothing to do."""

COLLECT = (10_000, 5, 1)
"""When Python looks for reference cycles, in place of its usual (700, 10, 10): among the newest objects a fourteenth as
often, and among all about as often, so that no more of them wait to be found."""

ATTEMPTS = 3
"""A call that hangs is tried anew so often within its time."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """On what terms a model is asked: what can be changed from one start of a run to the next.

    Attributes:
        base_url: Address of the provider, if it isn't the usual one.
        max_connections: Number of calls at a time; None to let Inspect find out what the provider takes.
        max_cost: Dollars that the run folder may cost.
        price: Price of the model, in place of what Inspect knows of it.
        token_limit: Number of tokens that ends an episode.
        time_limit: Seconds that end an episode.
        timeout: Seconds that end a call, with all its repetitions.
        cache: Use Inspect's cache of replies.
        display: How Inspect shows the evaluation.
    """

    base_url: str | None = None
    max_connections: int | None = None
    max_cost: float | None = None
    price: Price | None = None
    token_limit: int | None = None
    time_limit: float | None = 3600.0
    timeout: int = 600
    cache: bool = False
    display: str = "none"

    @property
    def attempt_timeout(self) -> int:
        """Seconds after which one attempt of a call is given up, to try it anew within the time of the call."""
        return max(1, self.timeout // ATTEMPTS)


def evaluate(
    world: World,
    out: str | Path,
    choice: ModelChoice,
    protocol: Callable[[], ChatProtocol],
    *,
    terms: Terms | None = None,
    setting: Setting | None = None,
    queries: Iterable[str] | None = None,
    epochs: int = 1,
    prompts: str = "",
    retry_errors: bool = False,
    source: str | None = None,
    progress: ProgressCallback | None = None,
) -> RunResult:
    """Evaluate a model: play every episode that is asked for and not yet in the run folder.

    Args:
        world: The world.
        out: The run folder.
        choice: The model and how it is asked.
        protocol: Makes the protocol of an episode.
        terms: On what terms it is asked.
        setting: The setting; `default` if none is given.
        queries: Identifiers of the queries; all of the world's if none are given.
        epochs: Number of repetitions of each query.
        prompts: Folder of the user's own prompts, for the record.
        retry_errors: Go on with the episodes that ended with an infrastructure error.
        source: Where the world came from, if it is given as such.
        progress: Called at the start and whenever an episode has been stored.

    Raises:
        StoreError: The folder can't be written, or holds a run that differs.
        UsageError: The model can't be made, or a choice makes no sense.
        CostReached: The run has cost what it may; it can be continued.
    """
    setting, terms = setting or Setting(), terms or Terms()
    check_setting(setting)
    if epochs < 1:
        raise UsageError(f"The number of epochs is {epochs}; it must be at least 1.")
    model = open_model(choice, terms)
    manifest = new_manifest(
        world,
        source,
        agent=choice.name,
        agent_seed=0,
        model=choice,
        setting=setting,
        protocol=protocol().name,
        prompts=prompts,
        queries=known_queries(world, queries),
        epochs=epochs,
    )
    with EpisodeWriter(out) as writer:
        whole, stored = begin(writer, manifest, tuple(world.query), retry_errors)
        missing = [key for key in manifest.keys if key not in stored]
        present = [stored[key].status for key in manifest.keys if key in stored]
        state = Progress(len(manifest.keys), len(present), dict(Counter(present)))
        keeper = Keeper(writer, state, progress, terms.max_cost)
        if progress is not None:
            progress(state)
        game = game_of(whole, world, protocol, keeper, terms)
        for batch in _batches(missing, terms):
            with seldom_collected():
                _evaluate(model, game, whole, batch, terms, writer.folder)
            if keeper.stopped is not None:
                raise keeper.stopped
        if state.played < len(missing):
            lost = len(missing) - state.played
            raise PlanBenchError(
                f"{lost} episodes were not played; see why in {writer.folder / LOGS}, and run it again."
            )
    return RunResult(writer.folder, whole, world, state)


def _batches(missing: list[Key], terms: Terms) -> list[list[Key]]:
    size = max(BATCH, WAVES * (terms.max_connections or 0))
    return [missing[start : start + size] for start in range(0, len(missing), size)]


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Let Python look for reference cycles less often, and look once more at the end.

    The world and the messages of all episodes under way are so many objects, and every call makes so many more, that
    looking takes an eighth of the processor's time otherwise; what is there already isn't looked at. The log of a batch
    holds cycles, so it would stay in memory while the next one is made.
    """
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(*COLLECT)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
        if before[0]:
            gc.collect()


def game_of(
    manifest: Manifest, world: World, protocol: Callable[[], ChatProtocol], keeper: Keeper, terms: Terms
) -> Game:
    """Return what the episodes of a run share."""
    assert manifest.model is not None
    return Game(
        world,
        manifest.setting,
        protocol,
        lambda state: keeper,
        token_limit=terms.token_limit,
        time_limit=terms.time_limit,
        seed=manifest.model.seed,
        cache=terms.cache,
        price=terms.price,
        own_solver=load_solver(manifest.model.solver) if manifest.model.solver else None,
    )


def _evaluate(model: Model, game: Game, manifest: Manifest, missing: list[Key], terms: Terms, folder: Path) -> None:
    """Let Inspect play episodes.

    Raises:
        KeyboardInterrupt: It was interrupted.
        PlanBenchError: It failed as a whole.
    """
    assert manifest.model is not None
    config = generate_config(
        manifest.model,
        timeout=terms.timeout,
        attempt_timeout=terms.attempt_timeout,
        max_connections=terms.max_connections,
    )
    task = make_task(game, manifest.world_source, missing, repeated=manifest.epochs > 1, config=config)
    arguments: dict[str, Any] = {"display": terms.display, "log_dir": str(folder / LOGS), "log_level": "error"}
    if terms.max_connections is not None:
        arguments["max_samples"] = terms.max_connections
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logs: list[EvalLog] = inspect_eval(task, model=model, log_realtime=False, ctl_server=False, **arguments)
    for log in logs:
        if log.status == "cancelled":
            raise KeyboardInterrupt
        if log.status == "error":
            detail = clean(log.error.message) if log.error else "no detail given"
            raise PlanBenchError(f"Inspect AI ended the evaluation: {detail}. What was played is stored.")


def open_model(choice: ModelChoice, terms: Terms) -> Model:
    """Return the model.

    Raises:
        UsageError: It can't be made, or its price is unknown although there is a cost cap.
    """
    arguments: dict[str, Any] = dict(choice.arguments)
    try:
        # A provider may need a key that is missing: that ends a program in place of raising an exception.
        model = get_model(choice.name, base_url=terms.base_url, memoize=False, **arguments)
    except (Exception, SystemExit) as error:
        reason = clean(re.sub(r"\[/?[a-z]+\]", "", str(error))) or type(error).__name__
        raise UsageError(f"Model '{choice.name}' can't be used: {reason}") from None
    if terms.max_cost is not None and terms.price is None and known_price(model) is None:
        raise UsageError(
            f"--max-cost needs a price, and that of '{choice.name}' is unknown. Give it as --price IN,OUT: dollars per "
            "million tokens read and written."
        )
    return model
