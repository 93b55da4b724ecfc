"""Files of one JSON record per line that only grow and survive the end of the process at any time.

A line is there whole or not at all: what a failed write left is cut off at once, and what a killed process left when
the file is read the next time.
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from planbench_xl.errors import StoreError

R = TypeVar("R", bound=msgspec.Struct)


class Lines(Generic[R]):
    """A file of records, which only grows; its folder's one writer uses it.

    Args:
        path: The file; it is made, with its folder, when the first record is added.
        kind: The records' type.
        remedy: What to do if a line can't be used.
    """

    def __init__(self, path: Path, kind: type[R], remedy: str = "Restore it, or choose another folder.") -> None:
        self._path = path
        self._decoder = msgspec.json.Decoder(kind)
        self._remedy = remedy

    def read(self) -> list[R]:
        """Return the records, and cut off a torn last line.

        Raises:
            StoreError: The file can't be read, or a line of it is faulty.
        """
        try:
            data = self._path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                os.truncate(self._path, len(whole))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"{self._path} can't be read ({error.strerror}). Check its permissions.") from error
        found = []
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                found.append(self._decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise StoreError(f"{self._path}, line {number}: can't be used ({error}). {self._remedy}") from error
        return found

    def add(self, *records: R) -> None:
        """Add records; when this returns, the death of the process can't lose them.

        Raises:
            StoreError: The disk is full or failed; nothing of the records is left in the file.
        """
        try:
            self._path.parent.mkdir(exist_ok=True)
            file = open_to_append(self._path)
            try:
                append(file, b"".join(msgspec.json.encode(record) + b"\n" for record in records))
            finally:
                os.close(file)
        except OSError as error:
            raise StoreError(write_failure(self._path, error)) from error

    def remove(self) -> None:
        """Remove the file, if it is there."""
        with contextlib.suppress(OSError):
            self._path.unlink()


def open_to_append(path: Path) -> int:
    """Open a file, which is made if it is missing, for reading and for writing at its end; return its descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)


def append(file: int, data: bytes) -> None:
    """Write at the end of a file that nobody else writes; if that fails, cut off what was written.

    Raises:
        OSError: The disk is full or failed.
    """
    size = os.fstat(file).st_size
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        with contextlib.suppress(OSError):
            os.ftruncate(file, size)
        raise


def write_failure(path: Path, error: OSError) -> str:
    """Say why a file of a run can't be written, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        remedy = "Make room, then start the run again: it continues where it stopped"
        return f"{path} can't be written: the disk or its quota is full. {remedy}."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{path} can't be written: it is read-only for you. Choose another folder or change its permissions."
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return f"{path} can't be used as a run folder: a file is in its place. Choose another folder."
    return f"{path} can't be written ({error.strerror}). Check the disk, then start the run again: it continues."
