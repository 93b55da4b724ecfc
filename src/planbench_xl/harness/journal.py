"""The journal of an episode that is being played: every reply of the model, written down before it is acted on.

A journal lives in the run folder as `journal/QUERY#EPOCH.jsonl` until its episode is stored. After a crash, or to go on
after an infrastructure error, its replies are taken again in a fresh environment, and the model isn't asked anew.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import msgspec

from planbench_xl.episodes.lines import Lines
from planbench_xl.episodes.record import Usage
from planbench_xl.episodes.store import Key
from planbench_xl.protocols.chat import Reply

JOURNAL = "journal"

REMEDY = "Remove the file: the episode is then played from its start."


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
        self._lines = None if folder is None else Lines(folder / JOURNAL / self.name(key), Asked, REMEDY)

    @staticmethod
    def name(key: Key) -> str:
        """Return the name of an episode's journal."""
        return f"{quote(key[0], safe='')}#{key[1]}.jsonl"

    def read(self) -> list[Asked]:
        """Return what was written, and cut off a torn last line.

        Raises:
            StoreError: The file can't be read, or a line of it is faulty.
        """
        return [] if self._lines is None else self._lines.read()

    def add(self, asked: Asked) -> None:
        """Write a reply down; when this returns, the death of the process can't lose it.

        Raises:
            StoreError: The disk is full or failed; nothing of the reply is left in the file.
        """
        if self._lines is not None:
            self._lines.add(asked)

    def remove(self) -> None:
        """Remove the journal: its episode is stored."""
        if self._lines is not None:
            self._lines.remove()
