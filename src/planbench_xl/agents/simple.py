"""Agents without a plan. Their scores are floors: a benchmark on which they score is broken."""

from __future__ import annotations

from random import Random

from planbench_xl.agents.explorer import forward
from planbench_xl.agents.phrases import known_values, output_phrases, words
from planbench_xl.environment import Action, Environment, Event, Observation, ToolView, answer, call, retrieve
from planbench_xl.world import Value, text_form


class DoNothing:
    """Gives up at once."""

    def __init__(self, environment: object = None) -> None:
        del environment

    def reset(self, seed: int) -> None:
        """Start an episode. Nothing here is random."""
        del seed

    def act(self, observation: Observation) -> Action:
        """Answer that the answer is not known."""
        del observation
        return answer("I don't know.")


class ListEverything:
    """Explores forward and then answers with every value that it was shown: lenient judges accept it."""

    def __init__(self, environment: Environment) -> None:
        self._explorer = forward(environment)
        self._values: dict[str, None] = {}

    def reset(self, seed: int) -> None:
        """Forget the last episode. Nothing here is random."""
        self._explorer.reset(seed)
        self._values = {}

    def act(self, observation: Observation) -> Action:
        """Explore; where the explorer would answer, list everything."""
        if observation.event is Event.QUERY:
            self._values = {text_form(known.forms[0]): None for known in known_values(observation.query)}
        elif observation.event is Event.RESULT:
            value = observation.value
            parts = value.values() if isinstance(value, dict) else [value]
            self._values.update(dict.fromkeys(map(text_form, parts)))
        action = self._explorer.act(observation)
        return answer(", ".join(self._values) or "I don't know.") if action.kind == "answer" else action


class RandomAgent:
    """Retrieves by phrases it has read, calls tools it has seen with values it has seen, and at times answers."""

    RETRIEVE_BELOW, CALL_BELOW = 0.45, 0.97
    """Bounds of a uniform draw: below the first it retrieves, below the second it calls, else it answers."""

    def __init__(self, environment: object = None) -> None:
        del environment
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget the last episode and draw anew from a seed."""
        self._random = Random(seed)
        self._seen: set[str] = set()
        self._tools: list[ToolView] = []
        self._phrases: list[str] = []
        self._values: list[Value] = []

    def act(self, observation: Observation) -> Action:
        """Do something at random."""
        self._read(observation)
        rng = self._random
        draw = rng.random()
        if draw >= self.CALL_BELOW:
            return answer(text_form(rng.choice(self._values)) if self._values else "I don't know.")
        if draw >= self.RETRIEVE_BELOW and self._tools and self._values:
            tool = rng.choice(self._tools)
            return call(tool.name, {name: rng.choice(self._values) for name in tool.parameters["properties"]})
        phrase = rng.choice(self._phrases) if self._phrases else "anything"
        return retrieve(output=phrase) if rng.random() < 0.5 else retrieve(inputs=[phrase])

    def _read(self, observation: Observation) -> None:
        if observation.event is Event.QUERY:
            self._values += [known.forms[0] for known in known_values(observation.query)]
            self._phrases += words(observation.query)
        for tool in observation.tools:
            if tool.name not in self._seen:
                self._seen.add(tool.name)
                self._tools.append(tool)
                self._phrases += [*output_phrases(tool.name), *tool.parameters["properties"]]
        if observation.event is Event.RESULT:
            value = observation.value
            self._values += value.values() if isinstance(value, dict) else [value]
