"""Small files of one JSON record per line that survive the end of the process at any time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from planbench_xl.episodes.store import write_failure
from planbench_xl.errors import StoreError

R = TypeVar("R", bound=msgspec.Struct)


class Lines(Generic[R]):
    """A file of records, which only grows; the folder's one writer uses it.

    Args:
        path: The file; it is made when the first record is added.
        kind: The records' type.
    """

    def __init__(self, path: Path, kind: type[R]) -> None:
        self._path = path
        self._decoder = msgspec.json.Decoder(kind)

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
                raise StoreError(
                    f"{self._path}, line {number}: can't be used ({error}). Restore it, or choose another folder."
                ) from error
        return found

    def add(self, record: R) -> None:
        """Add a record; when this returns, the death of the process can't lose it.

        Raises:
            StoreError: The disk is full or failed; nothing of the record is left in the file.
        """
        data = memoryview(msgspec.json.encode(record) + b"\n")
        try:
            self._path.parent.mkdir(exist_ok=True)
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
            try:
                size = os.fstat(file).st_size
                try:
                    while data:
                        data = data[os.write(file, data) :]
                except BaseException:
                    with contextlib.suppress(OSError):
                        os.ftruncate(file, size)
                    raise
            finally:
                os.close(file)
        except OSError as error:
            raise StoreError(write_failure(self._path, error)) from error

    def remove(self) -> None:
        """Remove the file, if it is there."""
        with contextlib.suppress(OSError):
            self._path.unlink()
