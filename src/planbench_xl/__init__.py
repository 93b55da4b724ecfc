"""PlanBench-XL: can an agent plan over long chains of tool calls in a tool ecosystem it cannot see?"""

__version__ = "0.1.0"
