"""The path engine: exact ground truth for any typed tool set.

It knows tools as names with input and output datatypes, and nothing else of a world. A *task* is a pair of
start datatypes and target datatypes; its *minimal tool sets* are the sets of tools that reach the targets
from the start and of which no tool can be left out; a *path* is a legal order of such a set. Every answer
that may be out of reach says whether it is exact or a bound.
"""

from planbench_xl.paths.check import is_minimal_solution, is_solution
from planbench_xl.paths.counting import Count, Longest, count_minimal, longest
from planbench_xl.paths.graph import PathError, ToolGraph, ToolSpec
from planbench_xl.paths.listing import (
    MinimalToolSets,
    Shortest,
    few_minimal_sets,
    minimal_tool_sets,
    shortest,
    survivors,
)
from planbench_xl.paths.orders import count_orders, legal_orders
from planbench_xl.paths.reach import between, reachable, reachable_within, some_minimal_set, survives
from planbench_xl.paths.summary import PathSummary, summarise
from planbench_xl.paths.usefulness import Useful, useful

__all__ = [
    "Count",
    "Longest",
    "MinimalToolSets",
    "PathError",
    "PathSummary",
    "Shortest",
    "ToolGraph",
    "ToolSpec",
    "Useful",
    "between",
    "count_minimal",
    "count_orders",
    "few_minimal_sets",
    "is_minimal_solution",
    "is_solution",
    "legal_orders",
    "longest",
    "minimal_tool_sets",
    "reachable",
    "reachable_within",
    "shortest",
    "some_minimal_set",
    "summarise",
    "survives",
    "survivors",
    "useful",
]
