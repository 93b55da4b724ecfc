"""Lets any solver or agent of Inspect AI play: with our functions as tools that are bound to the episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import msgspec
from inspect_ai.agent import Agent, as_solver, is_agent
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.tool import Tool, ToolDef, ToolParams
from inspect_ai.util import LimitExceededError

from planbench_xl.agents.registry import import_factory
from planbench_xl.environment import Action, Environment
from planbench_xl.episodes.record import Usage
from planbench_xl.errors import UsageError
from planbench_xl.harness.ahead import Ahead
from planbench_xl.harness.conversation import Spoiled, total
from planbench_xl.harness.price import Price
from planbench_xl.harness.provider import asked, cause_of, chat_message
from planbench_xl.protocols.chat import ChatProtocol, FunctionCall, Reply

SolverFactory = Callable[[list[Tool]], Solver | Agent]
"""Makes a solver or an agent. It is given the tools of one episode: `retrieve_tools`, `call_tool`, `final_answer`."""


class EpisodeOver(Exception):
    """The episode is over: whoever plays it is to stop. Raised by a tool, so that no model is asked any more."""


class OwnGame:
    """An episode that a solver of the user's own plays.

    Args:
        environment: The environment; it is reset.
        protocol: The native protocol, with all tools called through `call_tool`.
        factory: Makes the solver.
        ahead: Asked before every step.
    """

    def __init__(self, environment: Environment, protocol: ChatProtocol, factory: SolverFactory, ahead: Ahead) -> None:
        self._environment = environment
        self._protocol = protocol
        self._factory = factory
        self._ahead = ahead
        self._calls = 0
        # Calls of one reply run at the same time; each is a turn, in the order in which they were begun.
        self._turn = anyio.Lock()

    async def play(self, state: TaskState, generate: Generate, query_id: str) -> TaskState:
        """Let the solver play the episode of a query to its end. A solver that just stops has answered by its output.

        Raises:
            Spoiled: The solver failed.
            LimitExceededError: A limit of Inspect's was exceeded.
        """
        opening = self._protocol.opening(self._environment.reset(query_id))
        state.messages = [chat_message(message) for message in opening]
        made: Any = self._factory(self._tools())
        played: Solver = as_solver(made) if is_agent(made) else made
        try:
            state = await played(state, generate)
        except LimitExceededError:
            raise
        except Exception as error:
            if self._environment.status is None:
                raise Spoiled(_solver_cause(error)) from None
        if self._environment.status is None:
            self._environment.step(Action("answer", state.output.completion if state.output else ""))
        while self._environment.status is None:
            # It was asked to go on, and has stopped.
            self._environment.step(Action("invalid"))
        return state

    def _tools(self) -> list[Tool]:
        specs = {spec.name: spec for spec in self._protocol.functions()}
        bodies: dict[str, Any] = {
            "retrieve_tools": self._retrieve,
            "call_tool": self._call,
            "final_answer": self._answer,
        }
        return [
            ToolDef(
                body,
                name=name,
                description=specs[name].description,
                parameters=_described(ToolParams.model_validate(specs[name].parameters)),
            ).as_tool()
            for name, body in bodies.items()
            if name in specs
        ]

    @property
    def _retrieve(self) -> Callable[..., Any]:
        async def retrieve_tools(
            meta_tool: str, output_information: str | None = None, input_information: list[str] | None = None
        ) -> str:
            request: dict[str, Any] = {"meta_tool": meta_tool}
            if output_information is not None:
                request["output_information"] = output_information
            if input_information is not None:
                request["input_information"] = input_information
            return await self._step("retrieve_tools", request)

        return retrieve_tools

    @property
    def _call(self) -> Callable[..., Any]:
        async def call_tool(
            name: str | None = None, tool_id: str | None = None, arguments: dict[str, Any] | None = None
        ) -> str:
            given = {"name": name, "tool_id": tool_id, "arguments": arguments}
            return await self._step("call_tool", {key: value for key, value in given.items() if value is not None})

        return call_tool

    @property
    def _answer(self) -> Callable[..., Any]:
        async def final_answer(answer: str) -> str:
            return await self._step("final_answer", {"answer": answer})

        return final_answer

    async def _step(self, function: str, arguments: dict[str, Any]) -> str:
        """Take a turn; return what came of it.

        Raises:
            EpisodeOver: That was the last one.
        """
        async with self._turn:
            self._calls += 1
            call = FunctionCall(f"call_{self._calls}", function, msgspec.json.encode(arguments).decode())
            step = self._protocol.read(Reply(calls=(call,)))[0]
            await self._ahead.ask(step.action)
            observation = self._environment.step(step.action)
            if observation.done:
                raise EpisodeOver
            return self._protocol.respond(observation, step).content


def _described(parameters: ToolParams) -> ToolParams:
    """Return parameters with a description each, as Inspect wants; what they mean is said of the function."""
    for name, parameter in parameters.properties.items():
        parameter.description = parameter.description or name.replace("_", " ")
    return parameters


def load_solver(place: str) -> SolverFactory:
    """Import the factory of a solver from `module:factory`.

    Raises:
        UsageError: It can't be imported, or isn't callable.
    """
    try:
        factory: SolverFactory = import_factory(place, "a list of tools")
    except ImportError as error:
        raise UsageError(f"The solver can't be used: {error}") from error
    return factory


def usage_so_far(price: Price | None = None) -> Usage:
    """Return what all calls of models in the running sample took."""
    outputs = [event.output for event in transcript().events if isinstance(event, ModelEvent) and not event.pending]
    return total([Usage(cost=0.0), *(asked(output, price).usage for output in outputs if not output.empty)])


def _solver_cause(error: Exception) -> str:
    cause = cause_of(error)
    known = cause.startswith(("time_out", "content_filter")) or hasattr(error, "provider_message")
    return cause if known else "solver_error" + cause.removeprefix("provider_error")
