"""The environment: actions in, observations out; the only place that knows the rules of the game."""

from __future__ import annotations

from planbench_xl.environment.actions import Action, answer, call, retrieve, search
from planbench_xl.environment.environment import Environment
from planbench_xl.environment.observation import Event, Note, Observation, ToolView
from planbench_xl.environment.setting import Setting
from planbench_xl.environment.state import State

__all__ = [
    "Action",
    "Environment",
    "Event",
    "Note",
    "Observation",
    "Setting",
    "State",
    "ToolView",
    "answer",
    "call",
    "retrieve",
    "search",
]
