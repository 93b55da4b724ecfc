import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planbench_xl.environment import Setting
from planbench_xl.errors import SettingError
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.release_config import from_release_config

PRESET_OF = {
    "one_path_mixed": "one-path",
    "one_path_explicit": "one-path-explicit",
    "one_path_implicit": "one-path-implicit",
    "one_path_misleading": "one-path-misleading",
    "one_path_longest": "one-path-longest",
    "remaining_ratio_0.4": "disabled-0.6",
    "enforced_5": "enforced-5",
}

REFERENCE = "blocking.planner=reference"
ONE = {"selection_mode": "target_remaining_paths", "target_remaining_paths": 1}


def recorded(shared: Path, name: str) -> dict[str, Any]:
    with gzip.open(shared / "golden" / f"{name}.json.gz") as file:
        config: dict[str, Any] = json.load(file)["config"]
    return config


@pytest.mark.parametrize("name", PRESET_OF)
def test_recorded_settings_are_the_presets(shared: Path, name: str) -> None:
    preset = load_setting(PRESET_OF[name], ["max_turns=30", REFERENCE])
    found = from_release_config(recorded(shared, name), preset.name)
    assert msgspec.structs.replace(found, blocking=preset.blocking) == preset
    # Fields that the aim doesn't use keep their defaults.
    assert found.blocking == preset.blocking


def test_the_recorded_default_blocks_nothing(shared: Path) -> None:
    found = from_release_config(recorded(shared, "default"))
    assert not found.blocking.enabled
    assert found.retrieval == Setting().retrieval
    assert (found.max_turns, found.seed) == (30, 42)


def test_a_run_folder_of_the_release(shared: Path) -> None:
    config = json.loads((shared / "golden" / "output_folder" / "metadata.json").read_text())["config"]
    assert from_release_config(config, "one-path") == load_setting("one-path", ["max_turns=30", REFERENCE])


def test_nothing_given_is_the_default() -> None:
    assert from_release_config({}, "default") == load_setting("default", [REFERENCE])


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"runtime": {"max_stps": 3}}, "unknown key `runtime.max_stps`"),
        ({"blocker": ONE | {"new": 1}}, "unknown key `blocker.new`"),
        ({"something": {}}, "unknown key `something`"),
        ({"runtime": {"truncate_history": True}}, "`runtime.truncate_history` is True"),
        ({"noise": {"mode": "shuffle"}}, "`noise.mode` is 'shuffle'"),
        ({"noise": {"ratio": 0.5}}, "`noise.ratio` is 0.5"),
        ({"retriever": {"embedding_model": "bge"}}, "`retriever.embedding_model` is 'bge'"),
        ({"blocker": ONE | {"noise_mode": "fixed", "fixed_noise_type": "stale"}}, "unknown noise type 'stale'"),
        ({"blocker": ONE | {"noise_mode": "fixed"}}, "unknown noise type None"),
        ({"blocker": {"selection_mode": "exact_blocked_paths"}}, "`blocker.block_n_per_task` is missing"),
        ({"blocker": {"selection_mode": "target_remaining_ratio"}}, "`blocker.target_remaining_ratio` is missing"),
        ({"blocker": {"selection_mode": []}}, "`blocker.selection_mode` is []"),
        ({"blocker": 3}, "`blocker` is no section"),
        ({"runtime": {"max_steps": "x"}}, "`max_turns`: expected `int`"),
    ],
)
def test_what_would_change_behaviour_is_refused(config: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError) as caught:
        from_release_config(config)
    assert said in str(caught.value)
