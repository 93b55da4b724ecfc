from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.utils.passive_env_checker import env_step_passive_checker  # noqa: E402

from planbench_xl.agents import make_agent  # noqa: E402
from planbench_xl.environment import Environment, Observation, Setting, answer, call, retrieve, tags  # noqa: E402
from planbench_xl.errors import SettingError, UsageError  # noqa: E402
from planbench_xl.integrations.gym import UnicodeText, WorldEnv  # noqa: E402
from planbench_xl.metrics import score_run  # noqa: E402
from planbench_xl.world import World, packaged_worlds  # noqa: E402

MINI = "planbench_xl/Mini-v0"


class Watched(Environment):
    """Remembers the last observation, for scripted agents."""

    last: Observation

    def reset(self, query_id: str) -> Observation:
        self.last = super().reset(query_id)
        return self.last

    def step(self, action: Any) -> Observation:
        self.last = super().step(action)
        return self.last


def play(env: WorldEnv, agent_name: str, query_id: str) -> Iterator[tuple[float, bool, bool, dict[str, Any]]]:
    """Play an episode with a scripted agent whose actions go through the text protocol."""
    watched = env.environment = Watched(env.world, env.setting)
    env.reset(options={"query_id": query_id})
    agent = make_agent(agent_name, watched)
    agent.reset(0)
    while not watched.last.done:
        action = agent.act(watched.last)
        text = action if isinstance(action, str) else tags.render(action)
        _, reward, terminated, truncated, info = env.step(text)
        yield float(reward), terminated, truncated, info


@pytest.mark.parametrize("reward", ["sparse", "shaped"])
def test_the_librarys_checker_accepts_it(reward: str) -> None:
    env = gymnasium.make(MINI, setting="one-path", reward=reward)
    check_env(env.unwrapped)


def test_every_packaged_world_has_an_id() -> None:
    for name in packaged_worlds():
        spec = gymnasium.spec(f"planbench_xl/{name.capitalize()}-v0")
        assert spec.kwargs == {"world": name}
        assert spec.entry_point == "planbench_xl.integrations.gym.env:WorldEnv"
    assert gymnasium.make("planbench_xl/World-v0", world="mini").unwrapped.world.name == "mini"


def test_ids_name_their_module() -> None:
    """Without importing the module first, as configuration files do."""
    env = gymnasium.make(f"planbench_xl.integrations.gym:{MINI}")
    assert env.spec.id == MINI


def test_agents_play_through_it(mini: World) -> None:
    env = WorldEnv(mini, "one-path")
    episodes = []
    for query in mini.queries:
        steps = list(play(env, "oracle", query.query_id))
        assert [reward for reward, *_ in steps] == [0.0] * (len(steps) - 1) + [1.0]
        _, terminated, truncated, info = steps[-1]
        assert (terminated, truncated, info["success"], info["reason"]) == (True, False, True, "")
        assert info["metrics"]["turns"] == len(steps) == info["turn"]
        assert all("metrics" not in info for *_, info in steps[:-1])
        episodes.append(env.episode())
    assert score_run(mini, episodes, expected=len(mini.queries)).metrics["accuracy"].value == 1.0


def test_limits(mini: World) -> None:
    query = mini.queries[0].query_id
    env = WorldEnv(mini, Setting(max_turns=2))
    env.reset(options={"query_id": query})
    text = tags.render(retrieve(output="anything"))
    assert env.step(text)[2:4] == (False, False)
    assert env.step(text)[2:4] == (False, True)
    env = WorldEnv(mini)
    env.reset(options={"query_id": query})
    results = [env.step("hello") for _ in range(3)]
    assert [result[2:4] for result in results] == [(False, False), (False, False), (True, False)]
    assert results[-1][4]["reason"] == "exceeded_max_label_errors"


def test_the_first_observation_says_all(mini: World) -> None:
    env = WorldEnv(mini, render_mode="ansi")
    text, info = env.reset(options={"query_id": mini.queries[0].query_id})
    assert "<tool_call>" in text
    assert mini.queries[0].text in text
    assert env.render() == text
    assert WorldEnv(mini).render() is None
    assert info == {"query_id": mini.queries[0].query_id, "turn": 0, "turns_left": 100}


def test_seeds_choose_the_query(mini: World) -> None:
    env = WorldEnv(mini)

    def drawn(seed: int) -> list[str]:
        return [env.reset(seed=seed if first else None)[1]["query_id"] for first in (True, *[False] * 9)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert set(drawn(1)) <= set(mini.query)


def test_chosen_queries(mini: World) -> None:
    names = list(mini.query)[:2]
    env = WorldEnv(mini, queries=names)
    assert {env.reset(seed=seed)[1]["query_id"] for seed in range(20)} == set(names)


def test_bad_arguments(mini: World) -> None:
    with pytest.raises(UsageError, match="no reward 'dense'"):
        WorldEnv(mini, reward="dense")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="discount is 2"):
        WorldEnv(mini, discount=2)
    with pytest.raises(UsageError, match="no split 'dev'"):
        WorldEnv(mini, split="dev")
    with pytest.raises(SettingError, match="one-path"):
        WorldEnv(mini, "onepath")
    with pytest.raises(UsageError, match="no world 'minni'"):
        WorldEnv("minni")
    env = WorldEnv(mini)
    with pytest.raises(UsageError, match="no episode"):
        env.step("x")
    with pytest.raises(UsageError, match="no option 'query'"):
        env.reset(options={"query": "x"})
    with pytest.raises(UsageError, match="no query 'x'"):
        env.reset(options={"query_id": "x"})
    env.reset(seed=1)
    with pytest.raises(UsageError, match="not dict"):
        env.step({})  # type: ignore[arg-type]


