"""Workers on an engine, for one round of work or for several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from planbench_xl.errors import PlanBenchError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

EngineName = Literal["local", "ray"]

PART = 16
"""Largest number of items in a part."""

DEATHS = 3
"""So many times workers may die before a piece of work is done."""

T = TypeVar("T")
R = TypeVar("R")


class Crew:
    """Workers that stay for several rounds of work; `crew` makes one.

    Attributes:
        workers: Number of processes; on a cluster, of parts that are being worked on at a time.
    """

    def __init__(self, workers: int = 1, start: Callable[[], Executor] | None = None, *, cluster: bool = False) -> None:
        self.workers = workers
        self._start = start
        self._pool: Executor | None = None
        self._cluster = cluster

    def spread(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Do some work on each item and yield the results in the order of the items.

        Args:
            work: What can be sent to other processes: a function of a module, a partial of one, a method.
            items: What to work on.

        Raises:
            PlanBenchError: Workers died again and again.
        """
        if self._cluster:
            from planbench_xl.engines.ray_cluster import spread_over_ray

            return spread_over_ray(work, items, self.workers)
        if self._start is None:
            return map(work, items)
        futures: dict[int, Future[R]] = {}
        # At once: whoever asked may do something else before taking the first result.
        self._submit(work, items, futures)
        return self._results(work, items, futures)

    def _submit(
        self, work: Callable[[T], R], items: Sequence[T], futures: dict[int, Future[R]], first: int = 0
    ) -> None:
        """Give out what hasn't been given out; nothing more once the workers have died."""
        from concurrent.futures import BrokenExecutor

        with suppress(BrokenExecutor):
            for number in range(first, len(items)):
                if number not in futures:
                    futures[number] = self._processes().submit(work, items[number])

    def _results(self, work: Callable[[T], R], items: Sequence[T], futures: dict[int, Future[R]]) -> Iterator[R]:
        from concurrent.futures import BrokenExecutor

        for number in range(len(items)):
            for _ in range(DEATHS):
                with suppress(BrokenExecutor):
                    if number in futures:
                        result = futures[number].result()
                        break
                # A killed process takes all others with it: what none of them has ended is done again.
                for later in range(number, len(items)):
                    if later in futures and futures[later].exception() is not None:
                        del futures[later]
                self.dismiss()
                self._submit(work, items, futures, number)
            else:
                raise PlanBenchError(
                    f"Workers died {DEATHS} times at the same work, perhaps for lack of memory. Use fewer workers."
                )
            yield result
            del futures[number]

    def _processes(self) -> Executor:
        assert self._start is not None
        if self._pool is None:
            self._pool = self._start()
        return self._pool

    def dismiss(self) -> None:
        """Let the workers go; what they haven't begun is left."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


@contextmanager
def crew(workers: int = 1, engine: EngineName = "local") -> Iterator[Crew]:
    """Gather workers; a single one on this machine is this process.

    Args:
        workers: Number of them.
        engine: `local`, or `ray` for the cluster that the variable RAY_ADDRESS names (one of this machine without it).

    Raises:
        UsageError: There is no such engine, or its extra is missing.
    """
    _check(engine)
    if engine == "ray":
        from planbench_xl.engines.ray_cluster import cluster

        with cluster():
            yield Crew(workers, cluster=True)
        return
    gathered = Crew(workers, partial(_spawned, workers)) if workers > 1 else Crew()
    try:
        yield gathered
    finally:
        gathered.dismiss()


def _spawned(workers: int) -> Executor:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Not forked: threads of the numerical libraries don't survive it.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def spread(
    work: Callable[[T], R], items: Sequence[T], *, workers: int = 1, engine: EngineName = "local"
) -> Iterator[R]:
    """Do one round of work with a crew of its own; see `Crew.spread` and `crew`.

    Raises:
        UsageError: There is no such engine, or its extra is missing.
    """
    _check(engine)
    return _spread(work, items, workers, engine)


def _spread(work: Callable[[T], R], items: Sequence[T], workers: int, engine: EngineName) -> Iterator[R]:
    with crew(workers, engine) as gathered:
        yield from gathered.spread(work, items)


def _check(engine: str) -> None:
    if engine not in get_args(EngineName):
        raise UsageError(f"There is no engine '{engine}'. Choose local or ray.")


def parts(items: Sequence[T], workers: int) -> list[Sequence[T]]:
    """Divide items into parts in their order: several for each worker, since some take longer than others."""
    size = max(1, min(PART, len(items) // (workers * 4)))
    return [items[i : i + size] for i in range(0, len(items), size)]
