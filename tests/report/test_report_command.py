"""`planbench-xl report` and `planbench-xl compare`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("matplotlib")
from planbench_xl.analysis import total_variation
from planbench_xl.cli import main
from planbench_xl.engines import crew
from planbench_xl.episodes.record import Status
from planbench_xl.errors import UsageError
from planbench_xl.metrics import Figure
from planbench_xl.report.collect import alike, collect
from planbench_xl.report.counting import counted
from planbench_xl.report.data import ReportData
from planbench_xl.report.published import RELEASE, published
from planbench_xl.report.tables import tables_of
from planbench_xl.report.tables.failures import shift_table
from planbench_xl.report.versus import compare_runs
from planbench_xl.report.writing import write_report
from planbench_xl.runs.loading import find_runs, load_runs
from planbench_xl.world import World, load_world


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(list(map(str, arguments)))
    out, err = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, out, err


@pytest.fixture(scope="module")
def report(suites: Path) -> ReportData:
    return collect(find_runs([suites]))


def test_the_command_writes_everything(suites: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "report"
    status, text, _ = call(capsys, "report", suites, "--out", out, "--workers", 1, "--format", "svg")
    assert status == 0 and "13 runs," in text
    assert "No figure 'seeds': it needs runs of `one-path` with several seeds." in text
    found = msgspec.json.decode((out / "report.json").read_bytes(), type=ReportData)
    assert (out / "index.html").is_file() and len(found.runs) == 13
    for table in found.tables:
        assert {path.suffix for path in (out / "tables").glob(f"{table.name}.*")} >= {".md", ".tex", ".html", ".csv"}
    for figure in found.figures:
        assert all((out / file).is_file() for file in figure.files.values()) and bool(figure.files) != bool(
            figure.skipped
        )
    # A world of one's own isn't set beside the paper's.
    assert "2606.22388" not in (out / "tables" / "all.md").read_text()


@pytest.mark.slow
def test_the_same_report_has_the_same_bytes(suites: Path, tmp_path: Path) -> None:
    sources = find_runs([suites / "forward" / "default", suites / "forward" / "one-path"])
    for name in ("a", "b"):
        write_report(sources, tmp_path / name, formats=("svg", "pdf", "png"), page=False)
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(files) > 20
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


@pytest.mark.slow
def test_processes_make_no_difference(suites: Path, report: ReportData) -> None:
    sources = find_runs([suites])
    with crew(2) as gathered:
        assert collect(sources, crew=gathered) == report


def test_runs_of_a_setting_go_to_one_worker(suites: Path) -> None:
    sources = find_runs([suites])
    assert [len(part) for part in alike(sources, 1)] == [1] * len(sources)
    named = {Path(source.path).name for source in sources}
    assert len(named) < len(sources)
    parts = alike(sources * 8, 2)
    assert sorted(source.path for part in parts for source in part) == sorted(source.path for source in sources * 8)
    assert all(len({Path(source.path).name for source in part}) == 1 for part in parts)
    assert len(parts) < len(sources) * 8


def test_a_label_is_of_one_run(suites: Path) -> None:
    sources = find_runs([suites])
    with pytest.raises(UsageError, match="2 runs have the label"):
        collect([*sources, sources[0]])


def test_models_are_told_apart(suites: Path) -> None:
    found = collect(find_runs([suites / "forward", suites / "random"]))
    assert found.models == ("forward", "random")
    twice = [msgspec.structs.replace(run, agent="forward", model="") for run in collect(find_runs([suites])).runs]
    from planbench_xl.report.collect import _with_models

    named = {run.model for run in _with_models(twice)}
    assert named == {"forward (forward)", "forward (list-everything)", "forward (random)"}


def test_figures_of_a_report_are_those_of_the_scores(report: ReportData) -> None:
    for run in report.runs:
        scored = [row for row in run.episodes if row.status is not Status.ERROR]
        assert run.score.metrics["accuracy"].value == sum(row.success for row in scored) / len(scored)
        assert sum(part.queries for part in run.slices) == run.score.queries
        total = sum(run.failures.shares[f"category.{name.value}"].value or 0 for name in run.analysis.categories)
        assert total == pytest.approx(1 if run.analysis.failed else 0)
        for name, share in run.analysis.categories.items():
            assert run.failures.shares[f"category.{name.value}"].value == share.share
        assert run.failures.shares["useful"].value == run.analysis.selection.discovered.share
        assert run.failures.shares["reappears"].value == run.analysis.selection.reappears.share


def test_tables(report: ReportData) -> None:
    tables = {table.name: table for table in tables_of(report, with_published=True)}
    main_rows = [row[0] for row in tables["main"].rows]
    assert main_rows[:3] == ["forward", "list-everything", "random"]
    assert all(str(name).endswith("*") for name in main_rows[3:]) and "2606.22388" in tables["main"].notes[-1]
    assert len(tables["settings"].rows) == 2 * 5
    assert {row[2] for row in tables["passes"].rows} == {1, 2}
    ranking = tables["ranking-default"]
    assert ranking.rows[0][0] == 1 and len(tables["pairs-default"].rows) == 3
    assert all(row[6] >= row[5] for row in tables["pairs-default"].rows)
    assert tables["correlation"].rows[0][1] == 13


def test_the_shift_of_categories_is_that_of_the_analyses(report: ReportData) -> None:
    table = {table.name: table for table in tables_of(report, with_published=False)}["shift"]
    assert len(table.rows) == 2 * 5 and "corrected by Holm's method for 10 rows." in table.notes[0]
    for model, setting, before, after, distance, by_chance, p in table.rows:
        base, run = (next(r for r in report.runs if (r.model, r.setting) == (model, s)) for s in ("default", setting))
        shares = ({c: share.count for c, share in r.analysis.categories.items()} for r in (base, run))
        assert distance.value == pytest.approx(total_variation(*shares))
        assert (before, after) == (base.analysis.failed, run.analysis.failed)
        assert 0 <= distance.low <= distance.value <= distance.high <= 1 and by_chance >= 0 and 0 < p <= 1


def test_no_shift_without_a_default_or_without_failures(suites: Path, report: ReportData) -> None:
    alone = msgspec.structs.replace(report, runs=tuple(run for run in report.runs if run.preset != "default"))
    assert "shift" not in {table.name for table in tables_of(alone, with_published=False)}
    rows = {
        run.label: tuple(msgspec.structs.replace(row, category=None) for row in run.episodes) for run in report.runs
    }
    runs = tuple(msgspec.structs.replace(run, episodes=rows[run.label]) for run in report.runs)
    table = shift_table(msgspec.structs.replace(report, runs=runs))
    assert table is not None
    assert {row[2:] for row in table.rows} == {(0, 0, Figure(None), None, None)}


def test_published_figures(release: World) -> None:
    found = published()
    assert release.fingerprint == RELEASE
    assert found.accuracies("default")["DeepSeek-V4-Flash"] == pytest.approx(0.6308)
    assert found.accuracies("one-path") == pytest.approx(
        {"GPT-5.4": 0.3119, "Gemini-3.5-Flash": 0.3884, "DeepSeek-V4-Flash": 0.4832, "Llama-3.3-70B": 0.1101}
    )
    assert "GPT-5.4" not in found.accuracies("one-path-shortest")
    assert all(98 < sum(msgspec.to_builtins(row)[k] for k in msgspec.to_builtins(row) if k != "model") < 102
               for row in found.categories)  # fmt: skip


def test_compare(suites: Path, capsys) -> None:
    first, second = suites / "forward" / "default", suites / "random" / "default"
    status, text, _ = call(capsys, "compare", first, second)
    flat = " ".join(text.split())
    assert status == 0 and "queries in common" in flat and "sign flips" in flat and "forward/default" in flat
    status, text, _ = call(capsys, "compare", first, suites / "forward" / "one-path", "--json")
    data = json.loads(text)
    counts = data["comparison"]["accuracy"]["mcnemar"]
    assert status == 0 and counts["both"] + counts["neither"] + counts["only_first"] + counts["only_second"] == 11
    assert data["warnings"] == ["The settings differ (default, one-path)."]
    status, text, _ = call(capsys, "compare", first, first.parent / "disabled-0.4")
    assert "No difference in accuracy is shown. That doesn't show that the runs are equal." in " ".join(text.split())


def test_what_cannot_be_compared(suites: Path, capsys) -> None:
    first, second = load_runs([suites / "forward" / "default", suites / "random" / "default"])
    other = msgspec.structs.replace(second, world=load_world("retail"))
    with pytest.raises(UsageError, match="their queries can't be paired"):
        compare_runs(first, other)
    with pytest.raises(UsageError, match="no scored query in common"):
        compare_runs(first, msgspec.structs.replace(second, episodes=()))
    assert call(capsys, "compare", suites / "forward", suites / "random")[0] == 2
    assert call(capsys, "compare", suites / "random" / "default", suites / "random" / "default")[0] == 2


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [(1, "run", "1 run"), (0, "run", "0 runs"), (2, "query", "2 queries"), (1, "query", "1 query")],
)
def test_counts_in_words(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text


def test_one_run_is_one_run(suites: Path, tmp_path: Path, capsys) -> None:
    status, text, _ = call(capsys, "report", suites / "forward" / "default", "--out", tmp_path / "r", "--no-page")
    assert status == 0 and text.splitlines()[-1].startswith("1 run, ")
    everything = text + (tmp_path / "r" / "tables" / "all.md").read_text()
    assert not re.search(r"\b1 (runs|queries|episodes|tables|figures|errors|rows|tests)\b", everything)


def test_wrong_uses(suites: Path, tmp_path: Path, capsys) -> None:
    status, _, err = call(capsys, "report", suites, "--out", tmp_path, "--format", "gif")
    assert status == 2 and "'gif'" in err
    status, _, err = call(capsys, "report", tmp_path / "none", "--out", tmp_path)
    assert status == 1 and "holds no run" in err
    (tmp_path / "file").write_text("")
    status, _, err = call(capsys, "report", suites / "random", "--out", tmp_path / "file" / "x")
    assert status == 1 and "can't be written" in err


@pytest.mark.slow
def test_hostile_labels_reach_no_path_and_no_formula(suites: Path, report: ReportData, tmp_path: Path) -> None:
    from planbench_xl.report.figures import FIGURES, write_figures
    from planbench_xl.report.writing import write_tables

    name = "../$x^{<script>alert(1)</script>"
    runs = tuple(msgspec.structs.replace(run, model=f"_{name}{run.model}", setting=name) for run in report.runs)
    evil = msgspec.structs.replace(report, runs=runs)
    evil = msgspec.structs.replace(evil, tables=tables_of(evil, with_published=False))
    (tmp_path / "t").mkdir()
    (tmp_path / "f").mkdir()
    write_tables(evil, tmp_path / "t")
    assert len(list(write_figures(evil, tmp_path / "f", ["svg"], with_published=False))) == len(FIGURES)
    assert {path.parent.name for path in tmp_path.rglob("*") if path.is_file()} == {"t", "f"}
    assert not re.search(r"<script>", "".join(path.read_text() for path in tmp_path.rglob("*.html")))


def test_labels_are_plain_text() -> None:
    from planbench_xl.report.figures.style import LONGEST_LABEL, label

    assert label("_hidden") == " _hidden" and label("$x^{") == r"\$x^{" and label("a\nb\u202e") == "a b "
    assert len(label("x" * 99)) == LONGEST_LABEL
