"""Solvers that play in tests."""

from __future__ import annotations

from inspect_ai.agent import Agent, react
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool


def reacting(tools: list[Tool]) -> Agent:
    """A ReAct agent that plays with the tools."""
    return react(prompt=None, tools=tools, submit=False)


def failing(tools: list[Tool]) -> Solver:
    """A solver with a fault."""

    @solver
    def fails() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            raise ZeroDivisionError("my own fault")

        return solve

    return fails()
