"""Episodes: what is recorded of each, the append-only store, and readers of other formats."""

from __future__ import annotations
