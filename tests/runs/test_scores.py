from pathlib import Path

import pytest

from planbench_xl.errors import StoreError, UsageError
from planbench_xl.runs.run import run
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World


def test_a_run_folder_is_scored_with_its_own_world(mini: World, tmp_path: Path) -> None:
    run(mini, tmp_path, agent="oracle", epochs=2)
    score = score_folder(tmp_path)
    assert score.metrics["accuracy"].value == 1.0
    assert (score.scored, score.expected, score.complete) == (2 * len(mini.queries),) * 2 + (True,)
    assert score == score_folder(tmp_path, mini)
    assert score_folder(tmp_path, judge="exact").judge == "exact"


def test_what_is_missing_shows(mini: World, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(mini, tmp_path, agent="tests.runs.agents:Interrupting")
    score = score_folder(tmp_path)
    assert (score.scored, score.expected, score.complete) == (3, len(mini.queries), False)


def test_something_else_than_a_run_is_refused(tmp_path: Path, mini: World, release: World) -> None:
    with pytest.raises(StoreError, match=r"run.json is missing"):
        score_folder(tmp_path)
    run(mini, tmp_path, agent="do-nothing")
    with pytest.raises(UsageError):
        score_folder(tmp_path, release)
