"""How well a retriever finds single tools: one single-step task per executable tool, played by a scripted agent.

The paper's table on the robustness of its retriever does the same with a language model: the inputs of a tool are
known, its output is wanted, and the model has to find the tool, call it and answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import get_args

import msgspec

from planbench_xl.agents.appraisal import FLAWED, flaw_score
from planbench_xl.agents.phrases import output_phrases, words
from planbench_xl.agents.registry import import_factory
from planbench_xl.audit.context import Progress
from planbench_xl.audit.retrieval_table import PLACES, Row, Trial, table_rows
from planbench_xl.errors import UsageError
from planbench_xl.retrieval import (
    BY_BOTH,
    BY_INPUTS,
    BY_OUTPUT,
    BY_QUERY,
    Request,
    RetrievalConfig,
    Retriever,
    RetrieverName,
    final_order,
    make_retriever,
    mix_distractors,
    normalise,
)
from planbench_xl.world import FAILING_KINDS, Record, Role, Tool, World
from planbench_xl.world.lookups import Lookups

RetrieverFactory = Callable[[World], Retriever]

RETRIEVERS: tuple[RetrieverName, ...] = get_args(RetrieverName)
"""Names of the retrievers that a setting can have."""

MODES = (BY_OUTPUT, BY_INPUTS, BY_BOTH)
MAX_PHRASES = 2
"""A request names at most so many inputs."""


class RetrievalCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What `retrieval_check` found.

    Attributes:
        world: Name of the world.
        fingerprint: Its fingerprint.
        retriever: Name of the retriever.
        top_k: A ranking retriever found so many tools.
        max_tools: Distractors filled each list up to so many tools; 0: there were none.
        rows: The table: per mode, all tools and by number of inputs.
        skipped: Tools that answer on no record, of which no task can be made.
        not_listed: Per mode, the tools that no list had.
    """

    world: str
    fingerprint: str
    retriever: str
    top_k: int
    max_tools: int
    rows: tuple[Row, ...]
    skipped: tuple[str, ...]
    not_listed: dict[str, tuple[str, ...]]


def find_retriever(name: str, config: RetrievalConfig | None = None) -> RetrieverFactory:
    """Return the factory of a retriever by name, or by `package.module:factory`; it is called with the world.

    Args:
        name: The name.
        config: The other choices of a retriever that a setting can have.

    Raises:
        UsageError: There is none.
    """
    if name in RETRIEVERS:
        chosen = msgspec.structs.replace(config or RetrievalConfig(), retriever=name)
        return lambda world: make_retriever(world, chosen)
    if ":" not in name:
        raise UsageError(
            f"There is no retriever '{name}'. Known: {', '.join(RETRIEVERS)}. Your own is given as "
            "package.module:factory."
        )
    try:
        factory: RetrieverFactory = import_factory(name, "the world")
    except ImportError as error:
        raise UsageError(f"The retriever can't be used: {error}") from error
    return factory


def retrieval_check(
    world: World,
    retriever: str = "reference",
    *,
    config: RetrievalConfig | None = None,
    sample: int | None = None,
    progress: Progress = None,
) -> RetrievalCheck:
    """Play one single-step task per executable tool in every mode of retrieval.

    Args:
        world: The world.
        retriever: Name of the retriever, or `package.module:factory`.
        config: What else there is to choose: distractors up to so many tools, as in the game (0 for none); number of
            tools found; embedding model. `free_text` adds searches by a text, which can name all inputs.
        sample: Only so many tools, evenly spread over the list of all.
        progress: Told how far the work is.

    Raises:
        UsageError: There is no such retriever.
        SettingError: The choices don't go together.
        RetrieverError: An embedding model can't be used.
    """
    config = config or RetrievalConfig()
    modes = (*MODES, BY_QUERY) if config.free_text else MODES
    player = _Player(world, find_retriever(retriever, config)(world), config.max_tools)
    tools = spread(world.executable, sample)
    trials: list[Trial] = []
    skipped = []
    for done, tool in enumerate(tools):
        record = player.record(tool)
        if record is None:
            skipped.append(tool.name)
        else:
            trials += [player.play(tool, record, mode) for mode in modes]
        if progress:
            progress(f"retrieval check, {retriever}", done + 1, len(tools))
    return RetrievalCheck(
        world=world.name,
        fingerprint=world.fingerprint,
        retriever=retriever,
        top_k=config.top_k,
        max_tools=config.max_tools,
        rows=tuple(table_rows(trials, modes)),
        skipped=tuple(skipped),
        not_listed={mode: tuple(t.tool for t in trials if t.mode == mode and not t.listed) for mode in modes},
    )


def compare_retrievers(
    world: World,
    retrievers: Sequence[str],
    config: RetrievalConfig,
    *,
    sample: int | None = None,
    progress: Progress = None,
) -> list[RetrievalCheck]:
    """Check several retrievers on the same tasks; those that rank are also asked by free text.

    Takes and raises what `retrieval_check` does.
    """
    checks = []
    for name in retrievers:
        ranks = name in RETRIEVERS and name != "reference"
        own = msgspec.structs.replace(config, free_text=ranks)
        checks.append(retrieval_check(world, name, config=own, sample=sample, progress=progress))
    return checks


