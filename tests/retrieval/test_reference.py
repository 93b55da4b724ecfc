from __future__ import annotations

from planbench_xl.retrieval import ReferenceRetriever, normalise
from planbench_xl.world import Role, World


def test_by_output_finds_every_executable_tool(mini: World) -> None:
    retriever = ReferenceRetriever(mini)
    for tool in mini.executable:
        for output in tool.output_datatypes:
            request = normalise({"meta_tool": "by_output_info", "output_information": output}, mini.domain)
            found = retriever.retrieve(request)
            assert tool in found.tools
            assert found.matched.output == output
            assert all(other.role is Role.EXECUTABLE and output in other.output_datatypes for other in found.tools)
            assert [t.name for t in found.tools] == sorted(t.name for t in found.tools)


def test_by_inputs_needs_exactly_the_tools_inputs(mini: World) -> None:
    retriever = ReferenceRetriever(mini)
    for tool in mini.executable:
        for output in (None, tool.output_datatypes[0]):
            body = {"meta_tool": "by_io_info" if output else "by_inputs", "input_information": list(tool.inputs)}
            if output:
                body["output_information"] = output
            if len(tool.inputs) <= 2:
                assert tool in retriever.retrieve(normalise(body, mini.domain)).tools
                body["input_information"] = [tool.inputs[0], "_".join(tool.inputs)][: len(tool.inputs)]
                if len(tool.inputs) == 2:
                    body["input_information"] = list(reversed(tool.inputs))
                    assert tool in retriever.retrieve(normalise(body, mini.domain)).tools
                    body["input_information"] = [tool.inputs[0]]
                    assert tool not in retriever.retrieve(normalise(body, mini.domain)).tools


def test_tools_with_three_inputs_are_found_by_output_only(mini: World) -> None:
    retriever = ReferenceRetriever(mini)
    large = [tool for tool in mini.executable if len(tool.inputs) > 2]
    assert large
    for tool in large:
        for first in tool.inputs:
            for second in tool.inputs:
                body = {"meta_tool": "by_inputs", "input_information": [first, second]}
                assert tool not in retriever.retrieve(normalise(body, mini.domain)).tools


def test_a_note_is_due_where_nothing_fits(mini: World) -> None:
    retriever = ReferenceRetriever(mini)
    names = [d.name for d in mini.datatypes]
    pairs = {frozenset(tool.inputs) for tool in mini.executable}
    lone = next(name for name in names if frozenset({name}) not in pairs)
    pair = next([a, b] for a in names for b in names if a != b and frozenset({a, b}) not in pairs)

    def missing(**body: object) -> bool:
        return retriever.retrieve(normalise(body, mini.domain)).missing

    assert not missing(meta_tool="by_inputs", input_information=[lone])
    assert missing(meta_tool="by_inputs", input_information=pair)
    assert missing(meta_tool="by_io_info", input_information=[lone], output_information=names[0])
