"""The reference retriever: phrases stand for datatypes, datatypes are matched exactly."""

from __future__ import annotations

from collections import defaultdict

from planbench_xl.episodes.record import Matched
from planbench_xl.retrieval.hashing import PhraseMatcher
from planbench_xl.retrieval.request import BY_BOTH, BY_INPUTS, BY_OUTPUT, Request
from planbench_xl.retrieval.retriever import Retrieval
from planbench_xl.world import Tool, World


class ReferenceRetriever:
    """Exact typed match over the executable tools, after matching phrases to datatypes."""

    def __init__(self, world: World) -> None:
        self._matcher = PhraseMatcher(world.datatypes)
        self._by_output: dict[str, list[Tool]] = defaultdict(list)
        self._by_inputs: dict[frozenset[str], list[Tool]] = defaultdict(list)
        for tool in world.executable:
            for output in dict.fromkeys(tool.output_datatypes):
                self._by_output[output].append(tool)
            if len(tool.inputs) <= 2:
                self._by_inputs[frozenset(tool.inputs)].append(tool)

    def match(self, phrase: str) -> str:
        """Return the datatype that a phrase stands for."""
        return self._matcher.match(phrase)

    def retrieve(self, request: Request) -> Retrieval:
        """Return the executable tools that fit a normalised request."""
        meta_tool = request["meta_tool"]
        output = inputs = None
        if meta_tool != BY_INPUTS:
            output = self.match(request["output_information"])
        if meta_tool != BY_OUTPUT:
            inputs = tuple(self.match(phrase) for phrase in request["input_information"])
        if inputs is None:
            found = self._by_output.get(output or "", [])
        else:
            found = self._by_inputs.get(frozenset(inputs), [])
            found = [tool for tool in found if len(tool.inputs) == len(inputs)]
            if output is not None:
                found = [tool for tool in found if output in tool.output_datatypes]
        missing = not found and (meta_tool == BY_BOTH or (inputs is not None and len(inputs) == 2))
        return Retrieval(Matched(output, inputs), tuple(found), missing)
