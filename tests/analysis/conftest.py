"""Hand-made episodes on the packaged mini world; see `tests/metrics/conftest.py` for their turns."""

from tests.metrics.conftest import make

__all__ = ["make"]
