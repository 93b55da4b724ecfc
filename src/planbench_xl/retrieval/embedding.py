"""Embeddings of texts, and the cache that makes reruns identical and cheap.

An embedding is kept by model and text: worlds that share texts share embeddings, and a changed tool is embedded anew.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from planbench_xl.errors import RetrieverError

CACHE = "PLANBENCH_XL_CACHE"
"""Environment variable that names the folder of the cache."""

LONGEST = 8_000
"""So many characters of a text are embedded; models read less."""

AT_ONCE = 500
"""So many embeddings are looked up in one statement."""

EMBEDDED_AT_ONCE = 64
"""So many texts are embedded before they are stored: no more is lost when a long job is stopped."""

WAIT_SECONDS = 60.0


class Embedder(Protocol):
    """Embeds texts. `identity` names the model: whatever changes its embeddings changes it."""

    @property
    def identity(self) -> str:
        """What the model is."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return, for each text, its embedding as little-endian 32-bit floats.

        Raises:
            RetrieverError: The model can't be used.
        """


def cache_folder() -> Path:
    """Return the folder of the cache: `$PLANBENCH_XL_CACHE`, or `~/.cache/planbench-xl`."""
    return Path(os.environ.get(CACHE) or Path.home() / ".cache" / "planbench-xl")


class CachedEmbedder:
    """Embeds each text once, and keeps the embedding in a file.

    Args:
        embedder: Embeds what isn't in the cache.
        folder: Folder of the cache; `cache_folder()` by default.
    """

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self._embedder = embedder
        self.identity = embedder.identity
        digest = hashlib.sha256(embedder.identity.encode()).hexdigest()[:24]
        self.path = (folder or cache_folder()) / "embeddings" / f"{digest}.sqlite"

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the embedding of each text; raises as `Embedder.embed`, and if the cache can't be used."""
        # Agents write what isn't valid Unicode; a model has to be given something that is.
        cut = [text[:LONGEST].encode("utf-8", "replace").decode() for text in texts]
        keys = [hashlib.sha256(text.encode()).digest() for text in cut]
        known = self._read(keys)
        missing = list({key: text for key, text in zip(keys, cut, strict=True) if key not in known}.items())
        for start in range(0, len(missing), EMBEDDED_AT_ONCE):
            some = dict(missing[start : start + EMBEDDED_AT_ONCE])
            known |= self._keep(dict(zip(some, self._embedder.embed(list(some.values())), strict=True)))
        return [known[key] for key in keys]

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with self._open() as database:
            for start in range(0, len(keys), AT_ONCE):
                some = keys[start : start + AT_ONCE]
                marks = ",".join("?" * len(some))
                found.update(database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some))
        return found

    def _keep(self, made: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """Store embeddings, and return what is stored: another process may have been first."""
        with self._open() as database:
            database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", made.items())
            database.commit()
        return self._read(list(made))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one use, so that neither processes nor threads share a connection."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS)) as database:
                database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
                yield database
        except (OSError, sqlite3.Error) as error:
            raise RetrieverError(
                f"{self.path}: the cache of embeddings can't be used ({error}). Set {CACHE} to a folder that can be "
                "written; if the file is damaged, remove it."
            ) from error
