"""An agent of one's own: asks for what is asked for, and calls whatever takes the value that the query gives."""

from planbench_xl.environment import Action, Environment, Event, Observation, answer, call, retrieve


class Simple:
    """Answers with what the first working tool returns. `act` may be `async def`."""

    def __init__(self, environment: Environment) -> None:
        """The environment's rules (`environment.setting`) may be read; an honest agent looks at nothing else in it."""

    def reset(self, seed: int) -> None:
        """Start an episode."""
        self.value, self.untried = "", []

    async def act(self, observation: Observation) -> Action:
        """Answer an observation: look for tools, call one, or answer."""
        if observation.event is Event.QUERY:
            parts = observation.query.split("`")
            self.value = parts[1] if len(parts) > 2 else ""
            return retrieve(output=observation.query.rstrip("?.").rpartition(" the ")[2])
        if observation.event is Event.TOOLS:
            self.untried = [tool for tool in observation.tools if len(tool.parameters["properties"]) == 1]
        if observation.event is Event.RESULT:
            return answer(str(observation.value))
        if not self.untried:
            return answer("I don't know.")
        tool = self.untried.pop()
        (name,) = tool.parameters["properties"]
        return call(tool.name, {name: self.value})
