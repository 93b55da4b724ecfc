"""What each call was worth, and which better one the agent could have made (paper: selection)."""

from __future__ import annotations

from collections.abc import Sequence

from planbench_xl.analysis.model import CallFacts
from planbench_xl.analysis.sightings import OLD, RECENT, Sightings
from planbench_xl.episodes.record import Episode, Turn
from planbench_xl.metrics.facts import Facts, Paths
from planbench_xl.metrics.progress import Step, is_progress
from planbench_xl.world import World


def calls_of(
    world: World, facts: Facts, episode: Episode, steps: Sequence[Step], paths: Paths
) -> tuple[CallFacts, ...]:
    """Return the facts on every call turn.

    Args:
        world: The world.
        facts: Its facts.
        episode: What was recorded.
        steps: What each turn did to the datatypes obtained.
        paths: What progress is judged by.
    """
    sightings = Sightings(facts, episode.turns, frozenset(episode.blocked))
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
        back = sightings.back(name)
        executed = step.new is not None
        drift = traction and executed and not progress[number] and bool(useful) and not sightings.inventory
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
                recent=back is not None and back < RECENT,
                useful_old=is_old(sightings, useful),
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
        if self._taken == len(discovered) and self._obtained == obtained:
            return self._found
        relevant = self._paths.relevant
        for name in discovered[self._taken :]:
            needs, gives = self._facts.edges[name]
            if gives & relevant:
                self._open.append((name, needs, gives))
        self._taken = len(discovered)
        self._obtained = obtained
        self._open = [entry for entry in self._open if entry[2] & ~obtained]
        verdicts: dict[int, bool] = {}
        found = []
        for name, needs, gives in self._open:
            if not needs & ~obtained:
                verdict = verdicts.get(gives)
                if verdict is None:
                    verdict = verdicts[gives] = self._paths.needs(obtained, gives)
                if verdict:
                    found.append(name)
        self._found = tuple(found)
        return self._found


def is_old(sightings: Sightings, useful: Sequence[str]) -> bool | None:
    """Say whether the newest sighting of any useful tool is more than two retrievals back; None if none is known."""
    if not useful:
        return None
    return min(back for name in useful if (back := sightings.back(name)) is not None) > OLD


def _next_progress(progress: Sequence[bool], number: int) -> int:
    """Return the number of the next progress call after a turn, or of the end."""
    return next((later for later in range(number + 1, len(progress)) if progress[later]), len(progress))


def _name(turn: Turn) -> str:
    return turn.request["name"] if turn.request is not None else ""
