"""The native protocol: actions are function calls, as providers offer them. Names of functions; schemas; reading.

A turn's `raw` is a JSON object of its own (`Written`), so that it says what was called without the conversation
before it: any episode can be replayed from it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from itertools import count
from typing import Any, Literal

import msgspec

from planbench_xl.environment import Action, Event, Observation, ToolView, tags
from planbench_xl.environment.reading import ReadError, read_json, storable
from planbench_xl.protocols.chat import FunctionCall, FunctionSpec, Message, Reply, Step
from planbench_xl.protocols.prompts import Prompts, load_prompts
from planbench_xl.protocols.wording import Wording

NATIVE_PROTOCOL = "native/1"
"""Name and version of the protocol; the version grows when a change of its wording or rules can move scores."""

RETRIEVE, CALL, ANSWER = "retrieve_tools", "call_tool", "final_answer"
OWN = frozenset({RETRIEVE, CALL, ANSWER})
"""Names of our own functions; no tool is offered under one of them."""

MAX_FUNCTIONS = 128
"""How many functions most providers take at least."""

Mode = Literal["auto", "functions", "call_tool"]

_VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Names of functions that all providers take."""

_FORMS = ("by_output_info", "by_inputs", "by_io_info")

_PHRASES: dict[str, object] = {
    "output_information": {"type": "string"},
    "input_information": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
}


def _retrieval_schema(forms: Sequence[str], fields: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {"meta_tool": {"type": "string", "enum": list(forms)}, **fields},
        "required": ["meta_tool"],
        "additionalProperties": False,
    }


_RETRIEVAL_SCHEMA = _retrieval_schema(_FORMS, _PHRASES)
_FREE_TEXT_SCHEMA = _retrieval_schema(
    (*_FORMS, "by_query"),
    _PHRASES | {"query": {"type": "string"}, "top_k": {"type": "integer", "minimum": 1, "maximum": 50}},
)


