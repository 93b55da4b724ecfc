"""Reads an output folder of the published release as episodes, so that it can be scored like a run of ours.

Such a folder has `metadata.json`, `result.jsonl` (a row per finished query) and `progress/` (`index.json` and a file
per query, finished or not). Rows hold what came of each response; the responses themselves are only under `progress/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from planbench_xl.episodes.record import Answer, Episode, Matched, Reason, Status, Turn, TurnError
from planbench_xl.errors import StoreError
from planbench_xl.world import Query, World, text_form

METADATA = "metadata.json"
RESULTS = "result.jsonl"
PROGRESS = "progress/queries"
INDEX = "progress/index.json"

RELEASE_REASONS: Mapping[str, Reason] = {
    "exceeded_max_steps": Reason.MAX_TURNS,
    "exceeded_max_label_errors": Reason.MAX_LABEL_ERRORS,
    "exceeded_max_retrieval_errors": Reason.MAX_RETRIEVAL_ERRORS,
    "exceeded_max_tool_call_errors": Reason.MAX_CALL_ERRORS,
    "target_datatype_not_reached": Reason.NOT_GROUNDED,
    "final_answer_wrong": Reason.WRONG_ANSWER,
}
"""The release's names of reasons and ours."""

NORMAL = "normal"
"""The `stop_reason` of an episode that came to an end of its own."""

UNFINISHED = "unfinished"
"""Cause of an episode that the release never finished."""

Object = dict[str, Any]


class ReleaseOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What an output folder of the release holds.

    Attributes:
        episodes: One per query that was started, sorted by query. Those that the release stopped for another reason
            than the rules of the game, and those that it never finished, have the status `error`.
        rows: The release's own row of each finished query.
        unfinished: Queries that were started but never finished. The release's evaluator leaves them out; it counts
            a finished row as a failure whatever stopped it.
        expected: Number of queries that the run should have; None if the folder doesn't say.
        config: The release's configuration.
        problems: What was passed over in reading: torn lines, doubled rows, unreadable files.
    """

    episodes: tuple[Episode, ...]
    rows: dict[str, Object]
    unfinished: frozenset[str]
    expected: int | None
    config: Object
    problems: tuple[str, ...]

    @property
    def finished(self) -> tuple[Episode, ...]:
        """The episodes that the release's own evaluator counts."""
        return tuple(episode for episode in self.episodes if episode.query_id not in self.unfinished)


class Files(msgspec.Struct, frozen=True):
    """The files of an output folder, as they are.

    Attributes:
        metadata: What `metadata.json` holds.
        rows: The row of each finished query; of one that isn't in `result.jsonl`, that in its progress file.
        progress: What the progress file of each query holds.
        problems: What was passed over in reading.
    """

    metadata: Object
    rows: dict[str, Object]
    progress: dict[str, Object]
    problems: tuple[str, ...]


def is_release_output(folder: str | Path) -> bool:
    """Say whether a folder looks like an output folder of the release."""
    folder = Path(folder)
    return (folder / METADATA).is_file() and ((folder / RESULTS).is_file() or (folder / PROGRESS).is_dir())


