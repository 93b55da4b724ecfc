"""The text-tag protocol: model text → action, observation → message (reference protocol, section 2)."""

from __future__ import annotations

from typing import Any

from planbench_xl.environment import Action, Observation, ToolView
from planbench_xl.environment.tags import parse
from planbench_xl.protocols.chat import FunctionSpec, Message, Reply, Step
from planbench_xl.protocols.prompts import Prompts, load_prompts
from planbench_xl.protocols.wording import Wording

TEXT_PROTOCOL = "text/1"
"""Name and version of the protocol; the version grows when a change of its wording or rules can move scores."""


class TextProtocol(Wording):
    """Words observations for a model and reads its replies: one tagged block each. Function calls are passed over.

    Args:
        prompts: The prompt pack; the packaged one by default.
        tool_ids: Tools are called by the handles that retrieval hands out.
        all_tools: All tools are shown with the query, and there is no retrieval.
        free_text: Tools can be searched for by a text of one's own.
    """

    def __init__(
        self,
        prompts: Prompts | None = None,
        *,
        tool_ids: bool = False,
        all_tools: bool = False,
        free_text: bool = False,
    ) -> None:
        super().__init__(prompts or load_prompts(), free_text)
        self.name = TEXT_PROTOCOL + self.prompts.mark
        self.tool_ids = tool_ids
        self.all_tools = all_tools

    def opening(self, observation: Observation) -> list[Message]:
        """Return the messages that open a conversation: the system prompt and the query."""
        call_format = self.prompts.fill("call_format_ids" if self.tool_ids else "call_format")
        system = self.system("system_all_tools" if self.all_tools else "system", call_format)
        return [Message("system", system), Message("user", self.message(observation))]

    def functions(self) -> list[FunctionSpec]:
        """Return no functions: actions are written as text."""
        return []

    def read(self, reply: Reply) -> list[Step]:
        """Return the one step that a reply holds."""
        return [Step(parse(reply.text))]

    def respond(self, observation: Observation, step: Step) -> Message:
        """Return the user message that tells the model what came of a step."""
        del step
        return Message("user", self.message(observation))

    def parse(self, raw: str) -> Action:
        """Return the action that a reply holds."""
        return parse(raw)

    def shown(self, tool: ToolView) -> dict[str, Any]:
        """Return what a list of tools shows of one: all of it."""
        shown: dict[str, Any] = {"type": "function"}
        if tool.tool_id is not None:
            shown["tool_id"] = tool.tool_id
        return shown | {
            "name": tool.name,
            "description": tool.description,
            "strict": True,
            "parameters": tool.parameters,
        }
