"""Checks an output folder of the release: its traces against the environment, its evaluation against our scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.blocking import plan_reference
from planbench_xl.environment import Action, Environment
from planbench_xl.episodes.record import Status, Turn
from planbench_xl.episodes.release_output import (
    INDEX,
    NORMAL,
    PROGRESS,
    RESULTS,
    ReleaseOutput,
    read_files,
    read_release_output,
)
from planbench_xl.errors import PlanBenchError, SettingError
from planbench_xl.metrics import RunScore, score_episodes, score_run
from planbench_xl.metrics.release import query_evaluation, run_evaluation
from planbench_xl.retrieval import BY_BOTH
from planbench_xl.retrieval.distractors import TOOL_TYPES
from planbench_xl.runs.conformance import layout
from planbench_xl.runs.conformance.compare import Difference, Place
from planbench_xl.runs.conformance.replay import without
from planbench_xl.runs.release_config import from_release_config
from planbench_xl.world import World

Object = dict[str, Any]

EVALUATION = "evaluation.json"
NOTES = ("internal_retriever_note", "model_retriever_note")
A_NOTE = "a note that nothing was found"


def check_output(world: World, folder: Path) -> Iterator[Difference]:
    """Replay every finished query of an output folder, and compare all that its files say.

    The metadata say what was played, and the responses (or, where they aren't kept, the requests) what the agent
    said. The wording of notes and feedback is free; only whether there is any is compared.
    """
    files = read_files(folder)
    place = Place(str(folder))
    for problem in files.problems:
        yield place.difference("", "a readable folder", problem)
    environment = Environment(world, from_release_config(files.metadata.get("config") or {}, "recorded"))
    ends: dict[str, int] = {}
    for query_id, row in files.rows.items():
        if row.get("stop_reason") != NORMAL:
            continue  # What the infrastructure cut short can't be played again.
        state = files.progress.get(query_id)
        yield from _check_row(environment, Place(str(folder / RESULTS), query_id), row, state)
        ends[query_id] = len(environment.turns)
        if state is not None:
            inside = Place(str(folder / PROGRESS / f"{query_id}.json"))
            yield from inside.compare(without(state, "final_result"), _progress(environment, state))
            yield from inside.compare(state.get("final_result"), row, "final_result")
    index = _read(folder / INDEX)
    if index is not None:
        yield from Place(str(folder / INDEX)).compare(index, _index(index, files.metadata, ends))
    evaluation = _read(folder / EVALUATION)
    if evaluation is not None:
        place = Place(str(folder / EVALUATION))
        try:
            got = release_evaluation(world, folder, read_release_output(folder, world))
        except (PlanBenchError, KeyError) as error:
            yield place.difference("", "an evaluation", f"{error!r}")
        else:
            got["output_dir"] = evaluation.get("output_dir")
            yield from place.compare(evaluation, got)


def release_evaluation(world: World, folder: Path, output: ReleaseOutput) -> Object:
    """Return what the release's evaluator writes about an output folder.

    As it does, finished rows count, whatever ended them, and unfinished queries don't.
    """
    scores = score_episodes(world, output.finished, "contains")
    per_query = []
    for episode, score in zip(output.finished, scores, strict=True):
        evaluation = query_evaluation(world, episode, score)
        if episode.status is Status.ERROR:
            row = output.rows[episode.query_id]
            evaluation["runtime_status"] = row.get("status")
            evaluation["runtime_failure_reason_detail"] = row.get("failure_reason_detail")
            evaluation["runtime_error_message"] = row.get("error_message")
        per_query.append(evaluation)
    sources = {"result_jsonl": (folder / RESULTS).is_file(), "progress_queries": (folder / PROGRESS).is_dir()}
    return {
        "output_dir": folder.name,
        "result_source": "+".join(name for name, there in sources.items() if there),
        "malformed_result_files": [problem for problem in output.problems if "is no row" in problem],
        "answer_judge": "normalized_contains",
        "query_count": len(output.episodes),
        "evaluated_count": len(scores),
        "unevaluated_count": len(output.episodes) - len(scores),
        "metrics": run_evaluation(scores),
        "per_query": per_query,
    }


def score_output(
    folder: Path, world: World, judge: str | None = None, *, exact_paths: bool = False
) -> tuple[RunScore, tuple[str, ...]]:
    """Score an output folder of the release like a run of ours.

    Returns:
        The score, and what was passed over in reading.

    Raises:
        StoreError: It can't be read, or the world isn't the right one.
    """
    output = read_output(folder, world)
    score = score_run(world, output.episodes, judge, expected=output.expected, exact_paths=exact_paths)
    return score, output.problems


def read_output(folder: Path, world: World, *, setting: str = "") -> ReleaseOutput:
    """Read an output folder of the release, and mark the episodes that ran unblocked for want of a block plan.

    The folder doesn't say which those are: their tasks are planned anew.

    Raises:
        StoreError: It can't be read, or the world isn't the right one.
    """
    output = read_release_output(folder, world, setting=setting)
    try:
        config = from_release_config(output.config)
    except SettingError as error:
        problem = f"{folder}: which tasks ran unblocked isn't known ({error})"
        return msgspec.structs.replace(output, problems=(*output.problems, problem))
    if not config.blocking.enabled:
        return output
    tasks = {episode.task_id: world.tool_sets.get(episode.task_id, ()) for episode in output.episodes}
    plans = [plan_reference(name, paths, config.blocking, config.seed) for name, paths in tasks.items()]
    unresolved = {plan.task_id for plan in plans if not plan.resolved}
    episodes = tuple(
        msgspec.structs.replace(episode, unresolved=episode.task_id in unresolved) for episode in output.episodes
    )
    return msgspec.structs.replace(output, episodes=episodes)


def _check_row(environment: Environment, place: Place, row: Object, state: Object | None) -> Iterator[Difference]:
    environment.reset(row["query_id"])
    raws = dict(enumerate((turn.get("llm_raw_response") for turn in (state or {}).get("turns", [])), 1))
    for number, expected in enumerate(row["trace"], 1):
        inside = place.inside(f"step {number}")
        action = _action(expected, raws.get(number))
        if environment.status is not None or action is None:
            why = "the end of the episode" if action else "no response to replay"
            yield inside.difference("", "another step", why)
            return
        environment.step(action)
        yield from inside.compare(expected, _trace_step(environment, expected))
    got = {
        "query_id": row["query_id"],
        "stop_reason": "normal",
        **layout.result(environment),
        "final_state": _final_state(environment),
    }
    if got["failure_reason_detail"] is None:
        del got["failure_reason_detail"]
    yield from place.compare(without(row, "trace"), got)


def _action(expected: Object, raw: str | None) -> Action | str | None:
    """Return the response of a step, or the action that it was read as; None if the folder keeps neither."""
    raw = raw or expected.get("raw_output")
    if raw is not None:
        return raw
    if expected.get("action") == "final_answer":
        return Action("answer", expected["answer"])
    if not expected.get("parse_ok") or "request" not in expected:
        return None
    return Action("retrieve" if expected.get("action") == "retrieve_tools" else "call", expected["request"])


def _trace_step(environment: Environment, expected: Object) -> Object:
    """Return the last turn as a step of a trace."""
    turn = environment.turns[-1]
    step = layout.step(environment.world, environment.state, turn)
    found = {"step_id": len(environment.turns), **without(step, "raw", "tools")}
    if not step.get("parse_ok"):
        found["raw_output"] = turn.raw
    if turn.tools is not None:
        note = A_NOTE if _has_note(turn) else None
        for name in NOTES:
            worded = note is not None and isinstance(expected.get(name), str)
            found[name] = expected[name] if worded else note
        tools = [environment.world.tool[name] for name in turn.tools]
        found["retrieval_result"] = {
            "tool_count": len(tools),
            "tools": [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "input_datatypes": list(tool.inputs),
                    "output_datatype": tool.output_datatypes[0],
                    "tool_type": TOOL_TYPES[tool.role],
                }
                for tool in tools
            ],
        }
    return found


def _has_note(turn: Turn) -> bool:
    request = turn.request or {}
    return not turn.tools and (request["meta_tool"] == BY_BOTH or len(request.get("input_information", ())) == 2)


def _final_state(environment: Environment) -> Object:
    shown = [turn.tools for turn in environment.turns if turn.tools is not None]
    ends = layout.result(environment)
    return {
        **layout.final_state(environment),
        "available_tool_names": list(shown[-1]) if shown else [],
        "available_tool_ids": [],
        "tool_name_to_id": {},
        "tool_id_to_name": {},
        "incorrect_final_answer_feedback_count": environment.state.continuations,
        "has_final_answer": ends["final_answer"] is not None,
    }


def _progress(environment: Environment, expected: Object) -> Object:
    """Return what the progress file of a finished query holds, apart from the final result."""
    state = environment.state
    turns = []
    for number, (turn, other) in enumerate(zip(environment.turns, expected["turns"], strict=False), 1):
        step = layout.step(environment.world, state, turn)
        feedback = other.get("feedback_to_model")
        turns.append(
            {
                "turn_id": number,
                "status": "completed",
                "llm_raw_response": turn.raw,
                "parsed_action": {key: step[key] for key in ("action", "parse_ok", "request") if key in step},
                "feedback_to_model": feedback if isinstance(feedback, str) else None,
                "error": None,
            }
        )
    return {
        "query_id": state.query.query_id,
        "status": "completed",
        "truncate_history": False,
        "latest_state": {
            **without(_final_state(environment), "has_final_answer"),
            "next_tool_id_num": 1,
            "step_count": state.turn,
            "label_error_cnt": state.label_errors,
            "retrieval_error_cnt": state.retrieval_errors,
            "call_error_cnt": state.call_errors,
        },
        "turns": turns,
    }


def _index(index: Object, metadata: Object, ends: dict[str, int]) -> Object:
    """Return what the index of the progress holds; queries that weren't replayed are taken as they are."""
    listed = {entry["query_id"]: entry for entry in index["queries"]}
    entries = []
    for query_id in sorted({*listed, *ends}):
        replayed = {
            "query_id": query_id,
            "status": "completed",
            "last_turn_id": ends.get(query_id),
            "unresolved_turn_id": None,
            "query_progress_path": f"{PROGRESS}/{query_id}.json",
            "final_result_ready": True,
        }
        entries.append(replayed if query_id in ends else listed[query_id])
    return {
        "config_signature": metadata.get("config_signature"),
        "resume_attempts_used": index.get("resume_attempts_used"),
        "max_resume_attempts": metadata["config"]["runtime"]["max_resume_attempts"],
        "queries": entries,
    }


def _read(path: Path) -> Object | None:
    """Return the object that a file holds, or None if there is no file."""
    if not path.exists():
        return None
    value = json.loads(path.read_bytes())
    assert isinstance(value, dict)
    return value