def read_release_output(folder: str | Path, world: World, *, setting: str = "") -> ReleaseOutput:
    """Read an output folder of the release.

    Args:
        folder: The folder.
        world: The world it was made with. The folder doesn't name it, so every query and tool is looked up in it.
        setting: Name of the setting for the episodes; the release's `run_id` if empty.

    Raises:
        StoreError: A file that can't do without is missing or unreadable, or the world isn't the right one.
    """
    folder = Path(folder)
    files = read_files(folder)
    rows, progress, problems = files.rows, files.progress, list(files.problems)
    started = {query_id for query_id, state in progress.items() if state.get("turns")}
    unfinished = frozenset(started - set(rows))
    config = files.metadata.get("config") or {}
    name = setting or str(config.get("run_id") or "release")
    episodes = []
    for query_id in sorted({*rows, *unfinished}):
        query = world.query.get(query_id)
        if query is None:
            raise StoreError(
                f"{folder}: world '{world.name}' has no query '{query_id}'. Give the right one with --world."
            )
        place = f"{folder}, query '{query_id}'"
        state = progress.get(query_id, {})
        row = rows.get(query_id) or {"stop_reason": UNFINISHED, "trace": _parsed(state)}
        try:
            trace = _Trace(world, query, place, problems, finished=query_id in rows)
            turns = trace.turns(row.get("trace") or [], state.get("turns") or [])
        except (AttributeError, KeyError, TypeError) as error:
            raise StoreError(f"{place}: its trace can't be read ({error!r}). Restore it.") from error
        status, reason, cause = _outcome(row, place)
        episodes.append(
            Episode(
                query_id=query_id,
                task_id=query.task_id,
                world=world.fingerprint,
                setting=name,
                protocol="release",
                judge="contains",
                package="release",
                status=status,
                reason=reason,
                cause=cause,
                turns=turns,
            )
        )
    return ReleaseOutput(
        episodes=tuple(episodes),
        rows=rows,
        unfinished=unfinished,
        expected=files.metadata.get("query_count"),
        config=config,
        problems=tuple(problems),
    )


def read_files(folder: Path) -> Files:
    """Read the files of an output folder.

    Raises:
        StoreError: There are no metadata, or a file can't be read.
    """
    problems: list[str] = []
    metadata = _object(folder / METADATA)
    rows = _rows(folder / RESULTS, problems)
    progress = _progress(folder, problems)
    for query_id, state in progress.items():
        if query_id not in rows and isinstance(state.get("final_result"), dict):
            rows[query_id] = state["final_result"]
    return Files(metadata, rows, progress, tuple(problems))


def _outcome(row: Object, place: str) -> tuple[Status, Reason | None, str | None]:
    """Return status, reason and cause of a row."""
    stop = row.get("stop_reason", NORMAL)
    if stop != NORMAL:
        return Status.ERROR, None, str(stop)
    if row.get("status") == "success":
        return Status.SUCCESS, None, None
    if row.get("status") != "failed":
        raise StoreError(f"{place}: has the unknown status {row.get('status')!r}. Restore the row.")
    detail = str(row.get("failure_reason_detail"))
    if detail in RELEASE_REASONS:
        return Status.FAILURE, RELEASE_REASONS[detail], None
    return Status.ERROR, None, detail


