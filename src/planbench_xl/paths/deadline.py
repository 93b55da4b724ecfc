"""Time limits."""

from __future__ import annotations

import time


class Deadline:
    """A time limit in seconds, or none; started when made."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def part(self, share: float) -> Deadline:
        """Return a deadline that ends after this share of the time left."""
        return Deadline(None if self._end is None else max(0.0, self._end - time.monotonic()) * share)

    def passed(self) -> bool:
        """Return whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end
