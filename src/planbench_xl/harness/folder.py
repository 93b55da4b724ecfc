"""A run folder beside a log of Inspect's: opened when the first sample shows which model is asked, and how."""

from __future__ import annotations

from pathlib import Path

import msgspec
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.model._generate_config import active_generate_config  # The only way to learn what the user asked for.
from inspect_ai.solver import TaskState

from planbench_xl.episodes.record import Episode, Status
from planbench_xl.episodes.store import EpisodeWriter, Key, iter_episodes
from planbench_xl.harness.keeper import Keeper
from planbench_xl.harness.play import key_of
from planbench_xl.harness.request import Plan
from planbench_xl.runs.manifest import Manifest, ModelChoice, write_manifest
from planbench_xl.runs.run import begin, new_manifest

_open: dict[Path, EpisodeWriter] = {}
"""Writers by folder: Inspect doesn't tell when an evaluation ends, so they end with the process."""


class LateFolder:
    """Opens the run folder of a task when its first sample is played.

    Args:
        plan: What is played.
        out: The folder.
        solver: Solver of the user's own.
    """

    def __init__(self, plan: Plan, out: str, solver: str) -> None:
        self._plan = plan
        self._out = Path(out)
        self._solver = solver
        self._keeper: Keeper | None = None
        self._manifest: Manifest | None = None

    def keeper(self, state: TaskState) -> Keeper:
        """Return the keeper of the folder; it says of every sample whether it is there already.

        Raises:
            StoreError: The folder can't be written, or holds a run that differs.
        """
        epoch = key_of(state)[1]
        if self._keeper is None or self._manifest is None:
            self._keeper = self._begin(epoch + 1)
        elif epoch >= self._manifest.epochs:
            self._manifest = msgspec.structs.replace(self._manifest, epochs=epoch + 1)
            write_manifest(self._out, self._manifest)
        return self._keeper

    def _begin(self, epochs: int) -> Keeper:
        plan, model = self._plan, get_model()
        manifest = new_manifest(
            plan.world,
            plan.request.world,
            agent=str(model),
            agent_seed=0,
            model=choice_of(model, self._solver),
            setting=plan.setting,
            protocol=plan.protocol().name,
            prompts=str(Path(plan.request.prompts).resolve()) if plan.request.prompts is not None else "",
            queries=plan.queries,
            epochs=epochs,
        )
        place = self._out.resolve()
        writer = _open.get(place) or EpisodeWriter(self._out)
        _open[place] = writer
        self._manifest, _ = begin(writer, manifest, tuple(plan.world.query), retry_errors=True)
        stored: dict[Key, Episode] = {
            episode.key: episode for episode in iter_episodes(self._out) if episode.status is not Status.ERROR
        }
        return Keeper(writer, stored=stored)


def choice_of(model: Model, solver: str) -> ModelChoice:
    """Return the model of an evaluation and how it is asked."""
    config: GenerateConfig = model.config.merge(active_generate_config())
    plain = (str, int, float, bool)
    return ModelChoice(
        name=str(model),
        arguments={name: value for name, value in model.model_args.items() if isinstance(value, plain)},
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        top_p=config.top_p,
        seed=config.seed,
        reasoning_effort=config.reasoning_effort,
        reasoning_tokens=config.reasoning_tokens,
        solver=solver,
    )
