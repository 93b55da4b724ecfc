"""A loop as agent SDKs have it: a runner asks the agent's model, carries out the function calls, and goes on.

The environment is driven directly; `ask` is any async callable that is given chat messages and functions as
OpenAI-compatible servers take them, and returns the message that the server answers with.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from planbench_xl.environment import Environment
from planbench_xl.episodes.record import Episode
from planbench_xl.protocols import FunctionCall, FunctionSpec, Message, Reply, make_protocol
from planbench_xl.runs.rollout import record

Chat = dict[str, Any]
Ask = Callable[[list[Chat], list[Chat]], Awaitable[Chat]]


async def play(environment: Environment, query_id: str, ask: Ask) -> Episode:
    """Play a query and return its record."""
    protocol = make_protocol("native", setting=environment.setting)
    messages = [as_chat(message) for message in protocol.opening(environment.reset(query_id))]
    done = False
    while not done:
        said = await ask(messages, [as_tool(function) for function in protocol.functions()])
        messages.append(said)
        calls = [(call["id"], call["function"]) for call in said.get("tool_calls") or []]
        reply = Reply(said.get("content") or "", tuple(FunctionCall(i, f["name"], f["arguments"]) for i, f in calls))
        for step in protocol.read(reply):
            observation = environment.step(step.action)
            messages.append(as_chat(protocol.respond(observation, step)))
            if done := observation.done:
                break
    return record(environment, None, epoch=0, seed=0, protocol_name=protocol.name, seconds=0.0)


def as_chat(message: Message) -> Chat:
    """Return a message as servers take it."""
    chat = {"role": message.role, "content": message.content}
    return {**chat, "tool_call_id": message.call_id} if message.role == "tool" else chat


def as_tool(function: FunctionSpec) -> Chat:
    """Return a function as servers take it."""
    parts = {"name": function.name, "description": function.description, "parameters": function.parameters}
    return {"type": "function", "function": parts}
