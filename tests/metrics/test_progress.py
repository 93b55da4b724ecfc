"""Progress calls, by the listed paths and by all paths."""

from __future__ import annotations

import msgspec

from planbench_xl.metrics.progress import progress_calls
from planbench_xl.world import World
from tests.metrics.conftest import Make, answered, called, changed, seen
from tests.metrics.test_episode import BLOCKED_COST, COST, COST_STALE, JOB, LOAN, REPORT, TIME

TASK = "library_task_04"


def test_the_steps_of_a_path_are_progress(mini: World, make: Make) -> None:
    episode = make(seen(LOAN), called(LOAN), called(REPORT), called(JOB), called(COST, 57.2), answered("57.2"))
    for exact in (False, True):
        assert progress_calls(mini, episode, exact_paths=exact) == (None, True, True, True, True, None)


def test_what_is_no_progress(mini: World, make: Make) -> None:
    untrue = (called(COST_STALE), called(BLOCKED_COST, success=False), called(LOAN, success=False))
    broken = called(LOAN, broken=True)
    again = (called(LOAN), called(LOAN))
    beside = (called(REPORT), called(JOB), called(TIME))
    episode = make(*untrue, broken, *again, *beside)
    for exact in (False, True):
        found = progress_calls(mini, episode, exact_paths=exact)
        assert found == (False, False, False, False, True, False, True, True, False)


def test_blocked_paths_need_nothing(mini: World, make: Make) -> None:
    paths = mini.tool_sets[TASK]
    first = next(path for path in paths if LOAN in path)
    others = {name for path in paths if path != first for name in path}
    (only, *_) = sorted(set(first) - others)
    episode = changed(make(called(only)), blocked={name: ("explicit",) for name in first if name in {LOAN, only}})
    outputs = set(mini.tool[only].output_datatypes)
    left = [path for path in paths if not set(path) & set(episode.blocked)]
    needed = {d for path in left for name in path for d in mini.tool[name].output_datatypes}
    for exact in (False, True):
        assert progress_calls(mini, episode, exact_paths=exact) == (bool(outputs & needed),)


def test_an_unlisted_path_is_progress_in_truth_only(mini: World, make: Make) -> None:
    listed = mini.tool_sets[TASK]
    entries = tuple(
        msgspec.structs.replace(entry, tool_sets=listed[:1]) if entry.task_id == TASK else entry for entry in mini.paths
    )
    poorer = msgspec.structs.replace(mini, paths=entries)
    on_first = {d for name in listed[0] for t in [mini.tool[name]] for d in (*t.inputs, *t.output_datatypes)}
    off = next(
        name
        for path in listed[1:]
        for name in sorted(path)
        if not on_first.issuperset(mini.tool[name].output_datatypes)
    )
    episode = changed(make(called(off)), world=poorer.fingerprint)
    assert progress_calls(poorer, episode) == (False,)
    assert progress_calls(poorer, episode, exact_paths=True) == (True,)


def test_a_detour_that_is_done_with_needs_nothing_more(mini: World, make: Make) -> None:
    """Once a datatype is obtained, another route to it is no progress, though it lies on a listed path."""
    paths = mini.tool_sets[TASK]
    long = max(paths, key=len)
    short = min(paths, key=len)
    both = [*short, *(name for name in long if name not in short)]
    exact = progress_calls(mini, make(*(called(name) for name in both)), exact_paths=True)
    assert exact[: len(short)] == (True,) * len(short)
    assert not any(exact[len(short) :])
