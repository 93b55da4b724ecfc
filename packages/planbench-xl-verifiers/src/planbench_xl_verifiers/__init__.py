"""PlanBench-XL as an environment of verifiers: `vf-eval planbench-xl-verifiers`."""

from planbench_xl_verifiers.env import PlanBenchEnv, PlanBenchEnvConfig
from planbench_xl_verifiers.harness import DirectHarness
from planbench_xl_verifiers.taskset import PlanBenchConfig, PlanBenchData, PlanBenchTask, PlanBenchTaskset

__all__ = [
    "DirectHarness",
    "PlanBenchConfig",
    "PlanBenchData",
    "PlanBenchEnv",
    "PlanBenchEnvConfig",
    "PlanBenchTask",
    "PlanBenchTaskset",
]
