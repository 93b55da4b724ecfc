from __future__ import annotations

from planbench_xl.agents import make_agent
from planbench_xl.environment import Environment, Setting
from planbench_xl.world import World
from tests.agents.playing import accuracy, play


def test_doing_nothing_scores_nothing(mini: World) -> None:
    assert accuracy(mini, Setting(), "do-nothing") == 0
    assert accuracy(mini, Setting(exploration_budget=5), "do-nothing") == 0


def test_random_follows_from_its_seed(garage: World) -> None:
    environment = Environment(garage)
    agent = make_agent("random", environment)

    def turns(seed: int) -> list[str]:
        play(environment, agent, "q1", seed)
        return [turn.raw for turn in environment.turns]

    assert turns(1) == turns(1)
    assert len({tuple(turns(seed)) for seed in range(8)}) > 4


def test_random_does_all_kinds_of_things(mini: World) -> None:
    environment = Environment(mini)
    agent = make_agent("random", environment)
    seen = set()
    for seed in range(40):
        play(environment, agent, mini.queries[0].query_id, seed)
        seen |= {turn.action for turn in environment.turns}
    assert seen == {"retrieve", "call", "answer"}


def test_list_everything_lists_every_value(garage: World) -> None:
    environment = Environment(garage)
    agent = make_agent("list-everything", environment)
    assert play(environment, agent, "q1"), "the lenient judge falls for it"
    last = environment.turns[-1].answer
    assert last is not None
    assert "B-20" in last.text
    assert "82.5" in last.text
    assert accuracy(garage, Setting(judge="exact"), "list-everything") in (0, 1)
