"""Scripted agents, and the registry through which others add theirs."""

from __future__ import annotations

from planbench_xl.agents.base import Agent, AgentFactory, AnyAgent, AsyncAgent
from planbench_xl.agents.registry import ENTRY_POINTS, available_agents, make_agent

__all__ = ["ENTRY_POINTS", "Agent", "AgentFactory", "AnyAgent", "AsyncAgent", "available_agents", "make_agent"]
