"""Answers tool calls from a world's records."""

from __future__ import annotations

from planbench_xl.backend.sqlite import Backend, Lookup

__all__ = ["Backend", "Lookup"]
