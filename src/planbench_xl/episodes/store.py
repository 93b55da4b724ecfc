"""The episode store of a run: `episodes.jsonl`, one compact record per line, one line per query and epoch.

Lines are only ever added, each in one write. What a write returned for survives the end of the process, however it
ends; for a loss of power the file is synchronised every few seconds and when the writer closes. A write that was cut
short leaves a torn last line: readers pass over it, and the next writer cuts it off. Anything else that is wrong
in the file is an error that names the line, never something to skip.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import NoReturn, TypeVar

import msgspec

from planbench_xl.episodes.lines import append, open_to_append, write_failure
from planbench_xl.episodes.record import EPISODE_VERSION, Episode, Status
from planbench_xl.errors import StoreError

try:
    import fcntl
except ImportError:  # Windows has no advisory locks of this kind: there, one writer is up to the user.
    fcntl = None  # type: ignore[assignment]

EPISODES = "episodes.jsonl"
LOCK = ".lock"
SYNC_SECONDS = 5.0

Key = tuple[str, int]

_encoder = msgspec.json.Encoder()
_locked: set[Path] = set()


class Head(msgspec.Struct, frozen=True):
    """The few fields of an episode that planning a run needs; reading them is several times faster.

    Attributes:
        query_id: The query.
        epoch: Number of the repetition.
        status: How it came out.
        version: Version of the record.
    """

    query_id: str
    epoch: int = 0
    status: Status = Status.ERROR
    version: int = EPISODE_VERSION

    @property
    def key(self) -> Key:
        """What tells the episodes of a run apart."""
        return (self.query_id, self.epoch)


class _Version(msgspec.Struct):
    version: int = EPISODE_VERSION


R = TypeVar("R", Episode, Head)


def encode_episode(episode: Episode) -> bytes:
    """Return an episode as a line of the store."""
    return _encoder.encode(episode) + b"\n"


def iter_episodes(folder: str | Path) -> Iterator[Episode]:
    """Yield the episodes of a run folder, one at a time, in the order in which they ended.

    Raises:
        StoreError: There is no store, or a line of it is faulty; the message names file, line and remedy.
    """
    return _iter(Path(folder) / EPISODES, Episode)


def read_episodes(folder: str | Path) -> list[Episode]:
    """Return the episodes of a run folder sorted by key, so that nothing computed from them depends on who ended first.

    Raises:
        StoreError: As `iter_episodes`.
    """
    with uncollected():
        return sorted(iter_episodes(folder), key=lambda episode: episode.key)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector of reference cycles.

    Episodes hold none, but so many objects that looking for some takes as long as reading them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_heads(folder: str | Path) -> dict[Key, Head]:
    """Return the head of every episode of a run folder by key; none if it has no store yet.

    Raises:
        StoreError: As `iter_episodes`, apart from the missing store.
    """
    path = Path(folder) / EPISODES
    return {head.key: head for head in _iter(path, Head)} if path.exists() else {}


def _iter(path: Path, kind: type[R]) -> Iterator[R]:
    decoder = msgspec.json.Decoder(kind)
    seen: dict[Key, int] = {}
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    record = decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    if not line.endswith(b"\n"):
                        return  # Torn: only the last line can lack its end.
                    _refuse(path, number, line, error)
                if record.version > EPISODE_VERSION:
                    _refuse_version(path, number, record.version)
                first = seen.setdefault(record.key, number)
                if first != number:
                    raise StoreError(
                        f"{path}, line {number}: query '{record.query_id}', epoch {record.epoch} is already recorded "
                        f"in line {first}. Remove one of the two lines."
                    )
                yield record
    except FileNotFoundError:
        raise StoreError(f"{path.parent} holds no run: {path.name} is missing. Give the folder of a run.") from None
    except OSError as error:
        raise StoreError(f"{path} can't be read ({error.strerror}). Check the path and its permissions.") from error


def _refuse(path: Path, number: int, line: bytes, error: Exception) -> NoReturn:
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
        version = msgspec.json.decode(line, type=_Version).version
        if version > EPISODE_VERSION:
            _refuse_version(path, number, version)
    raise StoreError(
        f"{path}, line {number}: is no episode record ({error}). Restore the line, or remove it and start the run "
        "again: the episode is then repeated."
    ) from error


def _refuse_version(path: Path, number: int, version: int) -> NoReturn:
    raise StoreError(
        f"{path}, line {number}: has version {version}, this package reads up to {EPISODE_VERSION}. "
        "Read it with the version of planbench-xl that wrote it, or a later one."
    )


class EpisodeWriter:
    """Adds episodes to the store of a run folder; at most one writer per folder. Use as a context manager.

    Args:
        folder: The run folder; it is made if it is missing.

    Raises:
        StoreError: Another process writes, or the folder can't be written.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.path = self.folder / EPISODES
        self._synced = time.monotonic()
        self._file = -1
        with _explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _Lock(self.folder / LOCK)
        try:
            with _explained(self.path):
                self._file = open_to_append(self.path)
                self._mend()
        except BaseException:
            self.close()
            raise

    def _mend(self) -> None:
        """Cut off a torn last line. One that only lacks its end is whole: it gets it."""
        size = os.fstat(self._file).st_size
        start, tail = size, b""
        while start > 0 and b"\n" not in tail:
            step = min(1 << 16, start)
            start -= step
            os.lseek(self._file, start, os.SEEK_SET)
            tail = os.read(self._file, step) + tail
        torn = tail[tail.rfind(b"\n") + 1 :]
        if not torn:
            return
        try:
            msgspec.json.decode(torn, type=Episode)
        except (msgspec.DecodeError, UnicodeDecodeError):
            os.ftruncate(self._file, size - len(torn))
        else:
            append(self._file, b"\n")

    def write(self, episodes: Iterable[Episode]) -> None:
        """Add episodes; when it returns, the death of this process can't lose them.

        Raises:
            StoreError: The disk is full or failed; nothing of these episodes is left in the store.
        """
        self.write_lines(b"".join(map(encode_episode, episodes)))

    def write_lines(self, lines: bytes) -> None:
        """Add episodes that `encode_episode` has made into lines."""
        with _explained(self.path):
            append(self._file, lines)
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()

    def drop(self, keys: Iterable[Key]) -> None:
        """Remove episodes, to run them again. The store is replaced in one step: it is never without the others."""
        unwanted = set(keys)
        kept = (encode_episode(e) for e in iter_episodes(self.folder) if e.key not in unwanted)
        with _explained(self.path):
            # Some systems don't replace a file that is open.
            os.close(self._file)
            try:
                replace_file(self.path, kept)
            finally:
                self._file = open_to_append(self.path)

    def close(self) -> None:
        """Synchronise the file and let others write."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1
        self._lock.release()

    def __enter__(self) -> EpisodeWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def replace_file(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file so that it is there either as it was or whole, whatever happens meanwhile.

    Only the holder of the folder's lock may: the temporary file always has the same name, so that none are left over.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


class _Lock:
    """An exclusive lock that ends with the process.

    It is a record lock on a file of its own: forked workers don't inherit it, so orphans can't hold it, and reading the
    store can't drop it. Such locks don't exclude writers of the same process; a set of paths does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        if self._path in _locked:
            _refuse_writer(path, f"process {os.getpid()}")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode())
        except OSError as error:
            holder = os.read(self._file, 20).decode("ascii", "replace").strip()
            os.close(self._file)
            if error.errno in (errno.EACCES, errno.EAGAIN):
                _refuse_writer(path, f"process {holder}" if holder else "another process")
            raise
        _locked.add(self._path)

    def release(self) -> None:
        if self._file >= 0:
            _locked.discard(self._path)
            os.close(self._file)
            self._file = -1


def _refuse_writer(path: Path, holder: str) -> NoReturn:
    raise StoreError(f"{path.parent} is being written by {holder}. Wait until it ends, or choose another folder.")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn a failure to write into an error that says what to do."""
    try:
        yield
    except OSError as error:
        raise StoreError(write_failure(path, error)) from error
