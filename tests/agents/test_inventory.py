"""Playing without exact searches: where all tools are shown at once, and where searches rank texts."""

from __future__ import annotations

from planbench_xl.agents import make_agent
from planbench_xl.agents.inventory import LOOK_UPS, Inventory, WithInventory, WithSieve
from planbench_xl.environment import Action, Environment, Event, Observation, ToolView, retrieve
from planbench_xl.runs.presets import load_setting
from planbench_xl.world import World
from tests.agents.playing import accuracy, play


def view(name: str, **arguments: str) -> ToolView:
    properties = {argument: {"type": "string", "description": about} for argument, about in arguments.items()}
    return ToolView(name, "Says it.", {"type": "object", "properties": properties})


TOOLS = (
    view("get_card_number_from_loan", loan="A loan of a book."),
    view("get_branch_from_reader_card", reader_card="The number of a card."),
    view("get_due_date_from_loan_and_branch", loan="A loan of a book.", branch="A house."),
)


def found(**request: object) -> list[str]:
    return [tool.name for tool in Inventory(TOOLS).look_up(request)]  # type: ignore[arg-type]


def test_tools_are_looked_up_by_what_they_take_and_return() -> None:
    # What is called the same is the same, whether it is taken or returned.
    assert found(output_information="branch") == ["get_branch_from_reader_card"]
    assert found(output_information="a house") == ["get_branch_from_reader_card"]
    assert found(output_information="the card number") == ["get_card_number_from_loan"]
    assert found(input_information=["loan"]) == ["get_card_number_from_loan"]
    assert found(input_information=["a house", "loan of a book"]) == ["get_due_date_from_loan_and_branch"]
    assert found(output_information="due date", input_information=["loan"]) == []
    assert Inventory(()).look_up({"output_information": "x"}) == ()


class Searching:
    def reset(self, seed: int) -> None:
        self.asked = 0

    def act(self, observation: Observation) -> Action:
        assert observation.event is Event.QUERY or observation.turns_left == 9
        self.asked += 1
        return retrieve(output="loan")


def test_endless_looking_ends() -> None:
    inner = Searching()
    agent = WithInventory(inner)
    agent.reset(0)
    observation = Observation(event=Event.QUERY, turn=0, turns_left=9, query="?", tools=TOOLS)
    assert agent.act(observation).kind == "answer"
    assert inner.asked == LOOK_UPS


def test_the_oracle_needs_no_search(mini: World) -> None:
    for changes in ([], ["blocking.enabled=true"], ["failures.kind=flaky"], ["failures.kind=schema_drift"]):
        setting = load_setting("all-tools", changes)
        assert accuracy(mini, setting, "oracle") == 1
    environment = Environment(mini, load_setting("all-tools"))
    play(environment, make_agent("oracle", environment), mini.queries[0].query_id)
    assert all(turn.action != "retrieve" for turn in environment.turns)


def test_searching_agents_look_up_instead(mini: World) -> None:
    environment = Environment(mini, load_setting("all-tools"))
    for name in ("explorer", "forward", "backward", "list-everything"):
        agent = make_agent(name, environment)
        for query in mini.queries:
            play(environment, agent, query.query_id)
            assert environment.status is not None
            assert {turn.action for turn in environment.turns} <= {"call", "answer"}


def test_agents_play_where_searches_rank_texts(garage: World) -> None:
    setting = load_setting("bm25")
    assert accuracy(garage, setting, "oracle") == 1
    assert accuracy(garage, setting, "explorer") > 0
    # The others play on without a fault, whatever they find.
    assert accuracy(garage, setting, "random") <= accuracy(garage, setting, "forward") <= 1


def test_a_sieve_lets_through_what_fits(mini: World) -> None:
    tool = mini.executable[0]
    asked: list[Observation] = []

    class Asks:
        def reset(self, seed: int) -> None:
            asked.clear()

        def act(self, observation: Observation) -> Action:
            asked.append(observation)
            return retrieve(inputs=[tool.arguments[0].description])

    environment = Environment(mini, load_setting("bm25"))
    sieve = WithSieve(Asks())
    sieve.reset(0)
    shown = environment.step(sieve.act(environment.reset(mini.queries[0].query_id)))
    sieve.act(shown)
    let_through = {view.name for view in asked[-1].tools}
    assert tool.name in let_through
    assert let_through < {view.name for view in shown.tools}