def test_hostile_actions_are_answered(mini: World) -> None:
    env = WorldEnv(mini)
    env.reset(seed=1)
    for text in ("", "\ud800", "<tool_call>" * 1000, "<final_answer>\0</final_answer>"):
        result = env.step(text)
        assert env.observation_space.contains(result[0])
        if result[2]:
            env.reset(seed=1)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectorised(mode: str) -> None:
    options = {"shared_memory": False} if mode == "async" else {}
    envs = gymnasium.make_vec(MINI, num_envs=2, vectorization_mode=mode, vector_kwargs=options)
    texts, _ = envs.reset(seed=[1, 2])
    assert len(texts) == 2
    for _ in range(4):
        texts, rewards, terminated, _, _ = envs.step(("hello", "<final_answer>x</final_answer>"))
    assert rewards.shape == terminated.shape == (2,)
    envs.close()


def test_space() -> None:
    space = UnicodeText(10, seed=1)
    assert space.contains('{"ä": 1}')
    assert space.contains("")
    assert not space.contains("x" * 11)
    assert not space.contains(b"x")
    assert all(space.contains(space.sample()) for _ in range(100))
    assert UnicodeText(10) == space != UnicodeText(11)
    with pytest.raises(ValueError, match="no alphabet"):
        space.sample(mask=())


def test_passive_checker(mini: World, recwarn: pytest.WarningsRecorder) -> None:
    env = WorldEnv(mini, reward="shaped")
    env.reset(seed=1)
    env_step_passive_checker(env, tags.render(retrieve(output="x")))
    assert not list(recwarn)


@pytest.mark.parametrize("setting", ["default", "one-path"])
@pytest.mark.parametrize("agent", ["oracle", "explorer", "random", "do-nothing", "list-everything"])
def test_shaping_sums_up_to_nothing(mini: World, agent: str, setting: str) -> None:
    """Without a discount, an episode's shaped rewards add up to its sparse reward, whatever was done."""
    env = WorldEnv(mini, setting, reward="shaped")
    for query in mini.queries:
        rewards, *_, info = zip(*play(env, agent, query.query_id), strict=True)
        assert sum(rewards) == pytest.approx(float(info[-1]["success"]))


def test_progress_is_rewarded_at_once(mini: World) -> None:
    env = WorldEnv(mini, "one-path", reward="shaped")
    for query in mini.queries:
        steps = [reward for reward, *_ in play(env, "oracle", query.query_id)]
        gains = [reward for reward in steps[:-1] if reward]
        assert gains == pytest.approx([1 / len(gains)] * len(gains))
        assert len(gains) >= mini.task[query.task_id].shortest_length


def test_the_best_policy_stays_the_best(mini: World) -> None:
    """Solved exactly by dynamic programming over all that a handful of actions can lead to, with a discount."""
    query = min(mini.queries, key=lambda q: (mini.task[q.task_id].shortest_length, len(q.inputs)))
    task = mini.task[query.task_id]
    record = next(record for record in mini.records if record.record_id == query.record_id)
    texts = [tags.render(answer(" ".join(map(str, query.answers.values())))), tags.render(answer("nothing"))]
    for tool in (mini.tool[name] for name in task.solution):
        texts.append(tags.render(retrieve(output=mini.datatype[tool.output_datatypes[0]].aliases[0])))
        texts.append(tags.render(call(tool.name, {a.name: record.values[a.datatype] for a in tool.arguments})))
    best = []
    for reward in ("sparse", "shaped"):
        setting = Setting(max_turns=2 * task.shortest_length + 1)
        env = WorldEnv(mini, setting, reward=reward, discount=0.9)  # type: ignore[arg-type]
        best.append(_Solver(env, query.query_id, texts).solve())
    assert best[0] == best[1]
    assert any(len(actions) == 1 for actions in best[0].values())


class _Solver:
    """Works out the best actions in every state that some texts lead to."""

    def __init__(self, env: WorldEnv, query_id: str, texts: list[str]) -> None:
        self.env, self.query_id, self.texts = env, query_id, texts
        self.best: dict[tuple[Any, ...], frozenset[int]] = {}
        self.values: dict[tuple[Any, ...], float] = {}

    def solve(self) -> dict[tuple[Any, ...], frozenset[int]]:
        self._value(())
        return self.best

    def _value(self, prefix: tuple[int, ...]) -> float:
        _, key = self._replay(prefix)
        if key not in self.values:
            worths = []
            for action in range(len(self.texts)):
                (_, reward, terminated, truncated, _), _ = self._replay((*prefix, action))
                over = terminated or truncated
                worths.append(float(reward) + (0.0 if over else self.env.discount * self._value((*prefix, action))))
            top = max(worths)
            self.values[key] = top
            self.best[key] = frozenset(n for n, worth in enumerate(worths) if worth > top - 1e-9)
        return self.values[key]

    def _replay(self, actions: tuple[int, ...]) -> tuple[Any, tuple[Any, ...]]:
        self.env.reset(options={"query_id": self.query_id})
        result = None
        for action in actions:
            result = self.env.step(self.texts[action])
        state = self.env.environment.state
        errors = (state.label_errors, state.retrieval_errors, state.call_errors)
        return result, (state.turn, frozenset(state.obtained), frozenset(state.discovered), errors)
