"""Estimates what an evaluation would take, before anything is asked of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
from inspect_ai.model import Model, get_model_info

from planbench_xl.environment import Environment, Setting
from planbench_xl.episodes.record import Episode, Status
from planbench_xl.episodes.store import EPISODES, Key, iter_episodes
from planbench_xl.errors import UsageError
from planbench_xl.harness.conversation import total
from planbench_xl.harness.price import Price, known_price
from planbench_xl.protocols.chat import ChatProtocol
from planbench_xl.protocols.estimate import estimate_tokens
from planbench_xl.world import World


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What an evaluation would take. None is unknown.

    Attributes:
        episodes: Episodes asked for.
        missing: Those of them that aren't stored yet.
        opening_tokens: Mean tokens of the messages and functions that open an episode, estimated from their length.
        context: Length of the model's context, if it is known.
        based_on: Number of stored episodes that the figures below are taken from.
        turns: Mean turns of an episode.
        input_tokens: Tokens read in all missing episodes.
        output_tokens: Tokens written in them.
        tokens_per_turn: Mean tokens read and written per turn.
        cost: Dollars.
    """

    episodes: int
    missing: int
    opening_tokens: int
    context: int | None
    based_on: int
    turns: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens_per_turn: float | None = None
    cost: float | None = None

    def lines(self) -> list[str]:
        """Return the estimate as lines of text."""
        source = f", as in {self.based_on} stored episodes" if self.based_on else ": no stored episode to go by"
        return [
            f"Episodes:         {self.episodes}, {self.missing} of them to be played",
            f"Opening prompt:   about {self.opening_tokens:,} tokens; context: {_shown(self.context)}",
            f"Turns:            {_shown(self.turns)} per episode{source}",
            f"Tokens per turn:  {_shown(self.tokens_per_turn)}",
            f"Tokens read:      {_shown(self.input_tokens)}",
            f"Tokens written:   {_shown(self.output_tokens)}",
            f"Cost:             {'unknown' if self.cost is None else f'${self.cost:,.2f}'}",
        ]


def estimate(
    world: World,
    setting: Setting,
    protocol: Callable[[], ChatProtocol],
    keys: Sequence[Key],
    folder: Path,
    model: Model,
    price: Price | None = None,
    context: int | None = None,
) -> Estimate:
    """Estimate what episodes would take, by those that are stored.

    Args:
        world: The world.
        setting: The setting.
        protocol: Makes the protocol of an episode.
        keys: The episodes.
        folder: The run folder; it need not exist.
        model: The model.
        price: Its price, in place of what Inspect knows of it.
        context: Length of its context, if Inspect doesn't know it.
    """
    stored = list(iter_episodes(folder)) if (folder / EPISODES).exists() else []
    done = {episode.key for episode in stored}
    missing = [key for key in keys if key not in done]
    queries = list(dict.fromkeys(query for query, _ in missing or keys))
    openings = opening_tokens(world, setting, protocol(), queries)
    known = Estimate(
        episodes=len(keys),
        missing=len(missing),
        opening_tokens=round(sum(openings) / len(openings)) if openings else 0,
        context=context or context_of(model),
        based_on=0,
    )
    played = [episode for episode in stored if episode.status is not Status.ERROR and episode.usage is not None]
    return _extrapolated(known, played, price or known_price(model))


def _extrapolated(known: Estimate, stored: Sequence[Episode], price: Price | None) -> Estimate:
    if not stored:
        return known
    used = total(episode.usage for episode in stored if episode.usage is not None)
    turns = sum(len(episode.turns) for episode in stored)
    share = known.missing / len(stored)
    metered = used.unmetered == 0
    read, written = round(used.input_tokens * share), round(used.output_tokens * share)
    spent = used.cost if price is None else price.of(used)
    return msgspec.structs.replace(
        known,
        based_on=len(stored),
        turns=turns / len(stored),
        input_tokens=read if metered else None,
        output_tokens=written if metered else None,
        tokens_per_turn=used.tokens / turns if metered and turns else None,
        cost=None if spent is None else spent * share,
    )


def opening_tokens(world: World, setting: Setting, protocol: ChatProtocol, queries: Iterable[str]) -> list[int]:
    """Return the estimated tokens that open the episode of each query."""
    environment = Environment(world, setting)
    found = []
    for query in queries:
        messages = protocol.opening(environment.reset(query))
        found.append(estimate_tokens(messages, protocol.functions()))
        if setting.all_tools:
            # The inventory is nearly all of it, and the same for every query.
            break
    return found


def refuse_what_cannot_fit(
    world: World,
    setting: Setting,
    protocol: ChatProtocol,
    queries: Iterable[str],
    model: Model,
    context: int | None = None,
) -> None:
    """Refuse an evaluation whose first prompt is longer than the model's context.

    Raises:
        UsageError: It can't fit; the message says how long it is.
    """
    length = context or context_of(model)
    if length is None or not setting.all_tools:
        return
    needed = max(opening_tokens(world, setting, protocol, queries), default=0)
    if needed > length:
        raise UsageError(
            f"The prompt with all tools takes about {needed:,} tokens (estimated from its length), and the context of "
            f"'{model}' is {length:,}. Choose a setting with retrieval, a smaller world, or a model with a longer "
            "context; --context corrects its length."
        )


def context_of(model: Model) -> int | None:
    """Return the length of a model's context in tokens, if Inspect knows it."""
    info = get_model_info(model)
    if info is None:
        return None
    return info.context_length or info.input_tokens


def _shown(number: float | None) -> str:
    if number is None:
        return "unknown"
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"
