"""Plays many episodes in several processes."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from planbench_xl.engines import parts
from planbench_xl.episodes.record import Status
from planbench_xl.episodes.store import Key
from planbench_xl.errors import PlanBenchError
from planbench_xl.runs.player import Batch, Job, Player, play_here, rare_collections

SEND_SECONDS = 0.1
"""A worker sends what it has played at least this often: no more than that is lost when it is killed."""


def play_parallel(player: Player, keys: Sequence[Key], workers: int) -> Iterator[Batch]:
    """Play episodes in several processes. Batches come in the order in which they end.

    Args:
        player: Plays them; it must not have played yet. Forked workers take a copy of it, others make their own.
        keys: The episodes.
        workers: Number of processes.

    Raises:
        PlanBenchError: A worker met a fault of the world, or died; what it had sent has been yielded.
    """
    chunks = deque(parts(keys, workers))
    forking = _can_fork()
    context: Any = multiprocessing.get_context("fork" if forking else "spawn")
    active: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(min(workers, len(chunks))):
            ours, theirs = context.Pipe()
            given = (player, [*active, ours]) if forking else (player.job, [])
            process = context.Process(target=_work, args=(theirs, *given), daemon=True)
            process.start()
            theirs.close()
            active[ours] = process
            # Two chunks each: a worker never waits for its next one.
            _hand_out(ours, chunks)
            _hand_out(ours, chunks)
        while active:
            for connection in wait(list(active)):
                assert isinstance(connection, Connection)
                yield from _receive(connection, active, chunks)
    finally:
        for process in active.values():
            process.terminate()
        for connection, process in active.items():
            process.join(5)
            connection.close()


def _can_fork() -> bool:
    """Forking is fastest, but safe only where the system libraries allow it and no other thread runs.

    The system is asked, since Python doesn't know of threads that libraries start.
    """
    return sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) == 1


def _hand_out(connection: Connection, chunks: deque[Sequence[Key]]) -> None:
    # A worker that died is noticed when its end of the pipe is read.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.send(chunks.popleft() if chunks else None)


def _receive(
    connection: Connection, active: dict[Connection, BaseProcess], chunks: deque[Sequence[Key]]
) -> Iterator[Batch]:
    """Take one message of a worker: a batch, the end of a chunk (None), of its work (True), or a fault."""
    try:
        message = connection.recv()
    except (EOFError, ConnectionResetError):
        process = active[connection]
        process.join(5)
        raise PlanBenchError(
            f"A worker process died (exit status {process.exitcode}), perhaps for lack of memory. What had been played "
            "is stored: start the run again to continue, with fewer --workers if memory is short."
        ) from None
    if isinstance(message, Batch):
        yield message
    elif message is None:
        _hand_out(connection, chunks)
    elif message is True:
        active.pop(connection).join(5)
        connection.close()
    elif isinstance(message, PlanBenchError):
        raise message
    else:
        raise RuntimeError(f"A worker process failed:\n{message}")


def _work(connection: Connection, given: Player | Job, inherited: Sequence[Connection]) -> None:
    """Play chunks until there are no more. Ends by itself when the parent process is gone.

    Args:
        connection: The worker's end of its pipe.
        given: A player, or what to make one of.
        inherited: Ends of pipes that are the parent's: as long as a worker holds one too, nobody notices the parent's
            death.
    """
    for end in inherited:
        end.close()
    # Ctrl-C goes to all processes of the terminal; the parent decides what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        player = Player(given) if isinstance(given, Job) else given
        with rare_collections():
            while (keys := connection.recv()) is not None:
                _play_chunk(connection, player, keys)
                connection.send(None)
        connection.send(True)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except PlanBenchError as error:
        connection.send(PlanBenchError(str(error)))
    except Exception:
        connection.send(traceback.format_exc())


def _play_chunk(connection: Connection, player: Player, keys: Sequence[Key]) -> None:
    lines: list[bytes] = []
    outcomes: list[tuple[Status, int]] = []
    sent = time.monotonic()
    for batch in play_here(player, keys):
        lines.append(batch.lines)
        outcomes += batch.outcomes
        if time.monotonic() - sent >= SEND_SECONDS:
            connection.send(Batch(b"".join(lines), outcomes))
            lines, outcomes, sent = [], [], time.monotonic()
    if outcomes:
        connection.send(Batch(b"".join(lines), outcomes))
