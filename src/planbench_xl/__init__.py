"""PlanBench-XL: can an agent plan over long chains of tool calls in a tool ecosystem it cannot see?"""

__version__ = "0.1.0"

DEFAULT_WORLD = "retail"
"""The packaged world that is played where none is named."""
