"""The environment: plays an episode, turn by turn, and rewards it."""

from __future__ import annotations

import time

import msgspec
import verifiers.v1 as vf

from planbench_xl.episodes.record import Episode
from planbench_xl.metrics.episode import score_episode
from planbench_xl.protocols import Reply
from planbench_xl.runs.rollout import record
from planbench_xl.runs.run import source_of
from planbench_xl_verifiers.taskset import PlanBenchTaskset

INFO = "planbench_xl"
"""Where a trace's `info` has the record of its episode, with world and setting."""


class PlanBenchEnvConfig(vf.EnvConfig):
    """The one role: the agent. It runs no code, so a process of this machine is enough for it."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class PlanBenchEnv(vf.Env[PlanBenchEnvConfig]):
    """A world's queries, one an episode. The agent writes tagged text; the environment answers as its user.

    The reward `success` is 1 for a correct answer that rests on trusted values, else 0. The figures of the episode are
    metrics. An episode that the infrastructure ended is an error without a reward.
    """

    taskset: PlanBenchTaskset

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Play the episode of a task's query."""
        environment, protocol = self.taskset.environment(), self.taskset.protocol()
        started = time.perf_counter()
        protocol.opening(environment.reset(task.data.query_id))
        async with agents.agent.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                step = protocol.read(Reply(segment.last_reply))[0]
                observation = environment.step(step.action)
                if observation.done:
                    break
                segment = await interaction.turn(protocol.respond(observation, step).content)
        trace = interaction.trace
        cause = None if environment.status is not None else f"stopped: {trace.stop_condition}"
        seconds = time.perf_counter() - started
        self._reward(trace, record(environment, cause, 0, 0, protocol.name, seconds))

    def _reward(self, trace: vf.Trace, episode: Episode) -> None:
        """Write reward, metrics and the episode into a trace."""
        taskset = self.taskset
        trace.info[INFO] = msgspec.to_builtins(
            {
                "world": source_of(taskset.world, taskset.config.world),
                "setting": taskset.setting,
                "episode": episode,
            }
        )
        if trace.ok:
            score = score_episode(taskset.world, episode)
            trace.record_reward("success", float(score.success))
            trace.record_metrics(score.numbers)
