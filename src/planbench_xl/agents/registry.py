"""Finds agents by name: built in, registered by an installed package, or given as `package.module:factory`."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from planbench_xl.agents.base import Agent, AgentFactory, AnyAgent
from planbench_xl.environment import Environment
from planbench_xl.errors import AgentError

ENTRY_POINTS = "planbench_xl.agents"
"""Entry point group by which a package registers agents: name = "package.module:factory"."""

_BUILT_IN: Mapping[str, tuple[str, str]] = {
    "oracle": ("oracle:Oracle", "walks a surviving path; looks inside the environment"),
    "explorer": ("explorer:explorer", "searches both ways and avoids flawed tools; sees only what a model sees"),
    "forward": ("explorer:forward", "searches from the known values only; sees only what a model sees"),
    "backward": ("explorer:backward", "searches from the question only; sees only what a model sees"),
    "random": ("simple:RandomAgent", "retrieves, calls and answers at random"),
    "list-everything": ("simple:ListEverything", "calls whatever it can and answers with every value seen"),
    "do-nothing": ("simple:DoNothing", "gives up at once"),
}
"""Name → where its factory is (within this package), and what it does in a line."""


def available_agents() -> dict[str, str]:
    """Return every agent that has a name, with a line that says what it does or where it comes from."""
    found = {name: text for name, (_, text) in _BUILT_IN.items()}
    for name, entry in sorted(_registered().items()):
        found.setdefault(name, f"registered by {entry.dist.name if entry.dist else entry.value}")
    return found


def make_agent(name: str, environment: Environment) -> AnyAgent:
    """Make an agent for an environment.

    Args:
        name: Name of a built-in or registered agent, or `package.module:factory` with a factory that takes the
            environment and returns an agent.
        environment: The environment that the agent will play.

    Raises:
        AgentError: There is no such agent, or it can't be made; the message says what to do.
    """
    try:
        agent = _factory(name)(environment)
    except AgentError:
        raise
    except Exception as error:
        problem = f"Agent '{name}' can't be made: its factory raised {type(error).__name__}: {error}."
        raise AgentError(f"{problem} A factory is called with the environment and returns an agent.") from error
    if isinstance(agent, type) or not isinstance(agent, Agent):
        got = agent.__name__ if isinstance(agent, type) else type(agent).__name__
        problem = f"Agent '{name}' can't be used: its factory returned '{got}', which is no agent."
        raise AgentError(f"{problem} Return an object with the methods reset(seed) and act(observation).")
    return agent


def _registered() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def _factory(name: str) -> AgentFactory:
    if name in _BUILT_IN:
        return _load(name, f"{__package__}.{_BUILT_IN[name][0]}")
    registered = _registered().get(name)
    if registered is not None or ":" in name:
        return _load(name, name if registered is None else registered.value)
    known = available_agents()
    close = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    raise AgentError(
        f"There is no agent '{name}'.{hint} Known agents: {', '.join(known)}. "
        "An agent of your own is given as package.module:factory."
    )


def _load(name: str, place: str) -> AgentFactory:
    try:
        factory: AgentFactory = import_factory(place, "the environment")
    except ImportError as error:
        raise AgentError(f"Agent '{name}' can't be used: {error}") from error
    return factory


def import_factory(place: str, takes: str) -> Callable[..., Any]:
    """Import a factory from `package.module:attribute`.

    Args:
        place: Where it is.
        takes: What it is called with, for the message if it isn't callable.

    Raises:
        ImportError: It can't be imported, or isn't callable; the message is a whole sentence with a remedy.
    """
    module_name, _, attribute = place.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
        for part in attribute.strip().split("."):
            found = getattr(found, part)
    except Exception as error:
        problem = f"'{place}' can't be imported ({type(error).__name__}: {error})."
        raise ImportError(f"{problem} Give package.module:factory of an importable module.") from error
    if not callable(found):
        raise ImportError(f"'{place}' is not callable. Name a factory that takes {takes}.")
    factory: Callable[..., Any] = found
    return factory
