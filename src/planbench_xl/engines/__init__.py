"""Where work is done that falls into independent parts: processes of this machine, or a Ray cluster.

Every part depends on nothing but what it is given, so results are the same on any engine, with any number of workers.
"""

from planbench_xl.engines.crew import Crew, EngineName, crew, parts, spread

__all__ = ["Crew", "EngineName", "crew", "parts", "spread"]
