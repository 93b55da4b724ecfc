"""Makes tasks of Inspect AI: samples, solver, scorer, and how the viewer shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.viewer import SampleScoreView, TaskSamplesColumn, TaskSamplesSort, TaskSamplesView, ViewerConfig

from planbench_xl.episodes.record import Reason
from planbench_xl.episodes.store import Key
from planbench_xl.harness.play import EPOCH, QUERY, Game, episode_solver
from planbench_xl.harness.scoring import WORLD, episode_score
from planbench_xl.runs.manifest import ModelChoice
from planbench_xl.world import text_form

TASK_VERSION = 1
"""Version of the tasks' samples and scores."""

SCORER = "episode_score"

SHOWN = {
    "outcome": "outcome and reason",
    "turns": "turns",
    "searches": "searches",
    "calls": "calls",
    "invalid_calls": "invalid",
    "distractor_calls": "distractors",
    "untrusted_rejections": "untrusted",
    "egt_precision": "EGT prec.",
    "accuracy": "accuracy",
}
"""Values of a score in the list of samples, with heads for their columns, which are as wide as these."""


def make_task(
    game: Game,
    source: str,
    keys: Iterable[Key],
    *,
    repeated: bool = False,
    config: GenerateConfig | None = None,
    extra_scorers: Sequence[Scorer] = (),
) -> Task:
    """Return a task.

    Args:
        game: What the episodes share.
        source: Where to load the world from again.
        keys: The episodes to be played, a sample each.
        repeated: There are several epochs, so the samples' names say which; else a sample is named after its query,
            and epochs are up to Inspect.
        config: How the model is asked.
        extra_scorers: Scorers beside the main one.
    """
    samples = [sample(game, source, key, repeated) for key in keys]
    name = f"{game.world.name}-{game.setting.name}-{game.protocol_name.partition('/')[0]}"
    return Task(
        dataset=MemoryDataset(samples, name=game.world.name),
        solver=episode_solver(game),
        scorer=[episode_score(), *extra_scorers],
        config=config or GenerateConfig(),
        fail_on_error=False,
        score_on_error=True,
        name=name,
        display_name=f"{game.world.name}, {game.setting.name}, {game.protocol_name}",
        version=TASK_VERSION,
        metadata={
            WORLD: source,
            "fingerprint": game.world.fingerprint,
            "setting": game.setting.name,
            "protocol": game.protocol_name,
        },
        viewer=viewer(),
    )


def sample(game: Game, source: str, key: Key, repeated: bool) -> Sample:
    """Return the sample of an episode."""
    world, setting = game.world, game.setting
    query = world.query[key[0]]
    task = world.task[query.task_id]
    blocking = setting.blocking
    metadata: dict[str, object] = {
        QUERY: query.query_id,
        "task_id": task.task_id,
        "shortest_length": task.shortest_length,
        "flow": f"{', '.join(task.inputs)} → {', '.join(task.targets)}",
        "kinds": ", ".join(map(str, blocking.kinds)) if blocking.enabled else "",
        "setting": setting.name,
        WORLD: source,
    }
    if repeated:
        metadata[EPOCH] = key[1]
    return Sample(
        id=f"{query.query_id}#{key[1]}" if repeated else query.query_id,
        input=query.text,
        target=[text_form(query.answers[target]) for target in task.targets],
        metadata=metadata,
    )


def generate_config(choice: ModelChoice, **limits: int | None) -> GenerateConfig:
    """Return how a model is asked; the sampling seed is set per episode."""
    return GenerateConfig.model_validate(
        {
            "temperature": choice.temperature,
            "max_tokens": choice.max_tokens,
            "top_p": choice.top_p,
            "reasoning_effort": choice.reasoning_effort,
            "reasoning_tokens": choice.reasoning_tokens,
            **limits,
        }
    )


def viewer() -> ViewerConfig:
    """Return how the viewer shows samples. What models wrote isn't trusted: it is shown as plain text."""
    columns = [TaskSamplesColumn(id="sampleId"), TaskSamplesColumn(id="epoch", visible=False)]
    columns += [TaskSamplesColumn(id="input"), TaskSamplesColumn(id="answer", visible=False)]
    columns += [TaskSamplesColumn.score(SCORER, name) for name in SHOWN]
    columns += [TaskSamplesColumn(id="error", visible=False), TaskSamplesColumn(id="limit", visible=False)]
    view = TaskSamplesView(
        name="Episodes",
        columns=columns,
        sort=[TaskSamplesSort(column="sampleId", dir="asc")],
        # Compact columns cut outcomes off.
        compact_scores=False,
        multiline=False,
        score_labels=SHOWN,
        score_color_scales={
            "outcome": {"success": "good", **{str(reason): "bad" for reason in Reason}},
            "egt_precision": "good-high",
            "turns": "neutral",
            "invalid_calls": "good-low",
        },
    )
    return ViewerConfig(trust_content=False, task_samples_view=view, sample_score_view=SampleScoreView(default="grid"))
