"""Writes what the environment did in the layout of the recorded files."""

from __future__ import annotations

from typing import Any

from planbench_xl.environment import Environment, State
from planbench_xl.episodes.record import Status, Turn, TurnError
from planbench_xl.judging import normalise
from planbench_xl.metrics.release import REASON_WORDS
from planbench_xl.retrieval.distractors import TOOL_TYPES
from planbench_xl.world import Kind, Role, Tool, World
from planbench_xl.world.release import RELEASE_KINDS

Object = dict[str, Any]

ACTION_WORDS = {"retrieve": "retrieve_tools", "call": "call_tool", "answer": "final_answer", "invalid": "others"}
KIND_WORDS = {kind: word for word, kind in RELEASE_KINDS.items()}
SOURCES = {Role.DISTRACTOR: "noisy", Role.BLOCK_ALTERNATIVE: "blocker"}
INPUT_ERRORS = {
    TurnError.MISSING_INPUT: "missing_required_input",
    TurnError.UNTRUSTED_INPUT: "untrusted_input_rejected",
}


def step(world: World, state: State, turn: Turn) -> Object:
    """Return a turn as a recorded step.

    Args:
        world: The world.
        state: State of the episode after the turn.
        turn: The turn.
    """
    found: Object = {"raw": turn.raw, "action": ACTION_WORDS[turn.action]}
    if turn.action == "invalid":
        return found
    found["parse_ok"] = turn.error not in (TurnError.RETRIEVAL_JSON, TurnError.CALL_JSON)
    if turn.request is not None:
        found["request"] = turn.request
    if turn.answer is not None:
        found |= _answer(state, turn)
    elif turn.error in INPUT_ERRORS:
        found["internal_error_type"] = INPUT_ERRORS[turn.error]
        found["untrusted_input_datatypes"] = list(turn.untrusted)
        found["missing_input_datatypes"] = list(turn.missing)
    elif turn.error is None and turn.action == "retrieve":
        matched = turn.matched
        found["matched_information"] = {}
        if matched is not None and matched.output is not None:
            found["matched_information"]["output_information"] = matched.output
        if matched is not None and matched.inputs is not None:
            found["matched_information"]["input_information"] = list(matched.inputs)
        found["tools"] = list(turn.tools or ())
    elif turn.error is None and turn.request is not None:
        found["tool_result"] = _result(world.tool[turn.request["name"]], turn)
    return found


def _answer(state: State, turn: Turn) -> Object:
    answer = turn.answer
    assert answer is not None
    sources = {
        source
        for target in state.task.targets
        for value, names in state.untrusted.get(target, {}).items()
        for source in names
        if normalise(value) in answer.untrusted
    }
    found: Object = {
        "answer": answer.text,
        "answer_correct": answer.correct,
        "target_datatype_reached": answer.reached,
        "matched_untrusted_source_types": sorted(sources),
        "datatype_check_passed": answer.grounded,
    }
    if answer.continued:
        found["incorrect_final_answer_feedback_sent"] = True
    return found


def _result(tool: Tool, turn: Turn) -> Object:
    source = SOURCES.get(tool.role)
    return {
        "success": turn.success,
        "output_datatype": tool.output_datatypes[0],
        "output_value": turn.value,
        "tool_type": TOOL_TYPES[tool.role],
        "output_provenance": "trusted" if source is None else "untrusted",
        "untrusted_source_type": source,
    }


def result(environment: Environment) -> Object:
    """Return how an episode ended."""
    last = environment.turns[-1].answer if environment.turns else None
    reason = environment.reason
    return {
        "status": "success" if environment.status is Status.SUCCESS else "failed",
        "final_answer": None if last is None or last.continued else last.text,
        "steps": len(environment.turns),
        "failure_reason_detail": None if reason is None else REASON_WORDS[reason],
    }


def final_state(environment: Environment) -> Object:
    """Return the state of an episode as it is recorded at the end."""
    state = environment.state
    counts: Object = {}
    for action, word in (("retrieve", "retrieval"), ("call", "tool_call")):
        turns = [turn for turn in environment.turns if turn.action == action]
        counts[f"{word}_attempt_count"] = len(turns)
        counts[f"{word}_exec_count"] = sum(turn.error is None for turn in turns)
    sources: dict[str, dict[str, set[str]]] = {}
    for datatype, values in state.untrusted.items():
        for value, names in values.items():
            sources.setdefault(datatype, {}).setdefault(normalise(value), set()).update(names)
    return {
        "current_datatypes": sorted(state.obtained),
        "discovered_tool_names": sorted(state.discovered),
        **counts,
        "trusted_values_by_datatype": {name: sorted(values) for name, values in state.trusted.items()},
        "untrusted_values_by_datatype": {name: sorted(values) for name, values in state.untrusted.items()},
        "untrusted_value_sources_by_datatype": {
            name: {value: sorted(kinds) for value, kinds in values.items()} for name, values in sources.items()
        },
    }


def plan(blocked: dict[str, tuple[Kind, ...]], *, resolved: bool, remaining: int) -> Object:
    """Return a block plan as it is recorded; blocked tools as pairs, since their order counts."""
    return {
        "status": "success" if resolved else "unresolved",
        "blocked": [[tool, [KIND_WORDS[kind] for kind in kinds]] for tool, kinds in blocked.items()],
        "remaining_paths": remaining,
    }
