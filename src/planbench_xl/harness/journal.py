"""The journal of an episode that is being played: every reply of the model, written down before it is acted on.

A journal lives in the run folder as `journal/QUERY#EPOCH.jsonl` until its episode is stored. After a crash, or to go on
after an infrastructure error, its replies are taken again in a fresh environment, and the model isn't asked anew.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from urllib.parse import quote

import msgspec

from planbench_xl.episodes.record import Usage
from planbench_xl.episodes.store import Key, write_failure
from planbench_xl.errors import StoreError
from planbench_xl.protocols.chat import Reply

JOURNAL = "journal"


class Asked(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a model replied when it was asked.

    Attributes:
        reply: Its text and function calls.
        message: The whole reply, reasoning and signatures too, as JSON of the provider's message: it is sent back so.
        usage: What it took.
        spoiled: Why nothing can be made of it: a code word, then the detail. Empty for a good reply.
    """

    reply: Reply = Reply()
    message: msgspec.Raw = msgspec.Raw(b"null")
    usage: Usage = Usage(cost=0.0)
    spoiled: str = ""


class Journal:
    """The journal of one episode.

    Args:
        folder: The run folder; None to keep nothing.
        key: Query and epoch.
    """

    def __init__(self, folder: Path | None, key: Key) -> None:
        self._path = None if folder is None else folder / JOURNAL / self.name(key)

    @staticmethod
    def name(key: Key) -> str:
        """Return the name of an episode's journal."""
        return f"{quote(key[0], safe='')}#{key[1]}.jsonl"

    def read(self) -> list[Asked]:
        """Return what was written, and cut off a torn last line.

        Raises:
            StoreError: The file can't be read, or a line of it is faulty.
        """
        if self._path is None or not self._path.exists():
            return []
        data = self._read()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(self._path, len(whole))
        decoder = msgspec.json.Decoder(Asked)
        found = []
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                found.append(decoder.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise StoreError(
                    f"{self._path}, line {number}: is no reply of a model ({error}). Remove the file: the episode is "
                    "then played from its start."
                ) from error
        return found

    def _read(self) -> bytes:
        assert self._path is not None
        try:
            return self._path.read_bytes()
        except OSError as error:
            raise StoreError(f"{self._path} can't be read ({error.strerror}). Check its permissions.") from error

    def add(self, asked: Asked) -> None:
        """Write a reply down; when this returns, the death of the process can't lose it.

        Raises:
            StoreError: The disk is full or failed.
        """
        if self._path is None:
            return
        try:
            try:
                self._append(msgspec.json.encode(asked) + b"\n")
            except FileNotFoundError:
                self._path.parent.mkdir(exist_ok=True)
                self._append(msgspec.json.encode(asked) + b"\n")
        except OSError as error:
            raise StoreError(write_failure(self._path, error)) from error

    def _append(self, data: bytes) -> None:
        assert self._path is not None
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
        finally:
            os.close(file)

    def remove(self) -> None:
        """Remove the journal: its episode is stored."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
