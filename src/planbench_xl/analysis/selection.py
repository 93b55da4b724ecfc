"""What each call was worth, and which better one the agent could have made (paper: selection)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planbench_xl.analysis.model import CallFacts
from planbench_xl.analysis.sightings import OLD, RECENT, Sightings
from planbench_xl.episodes.record import Episode, Turn
from planbench_xl.metrics.facts import Facts, Paths
from planbench_xl.metrics.progress import Step, is_progress
from planbench_xl.world import World


def calls_of(
    world: World, facts: Facts, episode: Episode, steps: Sequence[Step], paths: Paths, *, inventory: bool
) -> tuple[CallFacts, ...]:
    """Return the facts on every call turn.

    Args:
        world: The world.
        facts: Its facts.
        episode: What was recorded.
        steps: What each turn did to the datatypes obtained.
        paths: What progress is judged by.
        inventory: All tools were shown with the query.
    """
    sightings = Sightings(facts, episode.turns, frozenset(episode.blocked), inventory=inventory)
    tools = UsefulTools(facts, paths)
    progress = [is_progress(paths, step) for step in steps]
    found = []
    traction = False
    for number, (turn, step) in enumerate(zip(episode.turns, steps, strict=True)):
        if turn.action == "retrieve" and turn.error is None:
            sightings.retrieved(turn)
        if turn.action != "call":
            continue
        useful = tools.now(sightings.discovered, step.before)
        name = _name(turn)
        tool = world.tool.get(name)
        executed = step.new is not None
        drift = traction and executed and not progress[number] and bool(useful) and not inventory
        found.append(
            CallFacts(
                turn=number + 1,
                tool=name,
                role=None if tool is None else tool.role,
                kind=None if tool is None else tool.kind,
                executed=executed,
                progress=progress[number],
                gained=facts.names(step.new) if step.new else (),
                useful=useful,
                recent=sightings.lately((name,), RECENT),
                # The newest sighting is that many retrievals back or further.
                useful_old=not sightings.lately(useful, OLD + 1) if useful else None,
                reappears=sightings.between(useful, number, _next_progress(progress, number)) if drift else None,
            )
        )
        traction = traction or progress[number]
    return tuple(found)


class UsefulTools:
    """Discovered tools whose call would be progress: all inputs obtained, and a path needs what they give.

    A tool that has broken down by then counts as if it worked: nobody can know before calling it.
    """

    def __init__(self, facts: Facts, paths: Paths) -> None:
        self._facts = facts
        self._paths = paths
        self._taken = 0
        self._open: list[tuple[str, int, int]] = []
        self._obtained = -1
        self._found: tuple[str, ...] = ()

    def now(self, discovered: Sequence[str], obtained: int) -> tuple[str, ...]:
        """Return them in the order of discovery; what is discovered and obtained may only grow from call to call."""
        missing = self._paths.relevant & ~obtained
        if self._obtained != obtained:
            self._obtained = obtained
            self._open = [entry for entry in self._open if entry[2] & missing]
            self._found = self._useful(self._open)
        if self._taken < len(discovered):
            fresh = [(name, *self._facts.edges[name]) for name in discovered[self._taken :]]
            fresh = [entry for entry in fresh if entry[2] & missing]
            self._taken = len(discovered)
            self._open += fresh
            self._found += self._useful(fresh)
        return self._found

    def _useful(self, tools: Iterable[tuple[str, int, int]]) -> tuple[str, ...]:
        verdicts: dict[int, bool] = {}
        found = []
        for name, needs, gives in tools:
            if not needs & ~self._obtained:
                verdict = verdicts.get(gives)
                if verdict is None:
                    verdict = verdicts[gives] = self._paths.needs(self._obtained, gives)
                if verdict:
                    found.append(name)
        return tuple(found)


def _next_progress(progress: Sequence[bool], number: int) -> int:
    """Return the number of the next progress call after a turn, or of the end."""
    return next((later for later in range(number + 1, len(progress)) if progress[later]), len(progress))


def _name(turn: Turn) -> str:
    return turn.request["name"] if turn.request is not None else ""
