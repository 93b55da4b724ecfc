"""Reads runs of any kind to be compared or reported: run folders, output folders of the release, Inspect logs."""

from __future__ import annotations

import msgspec

from planbench_xl.environment import Setting
from planbench_xl.episodes.record import Episode
from planbench_xl.world import World


class LoadedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its episodes.

    Attributes:
        label: What tells it apart from the other runs loaded with it.
        agent: Name of the agent or model.
        setting: Name of the setting.
        protocol: Name of the protocol.
        world: The world it was played on.
        episodes: Its episodes, in the order of the world's queries, then epochs.
        expected: Number of episodes that it should have; None if unknown.
        details: The whole setting; None where the source doesn't tell it.
    """

    label: str
    agent: str
    setting: str
    protocol: str
    world: World
    episodes: tuple[Episode, ...]
    expected: int | None = None
    details: Setting | None = None
