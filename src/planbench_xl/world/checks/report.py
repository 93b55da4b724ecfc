"""Collects faults and names the place of each as the user sees it, in our format or in the release's."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from planbench_xl.errors import Fault
from planbench_xl.world.model import Data, Role, World
from planbench_xl.world.storage import FILES, IDENTIFIER, MANIFEST

HEAD = "manifest"
"""The part that stands for the world as a whole."""

Add = Callable[[str, str, str], None]
"""Adds a fault to one entry: field, problem, remedy."""


class Layout(msgspec.Struct, frozen=True):
    """Where a folder keeps the parts of a world.

    Attributes:
        files: File of each part; tools are looked up as `tools` and, if that is missing, as their role.
        fields: Per part, patterns of our field paths with what the folder calls them.
    """

    files: Mapping[str, str]
    fields: Mapping[str, tuple[tuple[str, str], ...]] = {}


OWN = Layout({HEAD: MANIFEST, **{part: f"{part}.jsonl" for part in FILES}})
RELEASE = Layout(
    files={
        HEAD: "tasks.json",
        "datatypes": "datatypes.json",
        Role.EXECUTABLE: "baseline_tools.json",
        Role.DISTRACTOR: "noisy_tools.json",
        Role.BLOCK_ALTERNATIVE: "blocker_tools.json",
        "records": "database.json",
        "tasks": "tasks.json",
        "queries": "queries.json",
        "paths": "paths_set_catalog.json",
    },
    fields={
        "tools": (
            (r"^outputs(\[\d+\]\.datatype)?", "output_datatype"),
            (r"^arguments\[\d+\]\.datatype", "surface_argument_to_datatype"),
            (r"^arguments", "parameters.properties"),
            (r"^kind", "noise_type"),
            (r"^source", "baseline_tool_name"),
        ),
        "records": ((r"^values\.?", ""),),
        "tasks": (
            (r"^inputs", "input_datatypes"),
            (r"^targets(\[\d+\])?", "target_datatype"),
            (r"^shortest_length", "steps"),
            (r"^solution", "one_available_path"),
        ),
        "queries": (
            (r"^inputs\..*", "query_text"),
            (r"^inputs", "input_datatypes"),
            (r"^answers.*", "correct_answer"),
            (r"^text", "query_text"),
        ),
        "paths": ((r"^tool_sets(\[\d+\])", r"\1.tool_set"),),
    },
)
"""The published release's folder (reference protocol, section 1)."""

NOUNS = {"datatypes": "datatype", "queries": "query", "paths": "task"}


class Report:
    """The faults of one world, in file order whatever order they are found in."""

    def __init__(self, world: World, layout: Layout) -> None:
        self.world = world
        self._layout = layout
        self._found: list[tuple[int, int, Fault]] = []

    def add_to_head(self, field: str, problem: str, remedy: str) -> None:
        """Add a fault of the world as a whole."""
        self._found.append((-1, 0, Fault(self._layout.files[HEAD], "", field, problem, remedy)))

    def at(self, part: str, index: int) -> Add:
        """Return what adds a fault to the entry at this index of a part."""
        return partial(self._add, part, index)

    def faults(self) -> list[Fault]:
        """Return all faults in file order."""
        return [fault for _, _, fault in sorted(self._found, key=lambda found: found[:2])]

    def _add(self, part: str, index: int, field: str, problem: str, remedy: str) -> None:
        entry: Data = getattr(self.world, part)[index]
        name = getattr(entry, IDENTIFIER[type(entry)])
        noun = NOUNS.get(part, part.removesuffix("s"))
        label = f"{noun} '{name}'" if name.strip() else f"entry {index + 1}"
        for pattern, theirs in self._layout.fields.get(part, ()):
            renamed, count = re.subn(pattern, theirs, field)
            if count:
                field = renamed
                break
        file = self._layout.files.get(part) or self._layout.files[msgspec.structs.asdict(entry)["role"]]
        order = list(FILES).index(part)
        self._found.append((order, index, Fault(file, label, field, problem, remedy)))


def show(value: object) -> str:
    """Return a value for a message, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def closest(name: str, names: Mapping[str, object]) -> str:
    """Return the name nearest to one that doesn't exist, as ` (closest: 'x')`; empty if none is near."""
    near = difflib.get_close_matches(name, names, n=1)
    return f" (closest: '{near[0]}')" if near else ""
