from __future__ import annotations

from planbench_xl.agents.graph import Graph, Held, KnownTool
from planbench_xl.environment import ToolView


def tool(graph: Graph, name: str, inputs: str, output: str, doubt: float = 0.0) -> KnownTool:
    slots = {phrase: graph.concept(phrase) for phrase in inputs.split()}
    made = KnownTool(ToolView(name, "", {}), slots, (graph.concept(output),), frozenset())
    made.doubt = doubt
    graph.add(made)
    return made


def names(graph: Graph, goal: str) -> list[str]:
    return [found.name for found in graph.plan([graph.concept(goal)])]


def test_a_plan_is_in_a_legal_order() -> None:
    graph = Graph()
    tool(graph, "t3", "b c", "d")
    tool(graph, "t1", "a", "b")
    tool(graph, "t2", "b", "c")
    assert names(graph, "d") == []
    graph.hold(graph.concept("a"), Held(("1",)))
    assert names(graph, "d") == ["t1", "t2", "t3"]


def test_doubt_is_a_detour_worth_taking() -> None:
    graph = Graph()
    graph.hold(graph.concept("a"), Held(("1",)))
    short = tool(graph, "short", "a", "c", doubt=3)
    tool(graph, "t1", "a", "b")
    tool(graph, "t2", "b", "c")
    assert names(graph, "c") == ["t1", "t2"]
    graph.tools["t1"].doubt = 9
    graph.worsen(graph.tools["t1"])
    assert names(graph, "c") == ["short"]
    assert graph.cost[graph.concept("c")] == 1 + short.doubt


def test_a_dead_tool_is_planned_around() -> None:
    graph = Graph()
    graph.hold(graph.concept("a"), Held(("1",)))
    short = tool(graph, "short", "a", "c")
    tool(graph, "t1", "a", "b")
    tool(graph, "t2", "b", "c")
    short.dead = True
    graph.worsen(short)
    assert names(graph, "c") == ["t1", "t2"]


def test_merged_concepts_are_one() -> None:
    graph = Graph()
    tool(graph, "t1", "a", "b")
    tool(graph, "t2", "x", "y")
    graph.aim(graph.concept("y"))
    graph.hold(graph.concept("a"), Held(("1",)))
    assert names(graph, "y") == []
    graph.merge(graph.concept("b"), graph.concept("x"))
    assert graph.concept("b") == graph.concept("x")
    assert names(graph, "y") == ["t1", "t2"]
    assert graph.distance[graph.concept("a")] == 2
    graph.merge(graph.concept("a"), graph.concept("x"))
    assert names(graph, "y") == ["t2"]
    assert graph.held(graph.concept("x")) is not None


def test_a_released_value_is_gone() -> None:
    graph = Graph()
    tool(graph, "t1", "a", "b")
    graph.hold(graph.concept("a"), Held(("1",)))
    graph.release(graph.concept("a"))
    assert graph.held(graph.concept("a")) is None
    assert names(graph, "b") == []


def test_costs_are_the_same_in_whatever_order_things_are_learnt() -> None:
    edges = [("t1", "a", "b"), ("t2", "b", "c"), ("t3", "a", "c"), ("t4", "c d", "e"), ("t5", "b", "d")]
    results = []
    for order in (edges, edges[::-1]):
        graph = Graph()
        graph.aim(graph.concept("e"))
        for name, inputs, output in order:
            tool(graph, name, inputs, output)
        graph.hold(graph.concept("a"), Held(("1",)))
        plain = {phrase: graph.cost[graph.concept(phrase)] for phrase in "abcde"}
        held = graph.held(graph.concept("a"))
        assert held is not None
        graph.release(graph.concept("a"))
        assert set(graph.cost) == set()
        graph.hold(graph.concept("a"), held)
        assert plain == {phrase: graph.cost[graph.concept(phrase)] for phrase in "abcde"}
        results.append((plain, {phrase: graph.distance[graph.concept(phrase)] for phrase in "abcde"}))
    assert results[0] == results[1]
