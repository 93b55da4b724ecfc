"""PlanBench-XL as an OpenEnv server (`planbench-xl-openenv`), with its client."""

from planbench_xl_openenv.client import PlanBenchClient
from planbench_xl_openenv.models import PlanBenchAction, PlanBenchObservation

__all__ = ["PlanBenchAction", "PlanBenchClient", "PlanBenchObservation"]
