"""Steps per second of processor time of the Gymnasium environment, one process: the oracle's actions, spoken as text.

python benchmarks/bench_gym.py [--world retail] [--episodes 200]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium

import planbench_xl.integrations.gym  # noqa: F401
from planbench_xl.agents import make_agent
from planbench_xl.environment import tags
from planbench_xl.integrations.gym import WorldEnv


def scripts(env: WorldEnv, episodes: int) -> list[tuple[str, list[str]]]:
    """Return the oracle's replies to each query."""
    found = []
    agent = make_agent("oracle", env.environment)
    for query_id in env.queries[:episodes]:
        observation = env.environment.reset(query_id)
        agent.reset(0)
        texts = []
        while not observation.done:
            action: Any = agent.act(observation)
            texts.append(tags.render(action))
            observation = env.environment.step(action)
        found.append((query_id, texts))
    return found


def main() -> None:
    """Measure both rewards, with the wrappers that `gymnasium.make` adds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", default="retail")
    parser.add_argument("--episodes", type=int, default=200)
    arguments = parser.parse_args()
    for reward in ("sparse", "shaped"):
        for setting in ("default", "one-path"):
            options = {"world": arguments.world, "reward": reward, "setting": setting}
            env = gymnasium.make("planbench_xl/World-v0", **options)
            played = scripts(env.unwrapped, arguments.episodes)
            for label in ("first pass", "later"):
                started, steps = time.process_time(), 0
                for query_id, texts in played:
                    env.reset(options={"query_id": query_id})
                    for text in texts:
                        env.step(text)
                    steps += len(texts)
                seconds = time.process_time() - started
                print(f"{reward:7} {setting:9} {label:11} {steps / seconds:8,.0f} steps/s ({steps} steps)")


if __name__ == "__main__":
    main()
