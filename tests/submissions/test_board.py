from __future__ import annotations

from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from scipy.stats import binomtest

from planbench_xl.errors import SubmissionError
from planbench_xl.submissions import pack, write_board
from planbench_xl.submissions.board import wilson

from .conftest import read, write


def test_page(run_folder: Path, archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    folder.mkdir()
    pack(run_folder, folder / "a.zip", name="<script>alert(1)</script>{{refused}}")
    content: dict[str, Any] = read(archive)
    content["claim"]["figures"]["exact"]["metrics"]["accuracy"] = 2.0
    write(folder / "b.zip", content)
    copy(archive, folder / "c.zip")
    verdicts = write_board(folder, tmp_path / "board")
    assert [verdict.valid for verdict in verdicts] == [True, False, True]
    page = (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{refused}}" in page
    assert page.count("<tr><td>") == 2
    assert "<code>b.zip</code>: `metrics.accuracy` under judge &#x27;exact&#x27; is claimed as 2.0" in page


def test_no_archives(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="holds no submission"):
        write_board(tmp_path, tmp_path / "board")


@pytest.mark.parametrize(("successes", "count"), [(0, 11), (11, 11), (3, 11), (250, 327)])
def test_interval_against_a_library(successes: int, count: int) -> None:
    expected = binomtest(successes, count).proportion_ci(method="wilson")
    assert wilson(successes, count) == pytest.approx((expected.low, expected.high))


def test_interval_of_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