def spread(tools: Sequence[Tool], size: int | None) -> Sequence[Tool]:
    """Return so many tools, evenly spread over the list; all of them if there are no more."""
    if size is None or size >= len(tools):
        return tools
    return [tools[number * len(tools) // size] for number in range(size)]


class _Player:
    """Plays single-step tasks. It knows what is given and wanted in words, and reads what tools say of themselves."""

    def __init__(self, world: World, retriever: Retriever, max_tools: int) -> None:
        self._world = world
        self._retriever = retriever
        self._max_tools = max_tools
        self._lookups = Lookups(world)
        answering = [(record, set(self._lookups.answering(record))) for record in world.records]
        self._records = {
            tool.name: next((record for record, names in answering if tool.name in names), None)
            for tool in world.executable
        }

    def record(self, tool: Tool) -> Record | None:
        """Return the first record on which a tool answers."""
        return self._records[tool.name]

    def play(self, wanted: Tool, record: Record, mode: str) -> Trial:
        """Retrieve, call what seems right, and answer."""
        turns, sizes, listed = 0, [], []
        correct = False
        tried: set[str] = set()
        requests = list(_requests(wanted, mode, self._world.domain))
        started = time.perf_counter()
        found = len(self._retriever.retrieve(requests[0]).tools)
        milliseconds = (time.perf_counter() - started) * 1e3
        for request in requests:
            turns += 1
            shown = self._shown(request, wanted)
            sizes.append(len(shown))
            listed.append(any(tool.name == wanted.name for tool in shown))
            calls, correct, answered = self._call(wanted, record, [tool for tool in shown if tool.name not in tried])
            turns += calls
            tried.update(tool.name for tool in shown)
            if answered:
                break
        return Trial(
            tool=wanted.name,
            mode=mode,
            inputs=len(wanted.inputs),
            listed=any(listed),
            listed_first=bool(listed) and listed[0],
            place=self._place(requests[0], wanted),
            found=found,
            milliseconds=milliseconds,
            sizes=tuple(sizes),
            correct=correct,
            turns=turns + 1,
        )

    def _place(self, request: Request, wanted: Tool) -> int | None:
        """Return the tool's place among the first 30 that are found; 0 if they are not ranked."""
        found = self._retriever.retrieve(request | {"top_k": max(PLACES)})
        names = [tool.name for tool in found.tools]
        if wanted.name not in names:
            return None
        return names.index(wanted.name) + 1 if found.ranked else 0

    def _shown(self, request: Request, wanted: Tool) -> list[Tool]:
        tools = list(self._retriever.retrieve(request).tools)
        if self._max_tools:
            tools = mix_distractors(tools, self._world.distractors, self._world.domain, self._max_tools)
        return final_order(tools, request, 0, wanted.name, wanted.name)

    def _call(self, wanted: Tool, record: Record, shown: Sequence[Tool]) -> tuple[int, bool, bool]:
        """Call tools, the likeliest first, until one gives a value.

        Returns:
            The number of calls, whether the value is right, and whether there is one.
        """
        calls = 0
        for tool in _ranked(wanted, shown):
            calls += 1
            if not set(wanted.inputs).issuperset(tool.inputs):
                continue  # refused: the agent took an argument for something that it knows
            if tool.role is not Role.EXECUTABLE:
                if tool.kind in FAILING_KINDS:
                    continue
                return calls, False, True
            if self._answers(tool, record):
                return calls, set(tool.output_datatypes) >= set(wanted.output_datatypes), True
        return calls, False, False

    def _answers(self, tool: Tool, record: Record) -> bool:
        values = [record.values.get(name) for name in (*tool.inputs, *tool.output_datatypes)]
        return all(value is not None for value in values)


def _requests(tool: Tool, mode: str, domain: str) -> Iterator[Request]:
    """Yield the requests of an agent that knows a task in words: the short words first, then the long ones."""
    labels = [output.label or output.name.replace("_", " ") for output in tool.outputs]
    outputs = [labels[0], tool.outputs[0].description or labels[0]]
    names = [argument.name.replace("_", " ") for argument in tool.arguments]
    inputs = [[argument.description for argument in tool.arguments], names]
    seen: list[Request] = []
    for output, given in zip(outputs, inputs, strict=True):
        if mode == BY_QUERY:
            body: Request = {"meta_tool": mode, "query": f"{output} from {' and '.join(given)}"}
        else:
            # With more inputs than a request can name, the agent names the first ones.
            phrases = given[:MAX_PHRASES]
            body = {"meta_tool": mode, "output_information": output, "input_information": phrases}
        request = normalise(body, domain, free_text=True)
        if request not in seen:
            seen.append(request)
            yield request


def _ranked(wanted: Tool, shown: Sequence[Tool]) -> list[Tool]:
    """Return the tools that seem to take no more than what is known, those without a disclosed flaw first."""
    known = [_content(argument.name, argument.description) for argument in wanted.arguments]
    about = _content(*(part for output in wanted.outputs for part in (output.label, output.name, output.description)))
    ranks = []
    for place, tool in enumerate(shown):
        if len(tool.arguments) > len(known):
            continue
        takes = [_content(argument.name, argument.description) for argument in tool.arguments]
        fit = [max((_likeness(one, other) for other in known), default=0.0) for one in takes]
        if min(fit, default=0.0) < ALIKE:
            continue
        topic = frozenset(word for argument in tool.arguments for word in argument.name.lower().split("_"))
        flaw = flaw_score(tool.description, topic)
        says = _content(*output_phrases(tool.name), tool.description)
        match = min(fit) + len(about & says) / max(1, len(about))
        ranks.append((flaw >= FLAWED, -match, flaw, place, tool))
    return [rank[-1] for rank in sorted(ranks, key=lambda rank: rank[:-1])]


ALIKE = 0.25
"""Share of common words from which two descriptions of an argument are taken to mean the same."""


def _content(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in words(text))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))
