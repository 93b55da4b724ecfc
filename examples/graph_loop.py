"""A loop as graph frameworks have it: nodes that change a state, and edges that say which comes next.

The environment is driven directly; `model` is any callable that is given messages and functions and returns a `Reply`.
"""

from collections.abc import Callable
from typing import TypedDict

from planbench_xl.environment import Environment
from planbench_xl.episodes.record import Episode
from planbench_xl.protocols import FunctionSpec, Message, Reply, make_protocol
from planbench_xl.runs.rollout import record

Model = Callable[[list[Message | Reply], list[FunctionSpec]], Reply]


class State(TypedDict):
    """What the nodes share. A `Reply` among the messages is the model's own turn."""

    messages: list[Message | Reply]
    done: bool


def play(environment: Environment, query_id: str, model: Model) -> Episode:
    """Play a query and return its record."""
    protocol = make_protocol("native", setting=environment.setting)

    def think(state: State) -> State:
        reply = model(state["messages"], protocol.functions())
        return {**state, "messages": [*state["messages"], reply]}

    def act(state: State) -> State:
        reply = state["messages"][-1]
        assert isinstance(reply, Reply)
        answers, done = [], False
        for step in protocol.read(reply):
            observation = environment.step(step.action)
            answers.append(protocol.respond(observation, step))
            if done := observation.done:
                break
        return {"messages": [*state["messages"], *answers], "done": done}

    nodes = {"think": think, "act": act}
    edges = {"think": lambda state: "act", "act": lambda state: "end" if state["done"] else "think"}
    state: State = {"messages": [*protocol.opening(environment.reset(query_id))], "done": False}
    node = "think"
    while node != "end":
        run, leave = nodes[node], edges[node]
        state = run(state)
        node = leave(state)
    return record(environment, None, epoch=0, seed=0, protocol_name=protocol.name, seconds=0.0)
