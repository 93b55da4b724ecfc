"""What an agent is shown after each turn. Nothing here tells roles, datatypes, gold answers or block plans."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from planbench_xl.world import Value


class ToolView(msgspec.Struct, frozen=True):
    """A tool as an agent sees it.

    Attributes:
        name: Its name.
        description: Its description.
        parameters: JSON schema of its arguments.
        tool_id: Short handle to call it by, where the setting hands them out.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    tool_id: str | None = None


class Event(StrEnum):
    """What an observation tells; also the name of the template that words it."""

    QUERY = "query"
    TOOLS = "tools"
    RESULT = "result"
    NO_RESULT = "no_result"
    AMBIGUOUS = "ambiguous"
    ERROR_LABEL = "error_label"
    ERROR_RETRIEVAL_JSON = "error_retrieval_json"
    ERROR_RETRIEVAL_SEMANTIC = "error_retrieval_semantic"
    ERROR_NO_RETRIEVAL = "error_no_retrieval"
    ERROR_CALL_JSON = "error_call_json"
    ERROR_UNDISCOVERED = "error_undiscovered"
    ERROR_WRONG_ARGUMENTS = "error_wrong_arguments"
    ERROR_RENAMED_ARGUMENT = "error_renamed_argument"
    ERROR_UNTRUSTED_INPUT = "error_untrusted_input"
    ERROR_MISSING_INPUT = "error_missing_input"
    CONTINUE = "continue"
    END = "end"


class Note(StrEnum):
    """Why a retrieval found nothing; also the name of the template that words it."""

    NO_TOOL_FOR_INPUTS = "note_no_tool_for_inputs"
    NO_TOOL_FOR_BOTH = "note_no_tool_for_both"


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the last action, or the query at the start.

    Attributes:
        event: What it tells.
        turn: Number of turns taken so far; 0 at the start.
        turns_left: Number of turns that remain.
        done: The episode is over.
        query: The query's text (event `query`).
        overview: The domain's overview (event `query`).
        request: The normalised retrieval request (event `tools`).
        note: Why nothing was found (event `tools`).
        tools: Tools found, in order (event `tools`), or every tool there is (event `query`, if the setting shows all).
        tool: Name of the tool called (events of calls).
        arguments: Names of the arguments at fault (errors of calls), or those that the tool takes (wrong arguments),
            or an argument's old and new name (renamed argument).
        value: What the tool returned (event `result`).
    """

    event: Event
    turn: int
    turns_left: int
    done: bool = False
    query: str = ""
    overview: str = ""
    request: dict[str, Value] | None = None
    note: Note | None = None
    tools: tuple[ToolView, ...] = ()
    tool: str = ""
    arguments: tuple[str, ...] = ()
    value: Value = None
