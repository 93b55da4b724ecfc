from pathlib import Path

import pytest

from planbench_xl.episodes.store import EPISODES
from planbench_xl.errors import SettingError, UsageError
from planbench_xl.runs.manifest import read_manifest
from planbench_xl.runs.presets import presets
from planbench_xl.runs.request import Request
from planbench_xl.runs.scores import score_folder
from planbench_xl.runs.suite import run_suite


def test_the_papers_grid(tmp_path: Path) -> None:
    request = Request(world="mini", agent="oracle", out=str(tmp_path / "paper"), limit=1)
    states: list[tuple[str, int]] = []
    results = run_suite("paper", request, lambda label, state: states.append((label, state.played)))
    labels = [label for label, _ in results]
    paper = [name for name, preset in presets().items() if preset.setting.failures.kind == "none"]
    for name in ("all-tools", "bm25", "dense", "hybrid", "free-text"):
        paper.remove(name)
    assert labels == [*paper, "one-path-seed-1000", "one-path-seed-2000", "one-path-seed-3000"]
    assert len(paper) == 17
    assert len(states) == 2 * len(labels)
    for label, result in results:
        assert result.folder == tmp_path / "paper" / label
        assert (result.folder / EPISODES).exists()
        manifest = read_manifest(result.folder)
        assert manifest is not None
        assert manifest.setting.name == label
    assert results[-1][1].manifest.setting.seed == 3000
    again = run_suite("paper", request)
    assert sum(result.progress.played for _, result in again) == 0


def test_the_same_queries_in_every_setting(tmp_path: Path) -> None:
    results = run_suite("paper", Request(world="mini", agent="do-nothing", out=str(tmp_path), sample=3))
    assert len({result.manifest.queries for _, result in results}) == 1


def test_wrong_choices_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'paper'"):
        run_suite("papr", Request(out=str(tmp_path / "a")))
    with pytest.raises(SettingError):
        run_suite("paper", Request(out=str(tmp_path / "a"), max_turns=0))
    assert not (tmp_path / "a").exists()


def test_failures_beyond_the_paper(tmp_path: Path) -> None:
    results = run_suite("failures", Request(world="mini", agent="oracle", out=str(tmp_path), limit=2))
    labels = [label for label, _ in results]
    assert labels == ["default", "flaky", "outage", "outage-silent", "schema-drift", "rate-limit"]
    assert all(score_folder(result.folder).metrics["accuracy"].value == 1 for _, result in results)
