"""What goes over the wire."""

from __future__ import annotations

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class PlanBenchAction(Action):
    """A reply as a model writes it; whatever it holds is answered, or counted as an error."""

    text: str = Field(description="The reply, with one tagged action: <retrieve_tools>, <tool_call> or <final_answer>")


class PlanBenchObservation(Observation):
    """What the model reads next. The first one, of a reset, has the rules apart, as a system prompt."""

    text: str = Field(default="", description="The message to the model")
    system: str = Field(default="", description="After a reset: the system prompt with the rules")
    query_id: str = Field(default="", description="The query")
    turns_left: int = Field(default=0, description="Number of turns left")
    reason: str = Field(default="", description="At the end: why it failed, or empty")
    figures: dict[str, float] = Field(default_factory=dict, description="At the end: the figures of the episode")
