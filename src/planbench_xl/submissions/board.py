"""A static leaderboard page from a folder of submissions. Only what verifies is shown with figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from planbench_xl.errors import StoreError, SubmissionError
from planbench_xl.submissions.checking import Verdict, read_claim, verify
from planbench_xl.submissions.claim import Figures
from planbench_xl.world import World
from planbench_xl.world.storage import write_atomically

PAGE = "index.html"
JUDGE = "exact"
"""Judge of the leaderboard: an answer that lists several values doesn't count."""

SHOWN_PROBLEMS = 3
Z = 1.959963984540054

COLUMNS: Sequence[tuple[str, str, float]] = (
    ("egt_precision", "EGT-P %", 100),
    ("turns", "Turns", 1),
    ("edt", "EDT", 1),
    ("search_to_call", "S/C", 1),
    ("itcr", "ITCR %", 100),
    ("uirr", "UIRR %", 100),
)
"""Key, heading and factor of the figures beside accuracy."""

Report = Callable[[Path, int, int], None]
"""Told of each archive how many of its episodes have been replayed, of how many."""


def write_board(
    folder: str | Path, out: str | Path, *, worlds: Mapping[str, World] | None = None, report: Report | None = None
) -> list[Verdict]:
    """Verify every submission of a folder and write the leaderboard page.

    Args:
        folder: Folder of archives (`*.zip`).
        out: Folder for the page, `index.html`.
        worlds: Worlds that aren't packaged, by fingerprint.
        report: Told how far the check is.

    Returns:
        A verdict per archive, in the order of their names.

    Raises:
        SubmissionError: There is no archive, or a file is none.
        StoreError: The page can't be written.
    """
    archives = sorted(Path(folder).glob("*.zip"))
    if not archives:
        raise SubmissionError(f"{folder} holds no submission (*.zip). Make one with `planbench-xl submit pack RUN`.")
    verdicts = [_verify(path, worlds or {}, report) for path in archives]
    page = Path(out) / PAGE
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(page, render(verdicts).encode())
    except OSError as error:
        raise StoreError(f"{page} can't be written ({error.strerror}). Choose another place with --out.") from error
    return verdicts


def _verify(path: Path, worlds: Mapping[str, World], report: Report | None) -> Verdict:
    world = worlds.get(read_claim(path).world_fingerprint)
    return verify(path, world, (lambda done, total: report(path, done, total)) if report else None)


def render(verdicts: Sequence[Verdict]) -> str:
    """Return the page; whatever comes from an archive is escaped."""
    template = files("planbench_xl.submissions").joinpath("board.html").read_text(encoding="utf-8")
    valid = sorted((v for v in verdicts if v.valid), key=lambda v: (v.claim.world, v.claim.world_fingerprint))
    groups = groupby(valid, key=lambda v: (v.claim.world, v.claim.world_fingerprint))
    worlds = "\n".join(_world(*name, list(group)) for name, group in groups)
    refused = _refused([v for v in verdicts if not v.valid])
    # In this order: nothing of an archive can stand for a slot of the template.
    head, rest = template.split("{{worlds}}")
    middle, tail = rest.split("{{refused}}")
    return "".join((head, worlds, middle, refused, tail))


def _world(name: str, fingerprint: str, verdicts: list[Verdict]) -> str:
    parts = [f"<h2>World {escape(name)} <small><code>{escape(fingerprint[:12])}</code></small></h2>"]
    by_setting = sorted(verdicts, key=lambda v: v.claim.setting)
    for setting, group in groupby(by_setting, key=lambda v: v.claim.setting):
        ranked = sorted(group, key=lambda v: (-_accuracy(v), v.claim.name))
        parts.append(_table(setting, ranked))
    return "\n".join(parts)


def _figures(verdict: Verdict) -> Figures:
    return verdict.figures[JUDGE]


def _accuracy(verdict: Verdict) -> float:
    return _figures(verdict).metrics_errors_as_failures["accuracy"] or 0.0


def _table(setting: str, verdicts: Iterable[Verdict]) -> str:
    heads = ["Run", "Accuracy %", *(head for _, head, _ in COLUMNS), "Episodes", "Protocol"]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    rows = "\n".join(_row(verdict) for verdict in verdicts)
    caption = f"<caption>Setting {escape(setting)}, judge {JUDGE}</caption>"
    return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _row(verdict: Verdict) -> str:
    figures = _figures(verdict)
    count = figures.scored + figures.errors
    low, high = wilson(figures.succeeded, count)
    mark = " *" if figures.errors else ""
    cells = [f"{_accuracy(verdict) * 100:.2f} <small>[{low * 100:.1f}, {high * 100:.1f}]</small>"]
    cells += [_show(figures.metrics[key], factor) for key, _, factor in COLUMNS]
    cells += [str(count), f"<code>{escape(verdict.claim.protocol)}</code>"]
    shown = "".join(f"<td>{cell}</td>" for cell in cells)
    return f"<tr><td>{escape(verdict.claim.name)}{mark}</td>{shown}</tr>"


def _show(value: float | None, factor: float) -> str:
    return "–" if value is None else f"{value * factor:.2f}"


def _refused(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return ""
    rows = []
    for verdict in verdicts:
        shown = "; ".join(verdict.problems[:SHOWN_PROBLEMS])
        more = len(verdict.problems) - SHOWN_PROBLEMS
        text = f"{shown}; and {more} more" if more > 0 else shown
        rows.append(f"<li><code>{escape(verdict.file)}</code>: {escape(text)}.</li>")
    return f"<h2>Not verified</h2>\n<ul>\n{chr(10).join(rows)}\n</ul>"


def wilson(successes: int, count: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share, as fractions; (0, 1) for no observation."""
    if not count:
        return 0.0, 1.0
    share = successes / count
    middle = (share + Z**2 / (2 * count)) / (1 + Z**2 / count)
    half = Z * math.sqrt(share * (1 - share) / count + Z**2 / (4 * count**2)) / (1 + Z**2 / count)
    return max(0.0, middle - half), min(1.0, middle + half)
