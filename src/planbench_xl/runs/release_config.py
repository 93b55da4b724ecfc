"""Reads a configuration of the published release as a setting (reference protocol, sections 2, 3, 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from planbench_xl.environment import Setting
from planbench_xl.errors import SettingError
from planbench_xl.runs.presets import make_setting
from planbench_xl.world import BLOCK_KINDS
from planbench_xl.world.release import RELEASE_KINDS

IGNORED = frozenset({
    "config_version", "output", "logging", "model", "run_id", "base_config", "model_ref", "domain", "data",
    "overrides", "query_sample", "prompts",
})  # fmt: skip
"""Sections that say where files are, which model played or which queries, not by which rules. (`overrides` repeats
what the other sections already contain.)"""

_RUNTIME_IGNORED = {"max_concurrency", "llm_max_concurrent_requests", "max_resume_attempts"}
_AIMS = {
    "target_remaining_paths": "remaining_paths",
    "target_remaining_ratio": "disabled_ratio",
    "exact_blocked_paths": "blocked_paths",
}
_LENGTHS = {"none": "any", "maximize": "longest", "minimize": "shortest", "random": "random"}
_ALTERNATIVES = {"fixed": "listed", "fixed_multi": "listed", "random": "random_one", "random_multi": "random_several"}
_FEWEST = {"none": False, "minimize": True}
_DISTRACTORS = {"append_noisy_siblings": True, "none": False}


def from_release_config(config: Mapping[str, Any], name: str = "release") -> Setting:
    """Return the setting that a configuration of the release describes.

    Args:
        config: The configuration, as in a run's `metadata.json` (`config`) or in a recorded file.
        name: Name of the setting.

    Raises:
        SettingError: A key that can change behaviour is unknown, or has a value that this package doesn't play.
    """
    top = _Section("", config)
    runtime, noise, blocker = (top.section(part) for part in ("runtime", "noise", "blocker"))
    retriever = top.section("retriever")
    retriever.choice("embedding_model", {"hashing_v1": "reference"}, "hashing_v1")
    top.done(IGNORED)
    retriever.done()
    fields: dict[str, Any] = {"name": name, "seed": blocker.get("seed", 42), **_runtime(runtime)}
    fields["retrieval"] = {
        "distractors": noise.choice("mode", _DISTRACTORS, "append_noisy_siblings"),
        "max_tools": noise.get("max_total_tools", 30),
    }
    # The ratio belongs to ways of mixing that the release no longer documents; only its neutral value is known.
    noise.choice("ratio", {0.0: 0.0, None: None}, 0.0)
    noise.done()
    fields["blocking"] = _blocking(blocker)
    blocker.done()
    return make_setting(fields)


def _runtime(runtime: _Section) -> dict[str, Any]:
    fields = {
        "max_turns": runtime.get("max_steps", 100),
        "max_label_errors": runtime.get("max_label_errors", 3),
        "max_retrieval_errors": runtime.get("max_retrieval_errors", 3),
        "max_call_errors": runtime.get("max_call_errors", 3),
    }
    runtime.choice("truncate_history", {False: False}, False)
    enforced = runtime.get("enable_incorrect_final_answer_feedback", False)
    budget = runtime.get("incorrect_final_answer_feedback_budget", 0)
    runtime.done(_RUNTIME_IGNORED)
    return fields | {"exploration_budget": budget if enforced else 0}


def _blocking(blocker: _Section) -> dict[str, Any]:
    aim = blocker.choice("selection_mode", _AIMS, "target_remaining_paths")
    ratio = blocker.get("target_remaining_ratio", None)
    fields = {
        "enabled": blocker.get("enable_block", bool(blocker.values)),
        "planner": "reference",
        "aim": aim,
        "tolerance": blocker.get("remaining_tolerance", 1),
        "min_remaining": blocker.get("min_remaining_paths", 1),
        "length": blocker.choice("remaining_path_length_objective", _LENGTHS, "none"),
        "fewest_tools": blocker.choice("blocking_edge_count_objective", _FEWEST, "none"),
        "max_blocked": blocker.get("max_cover_size", 4),
        "max_candidates": blocker.get("max_combo_candidates", 20_000),
        "kinds_drawn": blocker.get("multi_noise_count", None) or 3,
    }
    for key, target in (("target_remaining_paths", "remaining_paths"), ("block_n_per_task", "blocked_paths")):
        number = blocker.get(key, None)
        if number is not None:
            fields[target] = number
        elif aim == target and fields["enabled"]:
            raise SettingError(f"Release configuration: `blocker.{key}` is missing. Its selection mode needs it.")
    if aim == "disabled_ratio" and ratio is None:
        raise SettingError(
            "Release configuration: `blocker.target_remaining_ratio` is missing. Its selection mode needs it."
        )
    if aim == "disabled_ratio":
        fields["disabled_ratio"] = float(1 - Decimal(repr(ratio)))
    return fields | _alternatives(blocker)


def _alternatives(blocker: _Section) -> dict[str, Any]:
    """Return how a blocked tool is replaced. The modes that name kinds name them in their own keys."""
    one, several = blocker.get("fixed_noise_type", None), blocker.get("fixed_noise_types", None)
    mode = blocker.get("noise_mode", "fixed_multi")
    fields: dict[str, Any] = {"alternatives": blocker.choice("noise_mode", _ALTERNATIVES, "fixed_multi")}
    if mode == "fixed" or (mode == "fixed_multi" and several is not None):
        named = [one] if mode == "fixed" else several
        unknown = [kind for kind in named if RELEASE_KINDS.get(kind) not in BLOCK_KINDS]
        if unknown:
            known = ", ".join(repr(kind) for kind, ours in RELEASE_KINDS.items() if ours in BLOCK_KINDS)
            raise SettingError(
                f"Release configuration: `blocker` names the unknown noise type {unknown[0]!r}. Known: {known}."
            )
        fields["kinds"] = [RELEASE_KINDS[kind].value for kind in named]
    return fields


class _Section:
    """One section of the configuration; it remembers which of its keys have been read."""

    def __init__(self, name: str, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise SettingError(f"Release configuration: `{name}` is no section. Give an object with its keys.")
        self.name = name
        self.values = values
        self._read: set[str] = set()

    def get(self, key: str, default: Any) -> Any:
        self._read.add(key)
        return self.values.get(key, default)

    def section(self, key: str) -> _Section:
        return _Section(key, self.get(key, None) or {})

    def choice(self, key: str, ours: Mapping[Any, Any], default: Any) -> Any:
        value = self.get(key, default)
        try:
            return ours[value]
        except (KeyError, TypeError):
            known = ", ".join(map(repr, ours))
            raise SettingError(
                f"Release configuration: `{self.name}.{key}` is {value!r}, which this package doesn't play. "
                f"Known: {known}."
            ) from None

    def done(self, ignored: frozenset[str] | set[str] = frozenset()) -> None:
        """Refuse keys that nobody has read."""
        unknown = sorted(set(self.values) - self._read - ignored)
        if unknown:
            place = f"{self.name}.{unknown[0]}" if self.name else unknown[0]
            raise SettingError(
                f"Release configuration: unknown key `{place}`. It may change behaviour, so it is refused."
            )