class Written(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a turn's `raw` holds.

    Attributes:
        text: The reply's text; of several calls in a reply the first has it.
        function: The function called, as named in the reply; None if none was.
        arguments: Its arguments as the model wrote them.
        tool: The tool that the function stands for, if it has another name.
    """

    text: str = ""
    function: str | None = None
    arguments: str = ""
    tool: str | None = None


class NativeProtocol(Wording):
    """Words observations for a model that calls functions, and reads its calls.

    Every tool found becomes a function at the end of the list and stays one (`functions`), or is called by name
    through the function `call_tool` (`call_tool`). With `auto`, tools become functions until there are `max_functions`;
    those found later are called through `call_tool`, which is on offer from then on. A tool that is no function is
    listed with its parameters where it is found.

    Args:
        prompts: The prompt pack; the packaged one by default.
        tool_ids: `call_tool` takes the handles that retrieval hands out.
        all_tools: All tools are there from the start, and there is no retrieval.
        free_text: Tools can be searched for by a text of one's own.
        mode: How tools are called.
        max_functions: Largest number of functions on offer at a time, our own three included (`auto` only).
    """

    def __init__(
        self,
        prompts: Prompts | None = None,
        *,
        tool_ids: bool = False,
        all_tools: bool = False,
        free_text: bool = False,
        mode: Mode = "auto",
        max_functions: int = MAX_FUNCTIONS,
    ) -> None:
        super().__init__(prompts or load_prompts(pack="native"), free_text)
        self.name = NATIVE_PROTOCOL + ("" if mode == "auto" else f":{mode}") + self.prompts.mark
        self.tool_ids = tool_ids
        self.all_tools = all_tools
        self.mode = mode
        self._room = {"functions": None, "call_tool": 0, "auto": max(0, max_functions - len(OWN))}[mode]
        self._begin()

    def _begin(self) -> None:
        self._functions: dict[str, ToolView] = {}
        self._tool_of: dict[str, str] = {}
        self._name_of: dict[str, str] = {}
        self._overflow = self.mode == "call_tool"
        # What a list shows of a tool depends on whether it is a function in this episode.
        self._texts.clear()

    def opening(self, observation: Observation) -> list[Message]:
        """Return the messages that open a conversation: the system prompt and the query."""
        self._begin()
        self._discover(observation.tools)
        call_format = self.prompts.fill(f"call_format_{self.mode}")
        system = self.system("system_all_tools" if self.all_tools else "system", call_format)
        return [Message("system", system), Message("user", self.message(observation))]

    def functions(self) -> list[FunctionSpec]:
        """Return our own functions and the tools found, in the order of discovery."""
        own = [FunctionSpec(ANSWER, self.prompts.fill("function_final_answer"), _object({"answer": _STRING}))]
        if not self.all_tools:
            own.insert(0, self._retrieval())
        if self._overflow:
            key = "tool_id" if self.tool_ids else "name"
            schema = _object({key: _STRING, "arguments": {"type": "object"}})
            own.append(FunctionSpec(CALL, self.prompts.fill("function_call_tool"), schema))
        tools = self._functions.items()
        return own + [FunctionSpec(name, tool.description, tool.parameters) for name, tool in tools]

    def _retrieval(self) -> FunctionSpec:
        also = f" {self.prompts.fill('function_free_text')}" if self.free_text else ""
        text = self.prompts.fill("function_retrieve_tools", free_text=also)
        return FunctionSpec(RETRIEVE, text, _FREE_TEXT_SCHEMA if self.free_text else _RETRIEVAL_SCHEMA)

    def read(self, reply: Reply) -> list[Step]:
        """Return a step for each function call, in order; without one, an invalid step.

        The text of a reply is kept in the first step's `raw` and means nothing.
        """
        text = storable(reply.text)
        if not reply.calls:
            return [Step(self.parse(_encode(Written(text))))]
        texts = (text, *[""] * len(reply.calls))
        return [Step(self._read_call(said, call), call) for said, call in zip(texts, reply.calls, strict=False)]

    def _read_call(self, text: str, call: FunctionCall) -> Action:
        function = storable(call.name)
        tool = self._tool_of.get(function, function)
        written = Written(text, function, storable(call.arguments), None if tool == function else tool)
        return self.parse(_encode(written))

    def respond(self, observation: Observation, step: Step) -> Message:
        """Return the message that answers a step: that of a tool, or of a user if there was no call."""
        if observation.event is Event.TOOLS:
            self._discover(observation.tools)
        text = self.message(observation)
        if step.call is None:
            return Message("user", text)
        return Message("tool", text, step.call.id, step.call.name)

    def parse(self, raw: str) -> Action:
        """Return the action that a turn's `raw` stands for, whatever was found before it."""
        return parse_native(raw)

    def write_call(self, body: str, call_id: str) -> FunctionCall:
        """Return the function call that stands for a call of a tool given as JSON text with name and arguments."""
        try:
            call = read_json(body)
        except ReadError:
            call = None
        name = call.get("name") if isinstance(call, Mapping) else None
        if not isinstance(name, str) or name not in self._name_of:
            return FunctionCall(call_id, CALL, body)
        return FunctionCall(call_id, self.called(name), msgspec.json.encode(call["arguments"]).decode())

    def called(self, name: str) -> str:
        """Return the name of a tool's function, if it has one."""
        return self._name_of.get(name, name)

    def listed(self, observation: Observation) -> Sequence[ToolView]:
        """Return the tools that the message for a query lists: those that are no functions."""
        return [tool for tool in observation.tools if tool.name not in self._name_of]

    def shown(self, tool: ToolView) -> dict[str, Any]:
        """Return what a list of tools shows of one: without its parameters, if its function has them."""
        shown: dict[str, Any] = {"name": self.called(tool.name), "description": tool.description}
        if tool.name in self._name_of:
            return shown
        if tool.tool_id is not None:
            shown = {"tool_id": tool.tool_id, **shown}
        return shown | {"parameters": tool.parameters}

    def _discover(self, tools: Sequence[ToolView]) -> None:
        """Make functions of tools, as long as there is room. One that is shown again may have a new schema."""
        for tool in tools:
            name = self._name_of.get(tool.name)
            if name is None and self._room is not None and len(self._functions) >= self._room:
                self._overflow = True
                continue
            if name is None:
                name = self._name_of[tool.name] = _function_name(tool.name, self._functions)
                self._tool_of[name] = tool.name
            self._functions[name] = tool


_STRING: dict[str, object] = {"type": "string"}


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _function_name(tool: str, taken: Collection[str]) -> str:
    """Return a valid and free name for a tool's function: its own, or a short form with a hash of it."""
    if _VALID.fullmatch(tool) and tool not in OWN and tool not in taken:
        return tool
    stem = re.sub(r"[^a-zA-Z0-9_-]+", "_", tool[:200])[:55]
    for salt in count():
        digest = blake2b(f"{tool}\0{salt}".encode(), digest_size=4).hexdigest()
        name = f"{stem}_{digest}"
        if name not in taken:
            return name
    raise AssertionError("counting doesn't end")


def parse_native(raw: str) -> Action:
    """Return the action that a turn's `raw` stands for.

    The tagged text that a scripted agent's actions are recorded as is read too: it never starts like an object.
    """
    if not raw.startswith("{"):
        return tags.parse(raw)
    written = parse_written(raw)
    return Action("invalid", raw=raw) if written is None else _action(written, raw)


def parse_written(raw: str) -> Written | None:
    """Return what a turn's `raw` holds; None if it is no reply of this protocol."""
    try:
        return msgspec.json.decode(raw, type=Written)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _encode(written: Written) -> str:
    return msgspec.json.encode(written).decode()


def _action(written: Written, raw: str) -> Action:
    """Return what a recorded reply does."""
    function, arguments = written.function, written.arguments
    if function is None:
        return Action("invalid", raw=raw)
    if written.tool is None and function == RETRIEVE:
        return Action("retrieve", arguments, raw)
    if written.tool is None and function == CALL:
        return Action("call", arguments, raw)
    try:
        value = read_json(arguments)
    except ReadError:
        # An answer needs its text; what is no JSON is a call's error, which the environment finds again.
        unread = written.tool is None and function == ANSWER
        return Action("invalid", raw=raw) if unread else Action("call", arguments, raw)
    if written.tool is None and function == ANSWER:
        answer = value.get("answer") if isinstance(value, Mapping) else None
        return Action("answer", answer.strip(), raw) if isinstance(answer, str) else Action("invalid", raw=raw)
    # As text, since what isn't a number has no equal to compare it with.
    call = {"name": written.tool or function, "arguments": value}
    return Action("call", msgspec.json.encode(call).decode(), raw)
