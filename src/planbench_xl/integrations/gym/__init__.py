"""Gymnasium environments (extra `gym`): importing this registers one per packaged world, and one for any other.

import gymnasium, planbench_xl.integrations.gym
env = gymnasium.make("planbench_xl/Retail-v0", setting="one-path", reward="shaped")
env = gymnasium.make("planbench_xl/World-v0", world="path/to/world")
"""

from __future__ import annotations

import gymnasium

from planbench_xl.integrations.gym.env import WorldEnv
from planbench_xl.integrations.gym.reward import Potential
from planbench_xl.integrations.gym.spaces import UnicodeText
from planbench_xl.world import packaged_worlds

__all__ = ["Potential", "UnicodeText", "WorldEnv", "register"]

ENTRY_POINT = "planbench_xl.integrations.gym.env:WorldEnv"

VERSION = 0
"""Version of the ids: it grows when a change of the environment can move rewards or observations."""


def register() -> None:
    """Register `planbench_xl/<World>-v0` for each packaged world, and `planbench_xl/World-v0` for any."""
    for name in packaged_worlds():
        title = "".join(part.capitalize() for part in name.replace("-", "_").split("_"))
        _register(f"planbench_xl/{title}-v{VERSION}", {"world": name})
    _register(f"planbench_xl/World-v{VERSION}", {})


def _register(name: str, arguments: dict[str, str]) -> None:
    if name not in gymnasium.registry:
        gymnasium.register(name, ENTRY_POINT, kwargs=arguments)


register()
