"""Where work is done that falls into independent parts: processes of this machine, or a Ray cluster.

Every part depends on nothing but what it is given, so results are the same on any engine, with any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

from planbench_xl.errors import UsageError

EngineName = Literal["local", "ray"]

PART = 16
"""Largest number of items in a part."""

T = TypeVar("T")
R = TypeVar("R")


def spread(
    work: Callable[[T], R], items: Sequence[T], *, workers: int = 1, engine: EngineName = "local"
) -> Iterator[R]:
    """Do some work on each item and yield the results in the order of the items.

    Args:
        work: A function of a module (or a partial of one): it is sent to other processes.
        items: What to work on.
        workers: Number of processes; on a cluster, of parts that are being worked on at a time.
        engine: `local`, or `ray` for the cluster that the variable RAY_ADDRESS names (one of this machine without it).

    Raises:
        UsageError: There is no such engine, or its extra is missing.
    """
    if engine == "ray":
        from planbench_xl.runs.ray_engine import spread_over_ray

        return spread_over_ray(work, items, workers)
    if engine != "local":
        raise UsageError(f"There is no engine '{engine}'. Choose local or ray.")
    return map(work, items) if workers <= 1 else _processes(work, items, workers)


def _processes(work: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Not forked: threads of the numerical libraries don't survive it.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield from pool.map(work, items)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def parts(items: Sequence[T], workers: int) -> list[Sequence[T]]:
    """Divide items into parts in their order: several for each worker, since some take longer than others."""
    size = max(1, min(PART, len(items) // (workers * 4)))
    return [items[i : i + size] for i in range(0, len(items), size)]
