from __future__ import annotations

from planbench_xl.agents.frontier import Frontier
from planbench_xl.agents.graph import Graph, Held
from tests.agents.test_graph import tool


def test_the_cheapest_concept_is_asked_for_once() -> None:
    graph = Graph()
    tool(graph, "t1", "a", "b")
    tool(graph, "t2", "b", "goal")
    graph.aim(graph.concept("goal"))
    frontier = Frontier(graph, "backward", ())
    asked = []
    for _ in range(9):
        request, _ = frontier.best()
        if request is None:
            break
        frontier.sent(request)
        asked.append(graph.phrases[request.concept][0])
    assert asked == ["goal", "b", "a"]


def test_changes_of_the_graph_are_followed() -> None:
    graph = Graph()
    made = tool(graph, "t1", "a", "b")
    graph.aim(graph.concept("b"))
    graph.hold(graph.concept("a"), Held(("1",)))
    frontier = Frontier(graph, "backward", ())
    _, known = frontier.best()
    made.dead = True
    graph.worsen(made)
    request, cost = frontier.best()
    assert request is not None
    assert cost < known


def test_two_values_at_hand_are_asked_for_together_once() -> None:
    graph = Graph()
    for name in ("a", "b"):
        graph.hold(graph.concept(name), Held((name,)))
    frontier = Frontier(graph, "forward", ())
    pairs = []
    for _ in range(9):
        request, _ = frontier.best()
        if request is None:
            break
        frontier.sent(request)
        if request.partner is not None:
            pairs.append(set(request.phrases))
    assert pairs == [{"a", "b"}]
