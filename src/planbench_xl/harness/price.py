"""What a model costs, by the user's word or by Inspect's data."""

from __future__ import annotations

import msgspec
from inspect_ai.model import Model, get_model_info

from planbench_xl.episodes.record import Usage
from planbench_xl.errors import UsageError

MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True):
    """Dollars per million tokens: read, written, and read from the provider's cache."""

    read: float
    written: float
    cached: float

    def of(self, usage: Usage) -> float | None:
        """Return what was to be paid; None if it isn't known how much was used."""
        if usage.unmetered:
            return None
        read = usage.input_tokens - usage.cached_tokens
        paid = read * self.read + usage.cached_tokens * self.cached + usage.output_tokens * self.written
        return paid / MILLION


def read_price(text: str | None) -> Price | None:
    """Return a price given as `IN,OUT` or `IN,OUT,CACHED`; None if none is given.

    Raises:
        UsageError: It is no price.
    """
    if text is None:
        return None
    try:
        parts = [float(part) for part in text.split(",")]
    except ValueError:
        parts = []
    if len(parts) not in (2, 3) or not all(0 <= part < 1e9 for part in parts):
        raise UsageError(f"'{text}' is no price. Write IN,OUT or IN,OUT,CACHED: dollars per million tokens.")
    return Price(parts[0], parts[1], parts[-1] if len(parts) == 3 else parts[0])


def known_price(model: Model) -> Price | None:
    """Return the price of a model that Inspect knows, if it knows one."""
    info = get_model_info(model)
    if info is None or info.cost is None:
        return None
    return Price(info.cost.input, info.cost.output, info.cost.input_cache_read)
