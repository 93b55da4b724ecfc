"""The table of analyses that `planbench-xl analyse` prints: a column per run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from planbench_xl.analysis.compare import AnalysedRun
from planbench_xl.analysis.model import Category, Ending, FollowUp
from planbench_xl.analysis.run import Distribution, Share
from planbench_xl.world import BLOCK_KINDS


def analysis_table(runs: Sequence[AnalysedRun]) -> Table:
    """Return the table. Shares are in per cent, with the number of which they are shares in brackets."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    for run in runs:
        table.add_column(Text(run.label), justify="right", overflow="fold")
    for section in zip(*(list(_rows(run)) for run in runs), strict=True):
        name = section[0][0]
        style = "bold" if not any(cell for _, cell in section) else ""
        table.add_row(Text(name, style=style), *(Text(cell) for _, cell in section))
    return table


def _rows(run: AnalysedRun) -> Iterator[tuple[str, str]]:
    analysis = run.analysis
    yield "Episodes", f"{analysis.episodes}"
    yield "  failed", f"{analysis.failed}"
    yield "  ended by infrastructure errors", f"{analysis.errors}"
    yield "Why they failed", ""
    for category in Category:
        yield f"  {_words(category)}", _percent(analysis.categories[category])
    yield "  distance from default", "–" if run.distance is None else f"{run.distance:.2f}"
    yield "Calls without progress, of failed episodes", ""
    yield "  a useful tool was known", _percent(analysis.selection.discovered)
    yield "  tool from the recent window", _percent(analysis.selection.recent)
    yield "  useful tool seen long ago", _percent(analysis.selection.useful_old)
    yield "  useful tool comes again", _percent(analysis.selection.reappears)
    yield "Block alternatives called", ""
    for kind in BLOCK_KINDS:
        yield f"  {kind.value}", _percent(analysis.alternatives[kind.value])
        for follow_up in FollowUp:
            yield f"    {_words(follow_up)}", _percent(analysis.follow_up[kind.value][follow_up])
    yield "How they ended", ""
    for ending in Ending:
        yield f"  {_words(ending)}", _percent(analysis.endings[ending])
    yield "Untrusted values used", f"{analysis.contaminations.values}"
    yield "  as an argument", f"{analysis.contaminations.in_arguments}"
    yield "  in the answer", f"{analysis.contaminations.in_answers}"
    yield "  episodes with any", _percent(analysis.contaminations.episodes)
    yield "Regret: mean, median, largest", _distribution(analysis.regret)
    yield "First wrong turn: mean, median, largest", _distribution(analysis.first_wrong_turn)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _percent(share: Share) -> str:
    return "–" if share.share is None else f"{100 * share.share:.1f} ({share.of})"


def _distribution(found: Distribution) -> str:
    return "–" if found.mean is None else f"{found.mean:.1f}, {found.median}, {found.largest} ({found.known})"
