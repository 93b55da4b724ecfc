"""Inspect AI drives an evaluation with its own MCP tools."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")
inspect_ai = pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval  # noqa: E402
from inspect_ai.agent import react, run  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.solver import Generate, Solver, TaskState, solver  # noqa: E402
from inspect_ai.tool import mcp_server_stdio  # noqa: E402

from planbench_xl.episodes.store import read_episodes  # noqa: E402
from planbench_xl.world import World  # noqa: E402
from tests.conftest import REPOSITORY  # noqa: E402
from tests.integrations.mcp.calls import SERVE, calls_of, http_server  # noqa: E402

QUERY = "library_query_04"


def scripted(world: World, queries: list[str]) -> Any:
    """Return a model that makes the oracle's calls of the query that it reads."""

    calls_by_query = {query: calls_of(world, query) for query in queries}

    def reply(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        said = "\n".join(message.text for message in messages)
        query = next(query for query in queries if world.query[query].text in said)
        calls = calls_by_query[query]
        done = sum(isinstance(message, ChatMessageTool) for message in messages)
        if done == len(calls):
            output = ModelOutput.from_content("mockllm/model", "That is all.")
        else:
            assert calls[done][0] in {tool.name for tool in tools}
            output = ModelOutput.for_tool_call("mockllm/model", *calls[done])
        # Inspect AI would count them with a tokeniser that it fetches.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def evaluate(world: World, queries: list[str], player: Solver, logs: Path) -> None:
    samples = [Sample(input="Play.", id=query) for query in queries]
    (log,) = eval(
        Task(dataset=samples, solver=player), model=scripted(world, queries), log_dir=str(logs), display="none"
    )
    assert log.status == "success", log.error
    assert log.samples is not None and all(sample.error is None for sample in log.samples)


def documented() -> dict[str, Any]:
    """Return what the documentation's example defines."""
    text = (REPOSITORY / "docs" / "mcp.md").read_text(encoding="utf-8")
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "inspect_ai" in block]
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(code, "docs/mcp.md", "exec"), names)
    return names


@solver
def over_stdio(out: Path, text: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        arguments = [*SERVE[1:], "--world", "mini", "--out", str(out), "--session", str(state.sample_id)]
        agent = react(tools=[mcp_server_stdio(command=SERVE[0], args=arguments)], submit=False)
        await run(agent, text)
        return state

    return solve


@pytest.mark.slow
def test_over_http_many_samples_at_once(mini: World, tmp_path: Path) -> None:
    queries = list(mini.query)
    with http_server(tmp_path / "run") as (address, _):
        evaluate(mini, queries, documented()["player"](address), tmp_path)
    episodes = read_episodes(tmp_path / "run")
    assert [episode.query_id for episode in episodes] == sorted(queries)
    assert all(episode.status == "success" for episode in episodes)


@pytest.mark.slow
def test_over_stdio(mini: World, tmp_path: Path) -> None:
    evaluate(mini, [QUERY], over_stdio(tmp_path / "run", mini.query[QUERY].text), tmp_path)
    (episode,) = read_episodes(tmp_path / "run")
    assert (episode.query_id, episode.status) == (QUERY, "success")
