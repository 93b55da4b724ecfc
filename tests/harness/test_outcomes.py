"""Everything that can go wrong with a reply, and what becomes of it; one evaluation for each protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from planbench_xl.episodes.record import Episode, Status, TurnError
from planbench_xl.runs.scores import score_folder
from planbench_xl.world import World
from tests.harness.conftest import Evaluate
from tests.harness.playing import KEY, play_model, stored
from tests.harness.server import Server
from tests.harness.speaker import Speaker

Body = dict[str, Any]

THINKING = "<think>I had better say nothing.</think>"

TEXT = (
    "fine",
    "content_filter",
    "overflow",
    "401",
    "hang",
    "malformed",
    "empty",
    "thinking",
    "cut off",
    "refusal",
    "429 500 cut",
)
"""What happens in the episode of each query, in the order of the world."""

NATIVE = ("fine", "parallel", "broken arguments", "reasoning", "no call", "unknown function", *["fine"] * 5)


class Script:
    """Speaks like the oracle, apart from what is planned for the query."""

    def __init__(self, world: World, speaker: Speaker, plan: tuple[str, ...]) -> None:
        self.speaker = speaker
        self.plan = {query.text: event for query, event in zip(world.queries, plan, strict=True)}

    def event(self, body: Body) -> str:
        return self.plan[self.speaker.query(body)]

    def speak(self, body: Body) -> Body:
        """Say what is planned in the second turn (text), or at the start (native)."""
        event, turn = self.event(body), self.speaker.turn(body)
        words = {"empty": "", "thinking": THINKING, "refusal": "I can't help with that."}
        if event in words and turn == 1:
            return {"role": "assistant", "content": words[event]}
        if event in words and turn > 1:
            # The turn that was lost is made up for.
            return self.speaker.message({**body, "messages": body["messages"][:-2]})
        said = self.speaker.message(body)
        if body.get("tools"):
            return self._native(said, event, turn)
        if event == "content_filter" and turn == 2:
            return {**said, "finish": "content_filter"}
        if event == "cut off":
            return {**said, "finish": "length"} if turn % 2 else said
        return said

    def _native(self, said: Body, event: str, turn: int) -> Body:
        call = said["tool_calls"][0]
        if event == "reasoning":
            return {**said, "reasoning_content": f"thought {turn}"}
        if turn > 0:
            return said
        function = call["function"]
        if event == "parallel":
            other = {**call, "id": "second", "function": {**function, "arguments": "{}"}}
            return {**said, "tool_calls": [call, other]}
        if event == "broken arguments":
            return {**said, "tool_calls": [{**call, "function": {**function, "arguments": '{"meta_tool": '}}]}
        if event == "unknown function":
            return {**said, "tool_calls": [{**call, "function": {"name": "fly", "arguments": "{}"}}]}
        if event == "no call":
            return {"role": "assistant", "content": "Let me think."}
        return said

    def trouble(self, body: Body, asked: int) -> str | None:
        event, turn = self.event(body), self.speaker.turn(body)
        if event in ("overflow", "401", "hang", "malformed"):
            return event if turn == 2 else None
        if event.startswith("429"):
            return [None, *event.split()][turn] if turn in (1, 2, 3) and asked == 0 else None
        return None


@pytest.fixture(scope="module")
def text(mini: World, speaker: Speaker, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Episode], Path]:
    script = Script(mini, speaker, TEXT)
    with pytest.MonkeyPatch.context() as patch, Server(script.speak, script.trouble) as server:
        patch.setenv("LOCAL_API_KEY", KEY)
        result = play_model(server, tmp_path_factory.mktemp("outcomes") / "run", timeout=6)
    return dict(zip(TEXT, stored(result.folder).values(), strict=True)), result.folder


def test_text(text: tuple[dict[str, Episode], Path]) -> None:
    episodes, folder = text
    causes = {name: (e.cause or "").partition(":")[0] for name, e in episodes.items() if e.status is Status.ERROR}
    assert causes == {
        "content_filter": "content_filter",
        "overflow": "context_overflow",
        "401": "provider_error",
        "hang": "time_out",
        "malformed": "provider_error",
    }
    assert all(len(episodes[name].turns) == 2 for name in causes)
    for name in ("empty", "thinking", "refusal"):
        assert episodes[name].status is Status.SUCCESS, name
        assert [turn.error for turn in episodes[name].turns].count(TurnError.LABEL) == 1, name
    usage = {name: episode.usage for name, episode in episodes.items() if episode.usage is not None}
    assert (usage["empty"].empty, usage["thinking"].empty, usage["refusal"].empty) == (1, 1, 0)
    assert usage["cut off"].cut_off == len(episodes["cut off"].turns) // 2
    assert episodes["cut off"].status is Status.SUCCESS
    assert episodes["429 500 cut"].status is Status.SUCCESS
    fine = usage["fine"]
    assert fine.calls == len(episodes["fine"].turns)
    assert (fine.input_tokens, fine.output_tokens, fine.cost) == (100 * fine.calls, 10 * fine.calls, None)
    score = score_folder(folder)
    assert (score.scored, score.errors, score.complete) == (6, 5, False)
    assert score.metrics["accuracy"].value == 1.0
    assert score.metrics_errors_as_failures["accuracy"].value == pytest.approx(6 / 11)


def test_no_key_is_kept(text: tuple[dict[str, Episode], Path]) -> None:
    from inspect_ai.log import read_eval_log

    _, folder = text
    for path in folder.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path.name
    (log,) = (folder / "logs").glob("*.eval")
    assert KEY not in read_eval_log(str(log)).model_dump_json()


def test_native(mini: World, speaker: Speaker, evaluate: Evaluate) -> None:
    script = Script(mini, speaker, NATIVE)
    with Server(script.speak) as server:
        result = evaluate(server, {"protocol": "native"})
        bodies = server.bodies
    episodes = list(stored(result.folder).values())
    by_event = dict(zip(NATIVE[:6], episodes, strict=False))
    assert by_event["fine"].status is Status.SUCCESS
    parallel = by_event["parallel"]
    assert parallel.usage is not None
    assert (parallel.usage.parallel_calls, parallel.usage.calls) == (1, len(parallel.turns) - 1)
    assert [turn.action for turn in parallel.turns[:2]] == ["retrieve", "retrieve"]
    assert parallel.turns[1].error is TurnError.RETRIEVAL_JSON
    assert by_event["broken arguments"].turns[0].error is TurnError.RETRIEVAL_JSON
    assert by_event["unknown function"].turns[0].error is TurnError.UNDISCOVERED
    assert by_event["no call"].turns[0].error is TurnError.LABEL
    # Reasoning goes back to the provider in every later request.
    reasoning = [body for body in bodies if script.event(body) == "reasoning"]
    last = max(reasoning, key=lambda body: len(body["messages"]))
    assert all(f"thought {turn}" in str(last["messages"]) for turn in range(speaker.turn(last)))
