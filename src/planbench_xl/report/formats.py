"""Lays tables out for a terminal, Markdown, LaTeX, HTML and CSV. Labels are others' text: each format escapes them."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Iterator, Mapping

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from planbench_xl.metrics import Figure
from planbench_xl.report.data import Cell, Column, TableData

UNDEFINED = "–"
"""Shown for what is undefined."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that end lines, or make text look like another."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "[": "{[}",
    "]": "{]}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "…": r"\ldots{}",
    **{character: f"\\{character}" for character in "&%$#_"},
}
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|&~#!])")
_FORMULA = tuple("=+-@\t\r")
"""What makes a spreadsheet take a text for a formula."""


def cell_text(column: Column, cell: Cell) -> str:
    """Return a cell as plain text: two decimals, fractions in per cent, a figure with its interval."""
    if cell is None:
        return UNDEFINED
    if isinstance(cell, Figure):
        if cell.value is None or cell.low is None or cell.high is None:
            return cell_text(column, cell.value)
        low, high = cell_text(column, cell.low), cell_text(column, cell.high)
        return f"{cell_text(column, cell.value)} [{low}, {high}]"
    if isinstance(cell, str) or column.kind == "text":
        return _CONTROL.sub(" ", str(cell))
    if column.kind == "count":
        return f"{cell:g}"
    if column.kind == "p":
        return "< 0.0001" if cell < 0.0001 else f"{cell:.4f}"
    # Adding nothing turns a negative zero into zero.
    return f"{round(cell * 100 if column.kind == 'percent' else cell, 2) + 0.0:.2f}"


def terminal(table: TableData) -> RenderableType:
    """Return a table for rich."""
    shown = Table(title=Text(table.title), box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for column in table.columns:
        text = column.kind == "text"
        shown.add_column(Text(column.head), justify="left" if text else "right", overflow="fold", no_wrap=not text)
    for row in _texts(table):
        shown.add_row(*map(Text, row))
    if table.notes:
        shown.caption = Text("\n".join(table.notes))
        shown.caption_justify = "left"
    return shown


def markdown(table: TableData) -> str:
    """Return a table as Markdown."""
    lines = [f"### {_markdown(table.title)}", "", _pipes(map(_markdown, (c.head for c in table.columns)))]
    lines.append(_pipes("---" if column.kind == "text" else "---:" for column in table.columns))
    lines += [_pipes(map(_markdown, row)) for row in _texts(table)]
    lines += [line for note in table.notes for line in ("", _markdown(note))]
    return "\n".join(lines) + "\n"


def latex(table: TableData) -> str:
    """Return a table as LaTeX; it needs the package `booktabs`."""
    places = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    lines = [r"% Needs \usepackage{booktabs}.", r"\begin{table}", r"\centering", f"\\caption{{{_latex(table.title)}}}"]
    lines += [f"\\label{{tab:{table.name}}}", f"\\begin{{tabular}}{{{places}}}", r"\toprule"]
    lines += [" & ".join(_latex(column.head) for column in table.columns) + r" \\", r"\midrule"]
    lines += [" & ".join(map(_latex, row)) + r" \\" for row in _texts(table)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.notes:
        lines += ["", r"\smallskip", r"{\footnotesize " + " ".join(map(_latex, table.notes)) + "}"]
    return "\n".join([*lines, r"\end{table}", ""])


def html_table(table: TableData) -> str:
    """Return a table as HTML, an element without a page around it."""
    kinds = ["text" if column.kind == "text" else "number" for column in table.columns]
    heads = "".join(
        f'<th scope="col" class="{kind}">{html.escape(column.head)}</th>'
        for kind, column in zip(kinds, table.columns, strict=True)
    )
    lines = [f'<table id="table-{table.name}">', f"<caption>{html.escape(table.title)}</caption>"]
    lines += [f"<thead><tr>{heads}</tr></thead>", "<tbody>"]
    for row in _texts(table):
        cells = "".join(f'<td class="{kind}">{html.escape(text)}</td>' for kind, text in zip(kinds, row, strict=True))
        lines.append(f"<tr>{cells}</tr>")
    lines += ["</tbody>", "</table>", *(f"<p>{html.escape(note)}</p>" for note in table.notes)]
    return "\n".join(lines) + "\n"


def csv_text(table: TableData) -> str:
    """Return a table as CSV: figures in three columns, value and ends of the interval; fractions as fractions."""
    wide = [any(isinstance(row[index], Figure) for row in table.rows) for index in range(len(table.columns))]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    head: list[str] = []
    for column, split in zip(table.columns, wide, strict=True):
        name = column.head.removesuffix(" %")
        head += [name, f"{name} low", f"{name} high"] if split else [name]
    writer.writerow(map(_csv, head))
    for row in table.rows:
        cells: list[str] = []
        for cell, split in zip(row, wide, strict=True):
            values = (cell.value, cell.low, cell.high) if isinstance(cell, Figure) else (cell, None, None)
            cells += map(_csv, values if split else values[:1])
        writer.writerow(cells)
    return stream.getvalue()


FORMATS: Mapping[str, Callable[[TableData], str]] = {
    "md": markdown,
    "tex": latex,
    "html": html_table,
    "csv": csv_text,
}
"""Every format of files by its ending."""


def _texts(table: TableData) -> Iterator[list[str]]:
    for row in table.rows:
        yield [cell_text(column, cell) for column, cell in zip(table.columns, row, strict=True)]


def _pipes(cells: Iterator[str] | map[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _csv(value: Cell) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return f"{value:.10g}" if isinstance(value, int | float) else ""
    text = _CONTROL.sub(" ", value)
    return f"'{text}" if text.startswith(_FORMULA) else text
