"""Agents for tests of runs, named as `tests.runs.agents:factory` so that other processes find them too."""

import os
import signal
import time
from pathlib import Path
from random import Random

from planbench_xl.agents import make_agent
from planbench_xl.environment import Action, Environment, Event, Observation, ToolView, answer, call, retrieve


def _fixed() -> bool:
    """Say whether the file is there whose name FIXED holds."""
    return "FIXED" in os.environ and Path(os.environ["FIXED"]).exists()


class Slow:
    """Does something at random; a little slower than others, so that it can be killed in the middle."""

    def __init__(self, environment: Environment) -> None:
        del environment

    def reset(self, seed: int) -> None:
        self.random = Random(seed)
        self.tools: list[ToolView] = []

    def act(self, observation: Observation) -> Action | str:
        time.sleep(0.0005)
        self.tools += observation.tools
        draw = self.random.random()
        if draw < 0.01:
            return answer(str(draw))
        if draw < 0.3 and self.tools:
            tool = self.random.choice(self.tools)
            return call(tool.name, dict.fromkeys(tool.parameters["properties"], "x"))
        return retrieve(output=self.random.choice(observation.query.split() or ["number", "date", "card", "branch"]))


class Raising:
    """Raises in the third turn of every second episode, as long as the file FIXED is not there."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.inner = make_agent("oracle", environment)

    def reset(self, seed: int) -> None:
        self.inner.reset(seed)

    def act(self, observation: Observation) -> Action | str:
        fixed = _fixed()
        names = list(self.environment.world.query)
        odd = names.index(self.environment.state.query.query_id) % 2
        if odd and observation.turn == 2 and not fixed:
            raise TimeoutError("the provider \ud800 did not answer")
        return self.inner.act(observation)


class Dying:
    """Takes its process down in the last query, as long as the file FIXED is not there."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.inner = make_agent("oracle", environment)

    def reset(self, seed: int) -> None:
        self.inner.reset(seed)

    def act(self, observation: Observation) -> Action | str:
        last = list(self.environment.world.query)[-1]
        if self.environment.state.query.query_id == last and not _fixed():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGKILL)
        return self.inner.act(observation)


class Interrupting:
    """Behaves as if the user pressed Ctrl-C in the fourth episode."""

    def __init__(self, environment: Environment) -> None:
        self.episodes = 0

    def reset(self, seed: int) -> None:
        self.episodes += 1

    def act(self, observation: Observation) -> Action | str:
        if self.episodes == 4:
            raise KeyboardInterrupt
        return answer("nothing")


class Speechless:
    """Returns something that is no action."""

    def __init__(self, environment: Environment) -> None:
        pass

    def reset(self, seed: int) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        return None if observation.event is Event.QUERY else answer("")  # type: ignore[return-value]