class _Trace:
    """Reads the trace of one episode. Of one that wasn't finished, what came of its responses isn't known."""

    def __init__(self, world: World, query: Query, place: str, problems: list[str], *, finished: bool) -> None:
        self._world = world
        self._finished = finished
        self._place = place
        self._problems = problems
        self._targets = world.task[query.task_id].targets
        self._discovered: set[str] = set()
        self._untrusted: set[str] = set()

    def turns(self, trace: list[Object], responses: list[Object]) -> tuple[Turn, ...]:
        """Return the turns of a trace, with the responses where progress has them."""
        raws = {response.get("turn_id"): response.get("llm_raw_response") for response in responses}
        found = []
        for number, step in enumerate(trace, 1):
            raw = raws.get(number) or step.get("raw_output") or ""
            match step.get("action"):
                case "retrieve_tools":
                    found.append(self._retrieve(step, raw))
                case "call_tool":
                    found.append(self._call(step, raw))
                case "final_answer":
                    found.append(self._answer(step, raw))
                case "others":
                    found.append(Turn(action="invalid", raw=raw, error=TurnError.LABEL))
                case action:
                    self._problems.append(f"{self._place}, step {number}: unknown action {action!r}, passed over")
        return tuple(found)

    def _retrieve(self, step: Object, raw: str) -> Turn:
        if not step.get("parse_ok"):
            return Turn(action="retrieve", raw=raw, error=TurnError.RETRIEVAL_JSON)
        request, result = step.get("request"), step.get("retrieval_result")
        if not isinstance(result, dict) and not self._finished:
            return Turn(action="retrieve", raw=raw, request=request)
        if not isinstance(result, dict):
            return Turn(action="retrieve", raw=raw, error=TurnError.RETRIEVAL_SEMANTIC, request=request)
        tools = tuple(tool["name"] for tool in result["tools"])
        unknown = [name for name in tools if name not in self._world.tool]
        if unknown:
            problem = f"world '{self._world.name}' has no tool '{unknown[0]}'"
            raise StoreError(f"{self._place}: {problem}. Give the right one with --world.")
        self._discovered.update(tools)
        matched = step.get("matched_information") or {}
        inputs = matched.get("input_information")
        both = Matched(matched.get("output_information"), None if inputs is None else tuple(inputs))
        return Turn(action="retrieve", raw=raw, request=request, matched=both, tools=tools)

    def _call(self, step: Object, raw: str) -> Turn:
        if not step.get("parse_ok"):
            return Turn(action="call", raw=raw, error=TurnError.CALL_JSON)
        request, result = step["request"], step.get("tool_result")
        if isinstance(result, dict):
            if result.get("output_provenance") == "untrusted" and result.get("output_datatype") in self._targets:
                self._untrusted.add(text_form(result["output_value"]))
            return Turn(
                action="call", raw=raw, request=request, success=result["success"], value=result["output_value"]
            )
        if not self._finished and request.get("name") in self._world.tool:
            return Turn(action="call", raw=raw, request=request)
        missing = tuple(step.get("missing_input_datatypes") or ())
        untrusted = tuple(step.get("untrusted_input_datatypes") or ())
        # The release records no type for the first two kinds of error: what was discovered tells them apart.
        error = TurnError.WRONG_ARGUMENTS if request.get("name") in self._discovered else TurnError.UNDISCOVERED
        if step.get("internal_error_type") == "untrusted_input_rejected":
            error = TurnError.UNTRUSTED_INPUT
        elif step.get("internal_error_type") == "missing_required_input":
            error = TurnError.MISSING_INPUT
        return Turn(action="call", raw=raw, error=error, request=request, missing=missing, untrusted=untrusted)

    def _answer(self, step: Object, raw: str) -> Turn:
        reached = bool(step.get("target_datatype_reached"))
        spoiled = reached and not step.get("datatype_check_passed")
        answer = Answer(
            text=step.get("answer") or "",
            correct=bool(step.get("answer_correct")),
            reached=reached,
            # The release names the sources only; these are the values that it had on record for them.
            untrusted=tuple(sorted(self._untrusted)) if spoiled else (),
            continued=bool(step.get("incorrect_final_answer_feedback_sent")),
        )
        return Turn(action="answer", raw=raw, answer=answer)


def _parsed(state: Object) -> list[Object]:
    """Return the responses of an unfinished query as the release parsed them."""
    return [turn["parsed_action"] for turn in state.get("turns") or [] if isinstance(turn.get("parsed_action"), dict)]


def _rows(path: Path, problems: list[str]) -> dict[str, Object]:
    """Return the rows of `result.jsonl` by query; of two rows for one query, the later counts."""
    rows: dict[str, Object] = {}
    for number, line in enumerate(_lines(path), 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("query_id"), str):
            problems.append(f"{path}, line {number}: is no row, passed over")
            continue
        if row["query_id"] in rows:
            problems.append(
                f"{path}, line {number}: a second row for query '{row['query_id']}', which replaces the first"
            )
        rows[row["query_id"]] = row
    return rows


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            for line in file:
                if line.strip():
                    yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path} can't be read ({error.strerror}). Check its permissions.") from error


def _progress(folder: Path, problems: list[str]) -> dict[str, Object]:
    """Return what `progress/queries` holds, by query."""
    found: dict[str, Object] = {}
    for path in sorted((folder / PROGRESS).glob("*.json")):
        try:
            state = _object(path)
        except StoreError as error:
            problems.append(f"{str(error).partition(' Restore')[0]} Passed over")
            continue
        found[str(state.get("query_id") or path.stem)] = state
    return found


def _object(path: Path) -> Object:
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise StoreError(f"{path} can't be read ({error.strerror}). Give an output folder of the release.") from error
    except ValueError as error:
        raise StoreError(f"{path}: isn't JSON ({error}). Restore it.") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path}: isn't an object. Restore it.")
    return value
