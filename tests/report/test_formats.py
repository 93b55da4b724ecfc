"""Tables in every format, with labels that mean harm."""

from __future__ import annotations

import csv
import io

import pytest
from rich.console import Console

from planbench_xl.metrics import Figure
from planbench_xl.report.data import Column, TableData
from planbench_xl.report.formats import FORMATS, cell_text, terminal

EVIL = "=[a]_b|<script>&\\x{y}$50%\n#~^ `*`\u202e"
TABLE = TableData(
    name="t",
    title="A & B",
    columns=(Column("Model"), Column("Acc %", "percent"), Column("Turns", "number"), Column("p", "p")),
    rows=((EVIL, Figure(0.5, 0.4, 0.6), 12.345, 0.00001), ("plain", Figure(1.0), None, 0.5)),
    notes=("95 % <b>",),
)


@pytest.mark.parametrize(
    ("kind", "cell", "text"),
    [
        ("percent", Figure(0.63081, 0.5782, 0.6818), "63.08 [57.82, 68.18]"),
        ("percent", Figure(None), "–"),
        ("number", -0.001, "0.00"),
        ("count", 12, "12"),
        ("p", 0.03, "0.0300"),
        ("p", 1e-9, "< 0.0001"),
        ("text", None, "–"),
    ],
)
def test_cells(kind, cell, text) -> None:
    assert cell_text(Column("x", kind), cell) == text


def test_markdown() -> None:
    lines = FORMATS["md"](TABLE).splitlines()
    assert lines[2:4] == ["| Model | Acc % | Turns | p |", "| --- | ---: | ---: | ---: |"]
    assert lines[4].startswith("| =\\[a\\]\\_b\\|\\<script\\>\\&") and lines[4].count(" | ") == 3
    assert lines[5] == "| plain | 100.00 | – | 0.5000 |"


def test_latex() -> None:
    text = FORMATS["tex"](TABLE)
    assert r"\begin{tabular}{lrrr}" in text and r"\toprule" in text and r"\caption{A \& B}" in text
    assert r"={[}a{]}\_b\textbar{}\textless{}script\textgreater{}\&\textbackslash{}x\{y\}\$50\%" in text
    assert r"Acc \%" in text and "50.00 {[}40.00, 60.00{]}" in text and r"plain & 100.00 & -- & 0.5000 \\" in text


def test_html() -> None:
    text = FORMATS["html"](TABLE)
    assert "&lt;script&gt;" in text and "<script>" not in text and "<caption>A &amp; B</caption>" in text
    assert text.count("<tr>") == 3 and "<p>95 % &lt;b&gt;</p>" in text


def test_csv_has_numbers_and_no_formulas() -> None:
    rows = list(csv.reader(io.StringIO(FORMATS["csv"](TABLE))))
    assert rows[0] == ["Model", "Acc", "Acc low", "Acc high", "Turns", "p"]
    assert rows[1][0].startswith("'=[a]") and rows[1][1:] == ["0.5", "0.4", "0.6", "12.345", "1e-05"]
    assert rows[2] == ["plain", "1", "", "", "", "0.5"]


def test_terminal() -> None:
    stream = io.StringIO()
    Console(file=stream, width=100).print(terminal(TABLE))
    assert "50.00 [40.00, 60.00]" in stream.getvalue() and "<script>" in stream.getvalue()
    assert "\u202e" not in stream.getvalue()
