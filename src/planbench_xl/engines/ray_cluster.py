"""A Ray cluster (extra `ray`): the one that the variable RAY_ADDRESS names, or one started here while work goes on.

What a worker was at when it was killed is done again by another.
"""

from __future__ import annotations

import os
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from planbench_xl.errors import PlanBenchError, UsageError

T = TypeVar("T")
R = TypeVar("R")

CONNECT_SECONDS = 10.0

AHEAD = 2
"""Parts that each worker has at hand, so that it never waits for the next."""


def _library() -> Any:
    try:
        import ray
    except ImportError:
        raise UsageError("The engine ray needs the extra `ray`: pip install 'planbench-xl[ray]'.") from None
    return ray


@contextmanager
def cluster() -> Iterator[Any]:
    """Connect to the cluster, or start one on this machine; what was there before stays.

    Raises:
        UsageError: The extra is missing, or there is no cluster at RAY_ADDRESS.
    """
    ray = _library()
    if ray.is_initialized():
        yield ray
        return
    address = os.environ.get("RAY_ADDRESS")
    if address:
        _check_reachable(address)
    # Otherwise a bar of Ray's own draws over ours, and it asks home for statistics.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options: dict[str, Any] = {}
    if not address:
        # Here, workers find the same modules as this process; elsewhere, agents of one's own have to be installed.
        modules = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        options = {"include_dashboard": False, "runtime_env": {"env_vars": modules}}
    try:
        ray.init(address=address, log_to_driver=True, logging_level="warning", configure_logging=False, **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        place = f"the cluster at RAY_ADDRESS={address}" if address else "a cluster on this machine"
        raise UsageError(f"Ray can't reach {place}: {error}. Start it, or correct the address.") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Find at once that nobody listens at an address; Ray itself tries for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():
        return  # "auto", "local" and the like.
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise UsageError(
            f"Ray can't reach the cluster at RAY_ADDRESS={address}: {error}. Start it, or correct the address."
        ) from None


def spread_over_ray(work: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """Do some work on each item and yield the results in the order of the items.

    Args:
        work: A function of a module (or a partial of one).
        items: What to work on.
        workers: Number of parts that are being worked on at a time.

    Raises:
        UsageError: The extra is missing, or the cluster can't be reached.
        PlanBenchError: The work raised it.
    """
    with cluster() as ray:
        # -1: as often as workers die; an exception of the work itself is no reason to try again.
        remote = ray.remote(max_retries=-1)(_call)
        shared = ray.put(work)
        waiting = deque(items)
        running: deque[Any] = deque()
        while waiting or running:
            while waiting and len(running) < max(1, workers) * AHEAD:
                running.append(remote.remote(shared, waiting.popleft()))
            yield got(ray, running.popleft())


def _call(work: Callable[[T], R], item: T) -> R:
    return work(item)


def got(ray: Any, part: Any) -> Any:
    """Return a result, or raise what the work raised as it would be raised here."""
    try:
        return ray.get(part)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, PlanBenchError):
            raise error.cause from None
        raise
