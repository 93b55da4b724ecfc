"""Turns what a user asks for of a model into an evaluation, or into an estimate of one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from planbench_xl.environment import Setting
from planbench_xl.errors import UsageError
from planbench_xl.harness.drive import Terms, evaluate, open_model
from planbench_xl.harness.estimate import Estimate, estimate, refuse_what_cannot_fit
from planbench_xl.harness.price import read_price
from planbench_xl.harness.provider import SECRET_NAMES
from planbench_xl.protocols import Prompts, load_prompts, make_protocol
from planbench_xl.protocols.chat import ChatProtocol
from planbench_xl.runs.manifest import ModelChoice
from planbench_xl.runs.request import Request
from planbench_xl.runs.run import ProgressCallback, RunResult
from planbench_xl.runs.suite import Play
from planbench_xl.runs.worlds import open_world
from planbench_xl.world import World


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a user can ask for of a model, beside what any run is asked for.

    Attributes:
        model: Name with provider.
        model_args: Arguments of the provider, as `key=value`.
        base_url: Address of the provider.
        temperature: Sampling temperature; below 0: leave it to the provider.
        max_tokens: Largest number of tokens of a reply.
        top_p: Nucleus sampling.
        model_seed: Seed of sampling.
        reasoning_effort: How much to reason.
        reasoning_tokens: Largest number of tokens of reasoning.
        solver: Solver that plays in place of the conversation, as `module:factory`.
        context: Length of the model's context in tokens, if Inspect doesn't know it.
        max_connections: Number of calls at a time.
        max_cost: Dollars that the run folder may cost.
        price: Dollars per million tokens, as `IN,OUT` or `IN,OUT,CACHED`.
        token_limit: Number of tokens that ends an episode.
        time_limit: Seconds that end an episode.
        timeout: Seconds that end a call.
        cache: Use Inspect's cache of replies.
        display: How Inspect shows the evaluation.
    """

    model: str
    model_args: tuple[str, ...] = ()
    base_url: str | None = None
    temperature: float = 0.0
    max_tokens: int = 8192
    top_p: float | None = None
    model_seed: int | None = None
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = None
    solver: str = ""
    context: int | None = None
    max_connections: int | None = None
    max_cost: float | None = None
    price: str | None = None
    token_limit: int | None = None
    time_limit: float = 3600.0
    timeout: int = 600
    cache: bool = False
    display: str = "none"

    def choice(self) -> ModelChoice:
        """Return the model and how it is asked.

        Raises:
            UsageError: An argument is no `key=value`, or holds a secret.
        """
        return ModelChoice(
            name=self.model,
            arguments=read_arguments(self.model_args),
            temperature=None if self.temperature < 0 else self.temperature,
            max_tokens=self.max_tokens,
            top_p=self.top_p,
            seed=self.model_seed,
            reasoning_effort=self.reasoning_effort,
            reasoning_tokens=self.reasoning_tokens,
            solver=self.solver,
        )

    def terms(self) -> Terms:
        """Return on what terms the model is asked.

        Raises:
            UsageError: The address holds a secret, or the price is none.
        """
        return Terms(
            base_url=_checked_url(self.base_url),
            max_connections=self.max_connections,
            max_cost=self.max_cost,
            price=read_price(self.price),
            token_limit=self.token_limit,
            time_limit=self.time_limit,
            timeout=self.timeout,
            cache=self.cache,
            display=self.display,
        )


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluation that is worked out and checked, but not begun."""

    request: Request
    models: ModelRequest
    setting: Setting
    world: World
    queries: tuple[str, ...]
    folder: Path
    protocol: Callable[[], ChatProtocol]


def plan_request(
    request: Request,
    models: ModelRequest,
    preset: str = "default",
    changes: Sequence[str] = (),
    world: World | None = None,
) -> Plan:
    """Work out what a user asks for.

    Raises:
        PlanBenchError: A choice is refused.
    """
    if request.workers > 1:
        raise UsageError("A model's episodes are played at the same time in one process: give --max-connections.")
    request = msgspec.structs.replace(request, agent=models.model)
    setting = request.setting(preset, changes)
    world = world or open_world(request.world)
    kind = "native" if models.solver else request.protocol
    # Read once, so that all episodes have the same.
    pack = load_prompts(None if request.prompts is None else Path(request.prompts), kind)
    return Plan(
        request=request,
        models=models,
        setting=setting,
        world=world,
        queries=request.chosen(world, setting.seed),
        folder=request.folder(world, setting.name),
        protocol=_protocol(request, models, setting, pack),
    )


def _protocol(request: Request, models: ModelRequest, setting: Setting, pack: Prompts) -> Callable[[], ChatProtocol]:
    if models.solver:
        # A solver is handed its tools once, so tools that are found later can't be functions.
        return lambda: make_protocol("native", pack, setting, mode="call_tool")
    return lambda: make_protocol(request.protocol, pack, setting)


def estimate_request(request: Request, models: ModelRequest, preset: str = "default") -> Estimate:
    """Estimate what an evaluation would take. Nothing is written, and no model is asked.

    Raises:
        PlanBenchError: A choice is refused.
    """
    plan = plan_request(request, models, preset)
    terms = models.terms()
    model = open_model(models.choice(), terms)
    keys = [(query, epoch) for epoch in range(request.epochs) for query in plan.queries]
    return estimate(plan.world, plan.setting, plan.protocol, keys, plan.folder, model, terms.price, models.context)


def run_models(
    request: Request,
    models: ModelRequest,
    preset: str = "default",
    progress: ProgressCallback | None = None,
    *,
    changes: Sequence[str] = (),
    world: World | None = None,
) -> RunResult:
    """Evaluate a model as a user asks for it; the arguments are those of `run_request`.

    Raises:
        PlanBenchError: As `evaluate`, or a choice is refused before anything is written.
    """
    plan = plan_request(request, models, preset, changes, world)
    choice, terms = models.choice(), models.terms()
    if choice.solver and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    model = open_model(choice, terms)
    refuse_what_cannot_fit(plan.world, plan.setting, plan.protocol(), plan.queries, model, models.context)
    return evaluate(
        plan.world,
        plan.folder,
        choice,
        plan.protocol,
        terms=terms,
        setting=plan.setting,
        queries=plan.queries,
        epochs=plan.request.epochs,
        prompts=str(Path(request.prompts).resolve()) if request.prompts is not None else "",
        retry_errors=request.retry_errors,
        source=request.world,
        progress=progress,
    )


def play_with(models: ModelRequest) -> Play:
    """Return what plays a setting of a suite with a model."""

    def play(
        request: Request, preset: str, progress: ProgressCallback | None, /, *, changes: Sequence[str], world: World
    ) -> RunResult:
        return run_models(request, models, preset, progress, changes=changes, world=world)

    return play


def read_arguments(pairs: tuple[str, ...]) -> dict[str, str | int | float | bool | None]:
    """Return arguments given as `key=value`; values are JSON where they can be read as it, else text.

    Raises:
        UsageError: One is no pair, no plain value, or a secret by its name.
    """
    found: dict[str, str | int | float | bool | None] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"'{pair}' is no argument of a model: write KEY=VALUE.")
        if any(word in key.upper() for word in SECRET_NAMES) and "TOKENS" not in key.upper():
            raise UsageError(
                f"Argument '{key}' looks like a secret. Keys are taken from the environment only, as the provider "
                "names them (OPENAI_API_KEY, …): they would be stored with the run otherwise."
            )
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        if isinstance(value, (dict, list)):
            raise UsageError(f"Argument '{key}' has several values; give one number, text, true or false.")
        found[key] = value
    return found


def _checked_url(url: str | None) -> str | None:
    if url is None:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"--base-url '{url.partition('@')[2] or url}' is no address. Write it as http://HOST:PORT/v1.")
    if parts.username or parts.password or parts.query:
        raise UsageError("--base-url holds a user, a password or a query, which logs would keep. Give the rest.")
    return url
